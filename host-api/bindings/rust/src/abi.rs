//! `wtool/tool.h`, version 1.0, and the functions of the dynamic loader that this crate needs.

use std::os::raw::{c_char, c_int, c_void};

pub const ABI_MAJOR: u32 = 1;
pub const ABI_MINOR: u32 = 0;
pub const ENTRY_SYMBOL: &[u8] = b"wtool_entry_v1\0";

pub const OK: i32 = 0;
pub const E_CANCELLED: i32 = 3;
pub const CANCEL_GRACEFUL: u32 = 1;
pub const CANCEL_NOW: u32 = 2;
pub const EVENT_STDOUT: u32 = 1;
pub const EVENT_STDERR: u32 = 2;

pub const RTLD_NOW: c_int = 2;

#[link(name = "dl")]
extern "C" {
    pub fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn dlerror() -> *const c_char;
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    pub data: *const u8,
    pub size: usize,
}

impl View {
    /// Borrows: the bytes must live as long as the view is used.
    pub fn of(bytes: &[u8]) -> View {
        View { data: bytes.as_ptr(), size: bytes.len() }
    }

    /// # Safety
    /// The bytes must be valid for `'a`.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() || self.size == 0 {
            return &[];
        }
        std::slice::from_raw_parts(self.data, self.size)
    }

    /// # Safety
    /// The bytes must be valid now.
    pub unsafe fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

#[repr(C)]
pub struct Blob {
    pub struct_size: u32,
    pub reserved: u32,
    pub bytes: View,
    pub owner: *mut c_void,
    pub release: Option<unsafe extern "C" fn(*mut Blob)>,
}

impl Blob {
    pub fn empty() -> Blob {
        Blob { struct_size: size_of::<Blob>(), reserved: 0, bytes: View::of(&[]), owner: std::ptr::null_mut(), release: None }
    }

    /// What the plugin has put into the blob; `None` if the blob was never filled.
    pub fn read(&self) -> Option<String> {
        // A filled blob is valid until it is released, which only drop() does.
        self.release.map(|_| unsafe { self.bytes.text() })
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            unsafe { release(self) }
        }
    }
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub ctx: *mut c_void,
    pub name: View,
    pub version: View,
    pub get_extension: Option<unsafe extern "C" fn(*const Host, *const c_char) -> *const c_void>,
}

#[repr(C)]
pub struct Descriptor {
    pub struct_size: u32,
    pub hints: u32,
    pub id: View,
    pub title: View,
    pub version: View,
    pub description: View,
    pub input_schema: View,
    pub output_schema: View,
}

#[repr(C)]
pub struct Event {
    pub struct_size: u32,
    pub kind: u32,
    pub seq: u64,
    pub mono_ns: u64,
    pub payload: View,
}

pub type OnEvent = unsafe extern "C" fn(*mut c_void, *const Event) -> i32;

#[repr(C)]
pub struct Request {
    pub struct_size: u32,
    pub flags: u32,
    pub arguments: View,
    pub call_id: View,
    pub traceparent: View,
    pub parent_span: u64,
    pub deadline_ms: u64,
    pub sink_ctx: *mut c_void,
    pub on_event: Option<OnEvent>,
    pub limits: View,
}

/// A call of the plugin's. Opaque.
#[repr(C)]
pub struct Call {
    nothing: [u8; 0],
}

#[repr(C)]
pub struct Tool {
    pub struct_size: u32,
    pub reserved: u32,
    pub descriptor: *const Descriptor,
    pub self_: *mut c_void,
    pub call_new: Option<unsafe extern "C" fn(*const Tool, *const Request, *mut *mut Call, *mut Blob) -> i32>,
    pub call_run: Option<unsafe extern "C" fn(*mut Call, *mut Blob, *mut Blob) -> i32>,
    pub call_cancel: Option<unsafe extern "C" fn(*mut Call, u32, View)>,
    pub call_free: Option<unsafe extern "C" fn(*mut Call)>,
    pub get_extension: Option<unsafe extern "C" fn(*const Tool, *const c_char) -> *const c_void>,
    pub destroy: Option<unsafe extern "C" fn(*const Tool)>,
}

#[repr(C)]
pub struct Entry {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub flags: u32,
    pub plugin_name: View,
    pub plugin_version: View,
    pub init: Option<unsafe extern "C" fn(*const Host, *mut Blob) -> i32>,
    pub deinit: Option<unsafe extern "C" fn()>,
    pub tool_count: Option<unsafe extern "C" fn() -> u32>,
    pub tool_at: Option<unsafe extern "C" fn(u32) -> *const Descriptor>,
    pub tool_new: Option<unsafe extern "C" fn(View, View, *mut *const Tool, *mut Blob) -> i32>,
}

/// The size of a struct, as `struct_size` has it.
pub fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::process::Command;

    /// Writes lines with the size of each struct and the offset of each field in Rust, and C statements that print the same lines for C.
    macro_rules! layout {
        ($ours:expr, $theirs:expr, $($rust:ident $c:literal { $($field:ident $($named:literal)?),* })*) => {$(
            writeln!($ours, "{} {}", $c, std::mem::size_of::<$rust>()).unwrap();
            writeln!($theirs, "printf(\"%s %zu\\n\", \"{0}\", sizeof({0}));", $c).unwrap();
            let place = std::mem::MaybeUninit::<$rust>::uninit();
            $({
                let name = [$($named,)? stringify!($field)][0];
                let offset = unsafe { std::ptr::addr_of!((*place.as_ptr()).$field) } as usize - place.as_ptr() as usize;
                writeln!($ours, "{}.{} {}", $c, name, offset).unwrap();
                writeln!($theirs, "printf(\"%s %zu\\n\", \"{0}.{1}\", offsetof({0}, {1}));", $c, name).unwrap();
            })*
        )*};
    }

    #[test]
    fn the_structs_are_those_of_the_header() {
        let mut ours = String::new();
        let mut theirs = String::from("#include <stdio.h>\n#include <wtool/tool.h>\nint main(void) {\n");
        layout!(ours, theirs,
            View "wtool_view" { data, size }
            Blob "wtool_blob" { struct_size, reserved, bytes, owner, release }
            Host "wtool_host" { struct_size, abi_minor, ctx, name, version, get_extension }
            Descriptor "wtool_descriptor" { struct_size, hints, id, title, version, description, input_schema, output_schema }
            Event "wtool_event" { struct_size, kind, seq, mono_ns, payload }
            Request "wtool_request" { struct_size, flags, arguments, call_id, traceparent, parent_span, deadline_ms, sink_ctx, on_event, limits }
            Tool "wtool_tool" { struct_size, reserved, descriptor, self_ "self", call_new, call_run, call_cancel, call_free,
                                get_extension, destroy }
            Entry "wtool_entry" { struct_size, abi_major, abi_minor, flags, plugin_name, plugin_version, init, deinit, tool_count,
                                  tool_at, tool_new }
        );
        theirs.push_str("return 0; }\n");
        let folder = std::env::temp_dir().join(format!("wtool-layout-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("layout.c"), theirs).unwrap();
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include");
        let compiled = Command::new("cc").args(["-I", include, "-o", "layout", "layout.c"]).current_dir(&folder).status();
        let printed = Command::new(folder.join("layout")).output();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(compiled.unwrap().success());
        assert_eq!(ours, String::from_utf8(printed.unwrap().stdout).unwrap());
    }
}
