//! Calls of a real plugin, which WTOOL_PLUGIN names. All tests share it.

mod common;

use common::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::sync::{mpsc, Barrier, Mutex};
use std::time::Duration;
use wtool::{Json, Plugin, Stream};

fn plugin() -> &'static Plugin {
    static SHARED: Mutex<Option<&'static Plugin>> = Mutex::new(None);
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    shared.get_or_insert_with(|| Box::leak(Box::new(Plugin::find().unwrap())))
}

#[test]
fn a_command_gives_its_output_and_exit_code() {
    let outcome = plugin().shell("echo out; echo err >&2").run().unwrap();
    assert_eq!((outcome.stdout(), outcome.stderr(), outcome.exit_code()), ("out\n", "err\n", Some(0)));
    assert!(!outcome.is_error() && outcome.error_code().is_none());
}

#[test]
fn a_command_that_fails_is_an_outcome() {
    let outcome = plugin().shell("echo before; exit 3").run().unwrap();
    assert_eq!((outcome.stdout(), outcome.exit_code(), outcome.error_code()), ("before\n", Some(3), Some("exit_nonzero")));
    assert!(outcome.is_error() && !outcome.message().is_empty());
}

#[test]
fn directory_environment_and_input() {
    let folder = std::env::temp_dir().canonicalize().unwrap();
    let call = plugin().shell("pwd; echo $A $B; cat").current_dir(&folder).env("A", "a\"\n").env("B", "b").stdin("text");
    assert_eq!(call.run().unwrap().stdout(), format!("{}\na\" b\ntext", folder.display()));
}

#[test]
fn a_directory_that_is_not_utf_8_is_an_error() {
    // With U+FFFD in place of the byte, this would be the folder that exists.
    let folder = std::env::temp_dir().join(format!("wtool-{}-\u{fffd}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let mut bytes = folder.as_os_str().as_bytes().to_vec();
    bytes.truncate(bytes.len() - "\u{fffd}".len());
    bytes.push(0xff);
    let answer = plugin().shell("pwd").current_dir(OsStr::from_bytes(&bytes)).run().map(|outcome| outcome.stdout().to_owned());
    std::fs::remove_dir(&folder).unwrap();
    assert!(answer.unwrap_err().to_string().contains("is not UTF-8"));
}

#[test]
fn a_timeout_leaves_nothing() {
    for milliseconds in [1000, 500] {
        let mark = new_mark();
        let outcome = plugin().shell(&tree(&mark)).timeout(Duration::from_millis(milliseconds)).run().unwrap();
        nothing_is_left(&mark);
        assert_eq!((outcome.error_code(), outcome.exit_code(), outcome.stdout()), (Some("timed_out"), None, "ready\n"));
        assert!(outcome.hint().contains("timeout"));
    }
}

#[test]
fn of_a_timeout_and_a_deadline_the_smaller_counts() {
    let (short, long) = (Duration::from_millis(500), Duration::from_millis(60_500));
    for call in [
        plugin().shell("sleep 61").timeout(short).deadline(long),
        plugin().shell("sleep 61").deadline(long).timeout(short),
        plugin().shell("sleep 61").timeout(long).deadline(short),
        plugin().shell("sleep 61").deadline(short).timeout(long),
    ] {
        assert_eq!(call.run().unwrap().error_code(), Some("timed_out"));
    }
}

#[test]
fn what_is_given_twice_is_replaced() {
    let folder = std::env::temp_dir().canonicalize().unwrap();
    let call = plugin().shell("pwd; echo $A $B; cat").current_dir("/nowhere").current_dir(&folder);
    let call = call.env("A", "1").env("B", "2").env("A", "3").stdin("first").stdin("second");
    let outcome = call.timeout(Duration::from_nanos(1)).timeout(BOUND).run().unwrap();
    assert_eq!(outcome.stdout(), format!("{}\n3 2\nsecond", folder.display()));
}

#[test]
fn several_mebibytes_of_output_come_whole() {
    let size = 4 << 20;
    let (mut out, mut err) = (0, 0);
    let command = format!("head -c {0} /dev/zero; head -c {0} /dev/zero >&2", size);
    let call = plugin().shell(&command).on_output(|stream, bytes| match stream {
        Stream::Stdout => out += bytes.len(),
        Stream::Stderr => err += bytes.len(),
    });
    let outcome = call.run().unwrap();
    assert_eq!((out, err), (size, size));
    assert_eq!(outcome.metadata("stdout_bytes").and_then(Json::as_f64), Some(size as f64));
    assert!(outcome.truncated());
}

#[test]
fn an_outcome_tells_whether_either_output_has_a_gap() {
    for (command, truncated) in [("echo x; echo y >&2", false), ("seq 300000", true), ("seq 300000 >&2", true)] {
        assert_eq!(plugin().shell(command).run().unwrap().truncated(), truncated, "{}", command);
    }
}

#[test]
fn arguments_that_no_tool_takes_are_outcomes() {
    let deep = "[".repeat(100_000);
    for text in ["", "{", "null", "[]", "{}", r#"{"command": 5}"#, r#"{"nonsense": 1}"#, r#"{"command": "\ud800"}"#, "\0", &deep] {
        let outcome = plugin().call("shell_execute").arguments_text(text).run().unwrap();
        assert_eq!(outcome.error_code(), Some("invalid_parameters"), "{:.50}", text);
    }
    for timeout in [Duration::from_secs(0), Duration::from_secs(u64::MAX), Duration::MAX] {
        assert_eq!(plugin().shell("true").timeout(timeout).run().unwrap().error_code(), Some("invalid_parameters"));
    }
    assert_eq!(plugin().shell("a\0b").run().unwrap().error_code(), Some("invalid_parameters"));
    assert!(!plugin().shell("true").deadline(Duration::MAX).run().unwrap().is_error());
}

#[test]
fn every_tool_can_be_called() {
    assert!(plugin().tools().iter().any(|tool| tool.id == "shell_execute" && Json::parse(&tool.input_schema).is_some()));
    assert_eq!(plugin().call("pty_list").run().unwrap().metadata("terminals"), Some(&Json::Array(vec![])));
    let error = plugin().call("shell").run().unwrap_err().to_string();
    assert!(error.starts_with("there is no tool \"shell\"; the tools are shell_execute"), "{}", error);
}

#[test]
fn calls_of_many_threads_run_beside_one_another() {
    let meeting = Barrier::new(8); // passes only when all calls run at the same time
    std::thread::scope(|scope| {
        for number in 0..8 {
            let meeting = &meeting;
            scope.spawn(move || {
                let call = plugin().shell(&format!("echo {}", number)).on_output(|_, _| {
                    meeting.wait();
                });
                assert_eq!(call.run().unwrap().stdout(), format!("{}\n", number));
            });
        }
    });
}

#[test]
fn another_thread_cancels() {
    let mark = new_mark();
    let (ready, is_ready) = mpsc::channel();
    let command = tree(&mark);
    let call = plugin().shell(&command).on_output(move |_, _| ready.send(()).unwrap());
    let canceller = call.canceller();
    let thread = std::thread::spawn({
        let canceller = canceller.clone();
        move || {
            is_ready.recv().unwrap();
            canceller.cancel("enough");
        }
    });
    let outcome = call.run().unwrap();
    nothing_is_left(&mark);
    assert!(outcome.cancelled() && outcome.text().contains("enough"));
    assert_eq!(outcome.stdout(), "ready\n");
    thread.join().unwrap();
    canceller.cancel_now("after its end it does nothing");
}

#[test]
fn a_call_that_is_cancelled_before_it_begins_starts_nothing() {
    let call = plugin().shell("echo started");
    call.canceller().cancel("not needed");
    let outcome = call.run().unwrap();
    assert!(outcome.cancelled() && outcome.stdout().is_empty() && outcome.text().contains("not needed"));
}

#[test]
fn a_panic_of_the_reader_stops_the_call_and_is_passed_on() {
    let mark = new_mark();
    let command = tree(&mark);
    let call = plugin().shell(&command).on_output(|_, _| panic!("mine"));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call.run())).unwrap_err();
    nothing_is_left(&mark);
    assert_eq!(caught.downcast_ref(), Some(&"mine"));
}

#[test]
fn what_is_shared_between_threads_may_be() {
    fn sent_and_shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    sent_and_shared::<Plugin>();
    sent_and_shared::<wtool::Canceller>();
    sent_and_shared::<wtool::Outcome>();
    sent_and_shared::<wtool::Error>();
    sent::<wtool::Call<'static>>();
}

/// Not a test, but the process that the next test starts.
#[test]
#[ignore]
fn child() {
    let _ = plugin().shell(&std::env::var("COMMAND").unwrap()).run();
}

#[test]
fn a_killed_process_leaves_nothing() {
    let mark = new_mark();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child"])
        .env("COMMAND", tree(&mark))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(|| bearers(&mark).len() >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    until(|| bearers(&mark).is_empty());
}

#[test]
fn the_example_leaves_nothing() {
    let text = include_str!("../examples/timeout.rs");
    assert!(text.lines().count() < 15);
    let mark = new_mark();
    let folder = std::env::temp_dir().join(format!("wtool-example-{}", std::process::id()));
    let built = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let libraries = std::fs::read_dir(built).unwrap().map(|file| file.unwrap().path());
    let libraries =
        libraries.filter(|path| path.extension().map_or(false, |end| end == "rlib") && path.display().to_string().contains("/libwtool-"));
    let library = libraries.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("example.rs"), text.replace("600", &mark)).unwrap();
    let compiled = Command::new("rustc")
        .args(["--edition", "2021", "example.rs", "--extern"])
        .arg(format!("wtool={}", library.display()))
        .current_dir(&folder)
        .status();
    let ran = Command::new(folder.join("example")).output();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(compiled.unwrap().success());
    nothing_is_left(&mark);
    assert_eq!(String::from_utf8(ran.unwrap().stdout).unwrap(), "timed_out\nstarted\n");
}
