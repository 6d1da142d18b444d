//! A plugin in Rust that uses only the standard library: `http_fetch` reads a page from a server on this machine.
//! rustc --edition 2021 -O -C panic=abort --crate-type cdylib fetch_tools.rs -o fetch_tools.so
//!
//! A call runs on the thread that the host lends. It reads with short timeouts, and checks between two reads whether it
//! was cancelled, so it needs no thread of its own, and no descriptor except that of its connection.
#![allow(non_upper_case_globals, dead_code)]
use std::ffi::{c_char, c_void};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{mem, ptr, slice};

// ---- The C interface, wtool/tool.h.

type Status = i32;
const OK: Status = 0;
const INVALID: Status = 1;
const UNSUPPORTED: Status = 2;
const CANCELLED: Status = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    data: *const u8,
    size: usize,
}

#[repr(C)]
pub struct Blob {
    struct_size: u32,
    reserved: u32,
    bytes: View,
    owner: *mut c_void,
    release: Option<extern "C" fn(*mut Blob)>,
}

#[repr(C)]
pub struct Host {
    struct_size: u32,
    abi_minor: u32,
    ctx: *mut c_void,
    name: View,
    version: View,
    get_extension: *const c_void,
}

#[repr(C)]
pub struct Descriptor {
    struct_size: u32,
    hints: u32,
    id: View,
    title: View,
    version: View,
    description: View,
    input_schema: View,
    output_schema: View,
}

#[repr(C)]
pub struct Event {
    struct_size: u32,
    kind: u32,
    seq: u64,
    mono_ns: u64,
    payload: View,
}

type Sink = Option<extern "C" fn(*mut c_void, *const Event) -> i32>;

#[repr(C)]
pub struct Request {
    struct_size: u32,
    flags: u32,
    arguments: View,
    call_id: View,
    traceparent: View,
    parent_span: u64,
    deadline_ms: u64,
    sink_ctx: *mut c_void,
    on_event: Sink,
    limits: View,
}

#[repr(C)]
pub struct Tool {
    struct_size: u32,
    reserved: u32,
    descriptor: *const Descriptor,
    this: *mut c_void,
    call_new: extern "C" fn(*const Tool, *const Request, *mut *mut Call, *mut Blob) -> Status,
    call_run: extern "C" fn(*mut Call, *mut Blob, *mut Blob) -> Status,
    call_cancel: extern "C" fn(*mut Call, u32, View),
    call_free: extern "C" fn(*mut Call),
    get_extension: extern "C" fn(*const Tool, *const c_char) -> *const c_void,
    destroy: extern "C" fn(*const Tool),
}

#[repr(C)]
pub struct Entry {
    struct_size: u32,
    abi_major: u32,
    abi_minor: u32,
    flags: u32,
    plugin_name: View,
    plugin_version: View,
    init: extern "C" fn(*const Host, *mut Blob) -> Status,
    deinit: extern "C" fn(),
    tool_count: extern "C" fn() -> u32,
    tool_at: extern "C" fn(u32) -> *const Descriptor,
    tool_new: extern "C" fn(View, View, *mut *const Tool, *mut Blob) -> Status,
}

// What they point to is constant.
unsafe impl Sync for Descriptor {}
unsafe impl Sync for Tool {}
unsafe impl Sync for Entry {}

const fn view(text: &'static str) -> View {
    View { data: text.as_ptr(), size: text.len() }
}

unsafe fn bytes<'a>(v: View) -> &'a [u8] {
    if v.data.is_null() { &[] } else { slice::from_raw_parts(v.data, v.size) }
}

// Whether the struct at `p`, whose first member is its size, has all bytes up to `end`.
unsafe fn has<T>(p: *const T, end: usize) -> bool {
    !p.is_null() && *(p as *const u32) as usize >= end
}

extern "C" fn release(blob: *mut Blob) {
    unsafe {
        drop(Box::from_raw((*blob).owner as *mut String));
        (*blob).release = None;
    }
}

unsafe fn fill(blob: *mut Blob, text: String, status: Status) -> Status {
    if has(blob, mem::size_of::<Blob>()) {
        let owner = Box::new(text);
        (*blob).bytes = View { data: owner.as_ptr(), size: owner.len() };
        (*blob).owner = Box::into_raw(owner) as *mut c_void;
        (*blob).release = Some(release);
    }
    status
}

// ---- The plugin.

static FETCH: Descriptor = Descriptor {
    struct_size: mem::size_of::<Descriptor>() as u32,
    hints: 1 | 4,
    id: view("http_fetch"),
    title: view("Read a page of this machine"),
    version: view("1.0.0"),
    description: view("Reads http://127.0.0.1 or http://[::1] at a port, and no other address."),
    input_schema: view(concat!(
        r#"{"type":"object","properties":{"url":{"type":"string","pattern":"^http://(127[.]0[.]0[.]1|\\[::1\\]):[0-9]+/[!-~]*$""#,
        r#","not":{"pattern":"[\"\\\\]"},"maxLength":1000}},"required":["url"],"additionalProperties":false,"#,
        r#""examples":[{"url":"http://127.0.0.1:1/"}]}"#
    )),
    output_schema: view(r#"{"type":"object","properties":{"status":{"type":"integer"},"bytes":{"type":"integer"}}}"#),
};

static TOOL: Tool = Tool {
    struct_size: mem::size_of::<Tool>() as u32,
    reserved: 0,
    descriptor: &FETCH,
    this: ptr::null_mut(),
    call_new,
    call_run,
    call_cancel,
    call_free,
    get_extension,
    destroy,
};

static STARTED: AtomicBool = AtomicBool::new(false);

pub struct Call {
    address: Option<(SocketAddr, String)>,
    sink: Sink,
    sink_ctx: *mut c_void,
    ran: AtomicBool,
    cancelled: AtomicBool,
}

extern "C" fn init(host: *const Host, error: *mut Blob) -> Status {
    unsafe {
        if !has(host, mem::size_of::<Host>()) {
            return fill(error, "The host is too small.".into(), INVALID);
        }
        if STARTED.swap(true, Ordering::SeqCst) {
            return fill(error, "The plugin is initialised already.".into(), INVALID);
        }
    }
    OK
}

extern "C" fn deinit() {
    STARTED.store(false, Ordering::SeqCst);
}

extern "C" fn tool_count() -> u32 {
    1
}

extern "C" fn tool_at(index: u32) -> *const Descriptor {
    if index == 0 { &FETCH } else { ptr::null() }
}

extern "C" fn tool_new(id: View, config: View, out: *mut *const Tool, error: *mut Blob) -> Status {
    unsafe {
        if out.is_null() || !STARTED.load(Ordering::SeqCst) {
            return fill(error, "init comes first, and there must be an out.".into(), INVALID);
        }
        if bytes(id) != b"http_fetch" {
            return fill(error, "There is no such tool.".into(), UNSUPPORTED);
        }
        if !matches!(bytes(config), b"" | b"{}") {
            return fill(error, "The tool has no configuration.".into(), INVALID);
        }
        *out = &TOOL;
    }
    OK
}

/// The address and the path in {"url":"http://127.0.0.1:80/path"}, where the text has no escapes.
fn parse(arguments: &[u8]) -> Option<(SocketAddr, String)> {
    let text = std::str::from_utf8(arguments).ok()?.trim_matches([' ', '\t', '\r', '\n']);
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    let value = inner.strip_prefix("\"url\"")?.trim_start().strip_prefix(':')?.trim();
    let url = value.strip_prefix('"')?.strip_suffix('"')?;
    if url.len() > 1000 || !url.bytes().all(|b| (b'!'..=b'~').contains(&b) && b != b'"' && b != b'\\') {
        return None;
    }
    let (place, path) = url.strip_prefix("http://")?.split_once('/')?;
    let address: SocketAddr = place.parse().ok()?;
    let here = matches!(address.ip(), IpAddr::V4(ip) if ip.octets() == [127, 0, 0, 1]) || address.ip().to_string() == "::1";
    if here { Some((address, format!("/{path}"))) } else { None }
}

extern "C" fn call_new(tool: *const Tool, request: *const Request, out: *mut *mut Call, error: *mut Blob) -> Status {
    unsafe {
        let through_arguments = 2 * mem::size_of::<u32>() + mem::size_of::<View>();
        if tool.is_null() || out.is_null() || !has(request, through_arguments) {
            return fill(error, "A pointer is NULL, or the request is too small.".into(), INVALID);
        }
        let listens = has(request, mem::size_of::<Request>());
        *out = Box::into_raw(Box::new(Call {
            address: parse(bytes((*request).arguments)),
            sink: if listens { (*request).on_event } else { None },
            sink_ctx: if listens { (*request).sink_ctx } else { ptr::null_mut() },
            ran: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
        }));
    }
    OK
}

/// Sends the text to the host as live output. False: the host wants the call to stop.
fn tell(call: &Call, text: &'static str) -> bool {
    let event = Event {
        struct_size: mem::size_of::<Event>() as u32,
        kind: 1,
        seq: 1,
        mono_ns: 0,
        payload: view(text),
    };
    call.sink.map_or(true, |sink| sink(call.sink_ctx, &event) == 0)
}

fn fetch(call: &Call, address: &SocketAddr, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(address, Duration::from_secs(2))?;
    stream.set_read_timeout(Some(Duration::from_millis(20)))?;
    stream.set_write_timeout(Some(Duration::from_secs(2)))?;
    // The request is sent in one piece, because a server may answer and close as soon as it has seen a part.
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())?;
    let end = Instant::now() + Duration::from_secs(10);
    let mut page = Vec::new();
    let mut buffer = [0; 4096];
    while page.len() < 1 << 20 && !call.cancelled.load(Ordering::SeqCst) && Instant::now() < end {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => page.extend_from_slice(&buffer[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(page)
}

/// A JSON text, with its quotes.
fn quoted(text: &str) -> String {
    let mut all = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => all.extend(['\\', c]),
            c if (c as u32) < 32 => all.push_str(&format!("\\u{:04x}", c as u32)),
            c => all.push(c),
        }
    }
    all + "\""
}

fn envelope(text: &str, is_error: bool, metadata: &str) -> String {
    let text = quoted(text);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"is_error":{is_error},"metadata":{{{metadata}}}}}"#)
}

fn run(call: &Call) -> String {
    let (address, path) = match &call.address {
        Some(found) => found,
        None => return envelope("The arguments are not valid by the schema.", true, ""),
    };
    if call.cancelled.load(Ordering::SeqCst) || !tell(call, "connecting\n") {
        return envelope("The call was stopped.", true, "");
    }
    match fetch(call, address, path) {
        Err(why) => envelope(&format!("{address} cannot be read: {why}"), true, ""),
        Ok(page) => {
            let text = String::from_utf8_lossy(&page);
            let status = text.split(' ').nth(1).and_then(|word| word.parse::<u32>().ok()).unwrap_or(0);
            let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            envelope(body, status != 200, &format!(r#""status":{status},"bytes":{}"#, body.len()))
        }
    }
}

extern "C" fn call_run(call: *mut Call, result: *mut Blob, error: *mut Blob) -> Status {
    unsafe {
        if call.is_null() || !has(result, mem::size_of::<Blob>()) || (*call).ran.swap(true, Ordering::SeqCst) {
            return fill(error, "There is no call or room for a result, or it has run.".into(), INVALID);
        }
        let text = run(&*call);
        fill(result, text, if (*call).cancelled.load(Ordering::SeqCst) { CANCELLED } else { OK })
    }
}

extern "C" fn call_cancel(call: *mut Call, _how: u32, _reason: View) {
    if !call.is_null() {
        unsafe { (*call).cancelled.store(true, Ordering::SeqCst) }
    }
}

extern "C" fn call_free(call: *mut Call) {
    if !call.is_null() {
        drop(unsafe { Box::from_raw(call) });
    }
}

extern "C" fn get_extension(_tool: *const Tool, _id: *const c_char) -> *const c_void {
    ptr::null()
}

extern "C" fn destroy(_tool: *const Tool) {}

#[no_mangle]
pub static wtool_entry_v1: Entry = Entry {
    struct_size: mem::size_of::<Entry>() as u32,
    abi_major: 1,
    abi_minor: 0,
    flags: 0,
    plugin_name: view("fetch_tools"),
    plugin_version: view("1.0.0"),
    init,
    deinit,
    tool_count,
    tool_at,
    tool_new,
};
