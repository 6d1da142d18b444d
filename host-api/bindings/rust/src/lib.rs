//! Run commands that never outlive their call, through a plugin of wtool.
//!
//! ```no_run
//! use std::time::Duration;
//! let plugin = wtool::Plugin::find()?;
//! let outcome = plugin.shell("ls -l").timeout(Duration::from_secs(5)).run()?;
//! println!("{:?} {}", outcome.exit_code(), outcome.stdout());
//! # Ok::<(), wtool::Error>(())
//! ```
//!
//! When [`Call::run`] returns, nothing that the command started is alive. The same holds when the call is cancelled from another thread, when
//! the function that takes its output panics, and when the process dies.

mod abi;
mod find;
mod json;

pub use find::find_plugin;
pub use json::Json;

use std::any::Any;
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

const SHELL: &str = "shell_execute";

/// No call could be made: there is no plugin or no such tool, or the configuration is not valid. A command that fails gives an [`Outcome`]
/// instead.
#[derive(Clone, Debug)]
pub struct Error {
    message: String,
}

impl Error {
    fn new(message: impl Into<String>) -> Error {
        Error { message: message.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A tool of a plugin.
#[derive(Clone, Debug)]
pub struct Tool {
    pub id: String,
    pub title: String,
    pub version: String,
    pub description: String,
    /// JSON Schema 2020-12, as text.
    pub input_schema: String,
    /// The same for the metadata of its results; empty: the tool declares none.
    pub output_schema: String,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

/// A plugin library with its tools. Any threads may call the tools, even at the same time. A library can be open only once at a time.
pub struct Plugin {
    entry: &'static abi::Entry,
    host: Box<abi::Host>, // the plugin keeps a pointer to it
    tools: Vec<Tool>,
    made: Vec<MadeTool>,
}

/// A tool that has all of its functions.
#[derive(Clone, Copy)]
struct MadeTool(*const abi::Tool);

// Safe, because each function is called only on threads that the interface allows: a shared Plugin calls only [any-thread] and [run-thread]
// functions, and [control] functions are called only when the Plugin is made or dropped.
unsafe impl Send for Plugin {}
unsafe impl Sync for Plugin {}

impl Plugin {
    /// The plugin that [`find_plugin`] finds, without a configuration.
    pub fn find() -> Result<Plugin, Error> {
        Plugin::open(find_plugin()?, &Json::Object(Vec::new()))
    }

    /// `configuration` is an object: the configuration of the tools. The configuration files of the program `wtool` are not read.
    pub fn open(path: impl AsRef<Path>, configuration: &Json) -> Result<Plugin, Error> {
        let path = path.as_ref();
        // A name without a slash would be looked for in the system's folders.
        let path = &std::env::current_dir().map(|folder| folder.join(path)).unwrap_or_else(|_| path.to_owned());
        Plugin::load(path, configuration).map_err(|why| Error::new(format!("the plugin {} cannot be used: {}", path.display(), why)))
    }

    fn load(path: &Path, configuration: &Json) -> Result<Plugin, String> {
        if !path.is_file() {
            return Err("there is no such file".to_owned());
        }
        let entry = open_library(path)?;
        let tools = read_tools(entry)?;
        let configuration = with_stdin(configuration, tools.iter().any(|tool| tool.id == SHELL));
        let host = Box::new(abi::Host {
            struct_size: abi::size_of::<abi::Host>(),
            abi_minor: abi::ABI_MINOR,
            ctx: std::ptr::null_mut(),
            name: abi::View::of(b"wtool-rust"),
            version: abi::View::of(b"0.1.0"),
            get_extension: Some(no_extension),
        });
        let mut reason = abi::Blob::empty();
        // open_library() has checked that the entry has these functions.
        if unsafe { entry.init.unwrap()(&*host, &mut reason) } != abi::OK {
            return Err(format!("it could not be initialised: {}", said(&reason)));
        }
        let mut plugin = Plugin { entry, host, tools, made: Vec::new() }; // From here on, drop() ends the plugin.
        for tool in &plugin.tools {
            let mut made = std::ptr::null();
            let mut reason = abi::Blob::empty();
            let (id, text) = (abi::View::of(tool.id.as_bytes()), abi::View::of(configuration.as_bytes()));
            if unsafe { entry.tool_new.unwrap()(id, text, &mut made, &mut reason) } != abi::OK {
                return Err(format!("the tool {} cannot be made: {}", tool.id, said(&reason)));
            }
            let complete = unsafe { made.as_ref() }.map_or(false, |made| {
                made.struct_size >= abi::size_of::<abi::Tool>()
                    && made.call_new.is_some()
                    && made.call_run.is_some()
                    && made.call_cancel.is_some()
                    && made.call_free.is_some()
                    && made.destroy.is_some()
            });
            if !complete {
                return Err(format!("the tool {} lacks functions of version 1.0", tool.id));
            }
            plugin.made.push(MadeTool(made));
        }
        Ok(plugin)
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// A call of `shell_execute`.
    pub fn shell(&self, command: &str) -> Call<'_> {
        self.call(SHELL).argument("command", command)
    }

    /// A call of any tool. Nothing happens before [`Call::run`].
    pub fn call(&self, tool: &str) -> Call<'_> {
        Call {
            plugin: self,
            tool: tool.to_owned(),
            arguments: Vec::new(),
            text: None,
            deadline: None,
            timeout: None,
            on_output: None,
            mistake: None,
            shared: Arc::new(Mutex::new(Progress::Waiting)),
        }
    }
}

/// Ends sessions, terminals and helpers. (No call is running: a call borrows the plugin.)
impl Drop for Plugin {
    fn drop(&mut self) {
        for MadeTool(tool) in &self.made {
            unsafe { (**tool).destroy.unwrap()(*tool) }
        }
        unsafe { self.entry.deinit.unwrap()() }
        let _ = &self.host; // deinit still needed the host
    }
}

/// A stream of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

type OnOutput<'a> = Box<dyn FnMut(Stream, &[u8]) + Send + 'a>;

/// A call that has not been made yet.
#[must_use = "nothing happens before run()"]
pub struct Call<'a> {
    plugin: &'a Plugin,
    tool: String,
    arguments: Vec<(String, Json)>,
    text: Option<String>,
    deadline: Option<Duration>,
    timeout: Option<Duration>, // only one with a fraction of a second, which the tool does not take
    on_output: Option<OnOutput<'a>>,
    mistake: Option<String>, // why the call cannot be made
    shared: Arc<Mutex<Progress>>,
}

/// How far a call has come, for its cancellers.
enum Progress {
    Waiting,
    /// It was cancelled before it began.
    CancelledBefore(u32, String),
    Running(*mut abi::Call, MadeTool),
    Over,
}

// call_cancel is [any-thread]; the mutex ensures that it never runs at the same time as call_free.
unsafe impl Send for Progress {}

fn locked(shared: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl<'a> Call<'a> {
    /// An argument of the tool. It replaces an earlier one of this name.
    pub fn argument(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(&mut self.arguments, name, value.into());
        self
    }

    /// All arguments together, as a JSON text that the tool checks. The text replaces the arguments that `argument` has added.
    pub fn arguments_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The parameter `timeout` of the shell tool, which takes whole seconds. A deadline enforces a fraction of a second.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let has_fraction = timeout.subsec_nanos() > 0;
        self.timeout = has_fraction.then_some(timeout);
        let whole = timeout.as_secs().saturating_add(u64::from(has_fraction));
        self.argument("timeout", whole as f64)
    }

    /// The parameter `working_directory` of the shell tool. JSON holds only UTF-8, so with any other path, [`Call::run`] returns an error.
    pub fn current_dir(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        match path.to_str() {
            Some(text) => {
                self.mistake = None;
                self.argument("working_directory", text)
            }
            None => {
                self.mistake = Some(format!("the path of the working directory {:?} is not UTF-8; name it by another path", path));
                self
            }
        }
    }

    /// A variable, added to the environment: the parameter `environment` of the shell tool.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        for (key, known) in &mut self.arguments {
            if let ("environment", Json::Object(variables)) = (key.as_str(), known) {
                set(variables, name, value.into());
                return self;
            }
        }
        self.argument("environment", Json::Object(vec![(name.to_owned(), value.into())]))
    }

    /// The parameter `stdin` of the shell tool.
    pub fn stdin(self, text: &str) -> Self {
        self.argument("stdin", text)
    }

    /// A time after which the call is ended, whatever the tool's own timeout.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// `take` is called while the command runs, on the thread that is inside `run`; if `take` is slow, the command waits. If it
    /// panics, the call is stopped, and `run` panics when no process of the call is left.
    pub fn on_output(mut self, take: impl FnMut(Stream, &[u8]) + Send + 'a) -> Self {
        self.on_output = Some(Box::new(take));
        self
    }

    /// An object that can cancel this call from any thread, before, during and after `run`.
    pub fn canceller(&self) -> Canceller {
        Canceller { shared: Arc::clone(&self.shared) }
    }

    /// Runs the call on this thread, and returns when no process of it is left.
    pub fn run(mut self) -> Result<Outcome, Error> {
        if let Some(mistake) = self.mistake.take() {
            return Err(Error::new(mistake));
        }
        let index = self.plugin.tools.iter().position(|tool| tool.id == self.tool).ok_or_else(|| {
            let ids: Vec<&str> = self.plugin.tools.iter().map(|tool| tool.id.as_str()).collect();
            Error::new(format!("there is no tool {:?}; the tools are {}", self.tool, ids.join(", ")))
        })?;
        let made = self.plugin.made[index];
        let tool = unsafe { &*made.0 };
        let text = self.text.take().unwrap_or_else(|| Json::Object(std::mem::take(&mut self.arguments)).to_string());
        let mut sink = Sink { take: self.on_output.take(), panic: None };
        let wants_output = sink.take.is_some();
        let limit = self.deadline.into_iter().chain(self.timeout).min();
        let request = abi::Request {
            struct_size: abi::size_of::<abi::Request>(),
            flags: 0,
            arguments: abi::View::of(text.as_bytes()),
            call_id: abi::View::of(&[]),
            traceparent: abi::View::of(&[]),
            parent_span: 0,
            deadline_ms: limit.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX).max(1)),
            sink_ctx: std::ptr::addr_of_mut!(sink) as *mut c_void,
            on_event: wants_output.then_some(on_event as abi::OnEvent),
            limits: abi::View::of(&[]),
        };
        let mut call = std::ptr::null_mut();
        let mut reason = abi::Blob::empty();
        let mut answer = abi::Blob::empty();
        {
            let mut progress = locked(&self.shared);
            let status = unsafe { tool.call_new.unwrap()(made.0, &request, &mut call, &mut reason) };
            if status != abi::OK {
                *progress = Progress::Over;
                return Err(self.not_made(status, &reason));
            }
            if let Progress::CancelledBefore(how, why) = &*progress {
                unsafe { tool.call_cancel.unwrap()(call, *how, abi::View::of(why.as_bytes())) }
            }
            *progress = Progress::Running(call, made);
        }
        let mut reason = abi::Blob::empty();
        let status = unsafe { tool.call_run.unwrap()(call, &mut answer, &mut reason) };
        *locked(&self.shared) = Progress::Over;
        unsafe { tool.call_free.unwrap()(call) }
        if let Some(panic) = sink.panic {
            resume_unwind(panic);
        }
        match answer.read() {
            Some(text) if status == abi::OK || status == abi::E_CANCELLED => Outcome::read(&text, status == abi::E_CANCELLED)
                .ok_or_else(|| Error::new(format!("the answer of {} is not a result, which is a defect of the plugin", self.tool))),
            _ => Err(self.not_made(status, &reason)),
        }
    }

    fn not_made(&self, status: i32, reason: &abi::Blob) -> Error {
        let why = reason.read().unwrap_or_else(|| format!("status {}", status));
        Error::new(format!("the call of {} could not be made: {}", self.tool, why))
    }
}

/// Cancels one call, from any thread.
#[derive(Clone)]
pub struct Canceller {
    shared: Arc<Mutex<Progress>>,
}

impl Canceller {
    /// Asks the call to stop, SIGTERM first, and does not wait. `run` returns when the call has ended. If the call has not begun,
    /// `run` starts nothing. If the call has ended, nothing happens.
    pub fn cancel(&self, reason: &str) {
        self.stop(abi::CANCEL_GRACEFUL, reason);
    }

    /// The same without time for the command to clean up.
    pub fn cancel_now(&self, reason: &str) {
        self.stop(abi::CANCEL_NOW, reason);
    }

    fn stop(&self, how: u32, reason: &str) {
        let mut progress = locked(&self.shared);
        match &*progress {
            Progress::Waiting => *progress = Progress::CancelledBefore(how, reason.to_owned()),
            Progress::Running(call, MadeTool(tool)) => unsafe {
                (**tool).call_cancel.unwrap()(*call, how, abi::View::of(reason.as_bytes()))
            },
            Progress::CancelledBefore(..) | Progress::Over => {}
        }
    }
}

/// The answer to a call. `docs/guide/results.md` lists the keys of its metadata and the error codes.
#[derive(Clone, Debug)]
pub struct Outcome {
    is_error: bool,
    cancelled: bool,
    json: Json,
}

impl Outcome {
    fn read(text: &str, cancelled: bool) -> Option<Outcome> {
        let json = Json::parse(text)?;
        Some(Outcome { is_error: json.get("is_error")?.as_bool()?, cancelled, json })
    }

    pub fn is_error(&self) -> bool {
        self.is_error
    }

    pub fn cancelled(&self) -> bool {
        self.cancelled
    }

    /// The content, for people and models.
    pub fn text(&self) -> String {
        let parts = self.json.get("content").and_then(Json::as_array).unwrap_or(&[]);
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        texts.join("\n")
    }

    /// The output, or what came before the command was ended; at most `output.bytes` of it, see [`Outcome::truncated`].
    pub fn stdout(&self) -> &str {
        self.output("stdout", "partial_stdout")
    }

    pub fn stderr(&self) -> &str {
        self.output("stderr", "partial_stderr")
    }

    /// True if stdout or stderr was longer than `output.bytes` of the configuration, and a line in it says how much was left out.
    pub fn truncated(&self) -> bool {
        ["stdout_truncated", "stderr_truncated"].iter().any(|key| self.metadata(key) == Some(&Json::Bool(true)))
    }

    /// `None` if the command did not end by itself, or did not run.
    pub fn exit_code(&self) -> Option<i32> {
        self.metadata("exit_code")?.as_f64().map(|code| code as i32)
    }

    /// Such as `exit_nonzero` or `timed_out`; `None` if `is_error` is false.
    pub fn error_code(&self) -> Option<&str> {
        self.metadata("error")?.get("code")?.as_str()
    }

    pub fn message(&self) -> &str {
        self.metadata("error").and_then(|error| error.get("message")?.as_str()).unwrap_or("")
    }

    /// What to do about the error; may be empty.
    pub fn hint(&self) -> &str {
        self.metadata("error").and_then(|error| error.get("hint")?.as_str()).unwrap_or("")
    }

    /// One key of the metadata.
    pub fn metadata(&self, key: &str) -> Option<&Json> {
        self.json.get("metadata")?.get(key)
    }

    /// The whole answer.
    pub fn json(&self) -> &Json {
        &self.json
    }

    fn output(&self, whole: &str, partial: &str) -> &str {
        self.metadata(whole).or_else(|| self.metadata(partial)).and_then(Json::as_str).unwrap_or("")
    }
}

/// Sets a member of an object, which must not have two of one name.
fn set(members: &mut Vec<(String, Json)>, name: &str, value: Json) {
    match members.iter_mut().find(|(key, _)| key == name) {
        Some((_, known)) => *known = value,
        None => members.push((name.to_owned(), value)),
    }
}

struct Sink<'a> {
    take: Option<OnOutput<'a>>,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn on_event(context: *mut c_void, event: *const abi::Event) -> i32 {
    let sink = &mut *(context as *mut Sink);
    let event = &*event;
    let stream = match event.kind {
        abi::EVENT_STDOUT => Stream::Stdout,
        abi::EVENT_STDERR => Stream::Stderr,
        _ => return 0,
    };
    let take = match &mut sink.take {
        Some(take) if sink.panic.is_none() => take,
        _ => return 1,
    };
    // A panic must not cross the interface.
    match catch_unwind(AssertUnwindSafe(|| take(stream, event.payload.bytes()))) {
        Ok(()) => 0,
        Err(panic) => {
            sink.panic = Some(panic);
            1
        }
    }
}

unsafe extern "C" fn no_extension(_host: *const abi::Host, _id: *const c_char) -> *const c_void {
    std::ptr::null()
}

fn said(reason: &abi::Blob) -> String {
    reason.read().unwrap_or_else(|| "no reason was given".to_owned())
}

/// The text of the configuration, in which the shell tool takes standard input unless the configuration says otherwise.
fn with_stdin(configuration: &Json, is_shell: bool) -> String {
    let mut all = configuration.clone();
    if let (true, Json::Object(members)) = (is_shell, &mut all) {
        match members.iter_mut().find(|(key, _)| key == "shell") {
            None => members.push(("shell".to_owned(), Json::Object(vec![("stdin".to_owned(), Json::Bool(true))]))),
            Some((_, Json::Object(shell))) if shell.iter().all(|(key, _)| key != "stdin") => {
                shell.push(("stdin".to_owned(), Json::Bool(true)));
            }
            Some(_) => {}
        }
    }
    all.to_string()
}

/// The library stays loaded until the process ends, so its entry stays valid.
fn open_library(path: &Path) -> Result<&'static abi::Entry, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| "its name has a NUL".to_owned())?;
    let entry = unsafe {
        let library = abi::dlopen(name.as_ptr(), abi::RTLD_NOW);
        if library.is_null() {
            let why = abi::dlerror();
            let why = if why.is_null() { "no reason given".into() } else { CStr::from_ptr(why).to_string_lossy() };
            return Err(format!("it is not a library that can be loaded here: {}", why));
        }
        (abi::dlsym(library, abi::ENTRY_SYMBOL.as_ptr() as *const c_char) as *const abi::Entry).as_ref()
    };
    let entry = entry.ok_or("it has no symbol wtool_entry_v1, so it is not a plugin for this version of wtool")?;
    let complete = entry.struct_size >= abi::size_of::<abi::Entry>()
        && entry.init.is_some()
        && entry.deinit.is_some()
        && entry.tool_count.is_some()
        && entry.tool_at.is_some()
        && entry.tool_new.is_some();
    if entry.abi_major != abi::ABI_MAJOR || !complete {
        return Err("its entry is not that of version 1.0 of the interface".to_owned());
    }
    Ok(entry)
}

fn read_tools(entry: &abi::Entry) -> Result<Vec<Tool>, String> {
    let count = unsafe { entry.tool_count.unwrap()() };
    (0..count)
        .map(|i| unsafe {
            let one = entry.tool_at.unwrap()(i).as_ref().filter(|one| one.struct_size >= abi::size_of::<abi::Descriptor>());
            let one = one.ok_or_else(|| format!("the descriptor of tool number {} is missing or too small", i))?;
            Ok(Tool {
                id: one.id.text(),
                title: one.title.text(),
                version: one.version.text(),
                description: one.description.text(),
                input_schema: one.input_schema.text(),
                output_schema: one.output_schema.text(),
                read_only: one.hints & 1 != 0,
                destructive: one.hints & 2 != 0,
                idempotent: one.hints & 4 != 0,
                open_world: one.hints & 8 != 0,
            })
        })
        .collect()
}
