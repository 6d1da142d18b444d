//! Commands with a mark of their own in their arguments, by which their live processes are counted in /proc.
#![allow(dead_code)] // each test program uses only some of the functions

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The longest that a test waits for something to happen.
pub const BOUND: Duration = Duration::from_secs(20);

/// A number of seconds that no other process sleeps for.
pub fn new_mark() -> String {
    static MARKS: AtomicU32 = AtomicU32::new(1);
    format!("619.{}{:04}", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have the mark in their arguments. (A zombie has no arguments.)
pub fn bearers(mark: &str) -> Vec<String> {
    let folders = std::fs::read_dir("/proc").unwrap().filter_map(|folder| Some(folder.ok()?.path()));
    folders
        .filter_map(|folder| {
            let arguments = std::fs::read(folder.join("cmdline")).ok()?;
            String::from_utf8_lossy(&arguments).contains(mark).then(|| folder.display().to_string())
        })
        .collect()
}

pub fn nothing_is_left(mark: &str) {
    assert_eq!(bearers(mark), Vec::<String>::new());
}

pub fn until(condition: impl Fn() -> bool) {
    let end = Instant::now() + BOUND;
    while !condition() {
        assert!(Instant::now() < end, "it took too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A command whose three processes carry the mark: one in the background, one in a session of its own, one in the foreground.
pub fn tree(mark: &str) -> String {
    format!("sleep {0} & setsid sleep {0} & echo ready; sleep {0}", mark)
}
