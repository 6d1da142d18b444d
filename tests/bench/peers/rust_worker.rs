// The worker for Rust's std::process: way.h describes its protocol. Usage: rust_worker PROGRAM
use std::io::BufRead;
use std::process::Command;
use std::time::Instant;

fn main() {
    let program = std::env::args().nth(1).expect("usage: rust_worker PROGRAM");
    let touched = std::hint::black_box(vec![1u8; 10 * 1024 * 1024]);
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a request");
        let count: usize = line.trim_start_matches("run ").parse().unwrap_or(0);
        let mut reply = String::from("took");
        for _ in 0..count {
            let began = Instant::now();
            // output() captures both streams and gives the program nothing to read.
            match Command::new(&program).output() {
                Ok(output) if output.status.success() => {
                    reply += &format!(" {}", began.elapsed().as_nanos());
                }
                _ => {
                    reply = format!("failed {program} failed");
                    break;
                }
            }
        }
        println!("{reply}");
    }
    drop(touched);
}
