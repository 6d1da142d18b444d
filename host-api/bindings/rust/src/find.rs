//! Where the plugin is.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "shell_tools.so";

/// The path of `shell_tools.so`. If the variable `WTOOL_PLUGIN` is set, it names the file. If not, this looks in the installation of the
/// program `wtool` in `PATH`, and then in the folder that `pkg-config` prints.
pub fn find_plugin() -> Result<PathBuf, Error> {
    if let Some(named) = std::env::var_os("WTOOL_PLUGIN").filter(|name| !name.is_empty()) {
        let named = PathBuf::from(named);
        if named.is_file() {
            return Ok(named);
        }
        return Err(Error::new(format!("WTOOL_PLUGIN names {:?}, but there is no such file", named)));
    }
    let mut looked_at = String::new();
    for (what, folder) in [("beside wtool in PATH", beside_program()), ("pkg-config", from_pkg_config())] {
        let file = folder.map(|folder| folder.join(NAME));
        match file {
            Some(file) if file.is_file() => return Ok(file),
            Some(file) => looked_at += &format!("\n  {}: {}", what, file.display()),
            None => looked_at += &format!("\n  {}: nothing", what),
        }
    }
    Err(Error::new(format!(
        "no plugin was found; install wtool, or name the file in WTOOL_PLUGIN or with Plugin::open(path). Looked at:{}",
        looked_at
    )))
}

fn beside_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path).map(|folder| folder.join("wtool")).find(|program| program.is_file())?;
    let program = program.canonicalize().ok()?;
    Some(program.parent().and_then(Path::parent)?.join("lib/wtool"))
}

fn from_pkg_config() -> Option<PathBuf> {
    let answer = Command::new("pkg-config").args(["--variable=plugindir", "wtool"]).stderr(Stdio::null()).output().ok()?;
    let folder = String::from_utf8(answer.stdout).ok()?;
    Some(unquoted(folder.trim())).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Undoes the quoting of pkg-config, which prints a path as a shell reads it: `a\ folder`.
fn unquoted(text: &str) -> String {
    let mut characters = text.chars();
    let mut plain = String::new();
    while let Some(character) = characters.next() {
        plain.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    plain
}
