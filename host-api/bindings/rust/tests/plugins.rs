//! Opens and closes plugins. Only one can be open at a time, so this is one test, in a process of its own.

mod common;

use common::*;
use std::os::unix::fs::PermissionsExt;
use wtool::{find_plugin, Json, Plugin};

fn config(text: &str) -> Json {
    Json::parse(text).unwrap()
}

#[test]
fn plugins_are_opened_and_closed() {
    // A configuration is obeyed, and a second plugin cannot be opened.
    let path = find_plugin().unwrap();
    let plugin = Plugin::open(&path, &config(r#"{"commands": {"deny": ["uname"], "interactive": ["sleep"]}}"#)).unwrap();
    assert_eq!(plugin.shell("uname").run().unwrap().error_code(), Some("policy_denied"));
    let error = Plugin::find().err().unwrap().to_string();
    assert!(error.contains("could not be initialised"), "{}", error);

    // A terminal ends with its plugin.
    let mark = new_mark();
    let started = plugin.call("pty_start").argument("command", format!("sleep {}", mark)).run().unwrap();
    assert!(!started.is_error(), "{}", started.text());
    until(|| !bearers(&mark).is_empty());
    drop(plugin);
    nothing_is_left(&mark);

    // The error names what is wrong with a configuration, and the plugin stays usable.
    let error = Plugin::open(&path, &config(r#"{"no_such_key": 1}"#)).err().unwrap().to_string();
    assert!(error.contains("no_such_key"), "{}", error);
    for text in ["5", "null", r#"{"shell": 5}"#] {
        assert!(Plugin::open(&path, &config(text)).is_err(), "{}", text);
    }
    let plugin = Plugin::find().unwrap();
    assert_eq!(plugin.shell("echo x").run().unwrap().stdout(), "x\n");
    drop(plugin);

    // Files that are not plugins are refused.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let libc = maps.split_whitespace().find(|word| word.contains("/libc.so") || word.contains("/libc-")).unwrap();
    for file in ["/nowhere.so", "/", "Cargo.toml", libc, "a\0b"] {
        let error = Plugin::open(file, &config("{}")).err().unwrap().to_string();
        assert!(error.contains("cannot be used"), "{}", error);
    }

    // The plugin is found in each place where it is looked for.
    let (search, named) = (std::env::var_os("PATH"), std::env::var_os("WTOOL_PLUGIN"));
    std::env::set_var("WTOOL_PLUGIN", "/nowhere.so");
    assert!(find_plugin().unwrap_err().to_string().contains("WTOOL_PLUGIN names \"/nowhere.so\""));
    std::env::remove_var("WTOOL_PLUGIN");
    let folder = std::env::temp_dir().join(format!("wtool-find-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    std::env::set_var("PATH", &folder);
    let not_found = find_plugin();
    std::fs::write(folder.join("bin/wtool"), "").unwrap();
    std::os::unix::fs::symlink(folder.join("bin/wtool"), folder.join("wtool")).unwrap();
    std::os::unix::fs::symlink(path.parent().unwrap().parent().unwrap(), folder.join("lib")).unwrap();
    let found = find_plugin().map(|found| found.canonicalize().unwrap());
    std::fs::remove_file(folder.join("wtool")).unwrap();
    std::os::unix::fs::symlink(path.ancestors().nth(3).unwrap(), folder.join("a folder")).unwrap();
    let script = format!("#!/bin/sh\nprintf '%s\\n' '{}/a\\ folder/lib/wtool'\n", folder.display());
    std::fs::write(folder.join("pkg-config"), script).unwrap();
    std::fs::set_permissions(folder.join("pkg-config"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = find_plugin().map(|found| found.canonicalize().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    std::env::set_var("PATH", search.unwrap());
    std::env::set_var("WTOOL_PLUGIN", named.unwrap());
    assert!(not_found.unwrap_err().to_string().contains("no plugin was found"));
    assert_eq!(found.unwrap(), path.canonicalize().unwrap());
    assert_eq!(told.unwrap(), path.canonicalize().unwrap());
}
