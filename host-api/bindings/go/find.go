package wtool

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const pluginName = "shell_tools.so"

// FindPlugin returns the path of shell_tools.so. If the variable WTOOL_PLUGIN is set, it names the file. If not, FindPlugin looks in the
// installation of the program wtool in PATH, and then in the folder that pkg-config prints.
func FindPlugin() (string, error) {
	if named := os.Getenv("WTOOL_PLUGIN"); named != "" {
		if !isFile(named) {
			return "", fmt.Errorf("WTOOL_PLUGIN names %q, but there is no such file", named)
		}
		return named, nil
	}
	lookedAt := ""
	for _, place := range []struct {
		what   string
		folder string
	}{{"beside wtool in PATH", besideProgram()}, {"pkg-config", fromPkgConfig()}} {
		if place.folder == "" {
			lookedAt += "\n  " + place.what + ": nothing"
			continue
		}
		file := filepath.Join(place.folder, pluginName)
		if isFile(file) {
			return file, nil
		}
		lookedAt += "\n  " + place.what + ": " + file
	}
	return "", fmt.Errorf("no plugin was found; install wtool, or name the file in WTOOL_PLUGIN or with Open(path). Looked at:%s", lookedAt)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func besideProgram() string {
	program, err := exec.LookPath("wtool")
	if err != nil {
		return ""
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(program), "../lib/wtool")
}

func fromPkgConfig() string {
	answer, err := exec.Command("pkg-config", "--variable=plugindir", "wtool").Output()
	if err != nil {
		return ""
	}
	return unquoted(strings.TrimSpace(string(answer)))
}

// unquoted undoes the quoting of pkg-config, which prints a path as a shell reads it: `a\ folder`.
func unquoted(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}
