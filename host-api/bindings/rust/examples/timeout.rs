use std::time::Duration;

fn main() -> Result<(), wtool::Error> {
    let plugin = wtool::Plugin::find()?;
    let command = "sleep 600 & setsid sleep 600 & echo started; sleep 600";
    let outcome = plugin.shell(command).timeout(Duration::from_secs(1)).run()?;
    println!("{}", outcome.error_code().unwrap_or("none")); // timed_out
    print!("{}", outcome.stdout()); // started
    Ok(()) // All three are dead now, the one in a session of its own too.
}
