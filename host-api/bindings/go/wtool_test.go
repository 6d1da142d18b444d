package wtool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wtool"
)

// Calls of a real plugin, which WTOOL_PLUGIN names. Each command has a mark of its own in its arguments, by which its live processes are
// counted in /proc. The tests run one after another, because only one plugin can be open at a time.

const bound = 20 * time.Second // the longest that a test waits for something to happen

var (
	background = context.Background()
	marks      = 0
)

// newMark is a number of seconds that no other process sleeps for.
func newMark() string {
	marks++
	return fmt.Sprintf("620.%d%04d", os.Getpid(), marks)
}

// bearers are the processes that have the mark in their arguments. (A zombie has no arguments.)
func bearers(mark string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		if arguments, err := os.ReadFile(file); err == nil && bytes.Contains(arguments, []byte(mark)) {
			found = append(found, file)
		}
	}
	return found
}

func nothingIsLeft(t *testing.T, mark string) {
	t.Helper()
	if found := bearers(mark); len(found) != 0 {
		t.Error("left:", found)
	}
}

func until(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(bound); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it took too long")
		}
	}
}

// tree is a command whose three processes carry the mark: one in the background, one in a session of its own, one in the foreground.
func tree(mark string) string {
	return fmt.Sprintf("sleep %[1]s & setsid sleep %[1]s & echo ready; sleep %[1]s", mark)
}

func open(t *testing.T, configuration map[string]any) *wtool.Plugin {
	t.Helper()
	path, err := wtool.FindPlugin()
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := wtool.Open(path, configuration)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plugin.Close)
	return plugin
}

func run(t *testing.T, plugin *wtool.Plugin, command string, options wtool.Options) *wtool.Result {
	t.Helper()
	result, err := plugin.Run(background, command, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func equal(t *testing.T, got, expected any) {
	t.Helper()
	if got != expected {
		t.Errorf("got %#v, expected %#v", got, expected)
	}
}

func TestACommandGivesItsOutputAndExitCode(t *testing.T) {
	result := run(t, open(t, nil), "echo out; echo err >&2", wtool.Options{})
	equal(t, result.Stdout, "out\n")
	equal(t, result.Stderr, "err\n")
	equal(t, result.ExitCode, 0)
	equal(t, result.Err(), nil)
}

func TestACommandThatFailsIsAResult(t *testing.T) {
	result := run(t, open(t, nil), "echo before; exit 3", wtool.Options{})
	equal(t, result.Stdout, "before\n")
	equal(t, result.ExitCode, 3)
	equal(t, result.ErrorCode, "exit_nonzero")
	var failure *wtool.CommandError
	equal(t, errors.As(result.Err(), &failure) && failure.Result == result, true)
}

func TestDirectoryEnvironmentAndInput(t *testing.T) {
	folder, _ := filepath.EvalSymlinks(t.TempDir())
	options := wtool.Options{Dir: folder, Env: map[string]string{"COLOUR": "blue"}, Stdin: "text"}
	equal(t, run(t, open(t, nil), "pwd; echo $COLOUR; cat", options).Stdout, folder+"\nblue\ntext")
}

func TestATimeoutLeavesNothing(t *testing.T) {
	plugin := open(t, nil)
	for _, timeout := range []time.Duration{time.Second, time.Second / 2} {
		mark := newMark()
		result := run(t, plugin, tree(mark), wtool.Options{Timeout: timeout})
		nothingIsLeft(t, mark)
		equal(t, result.ErrorCode, "timed_out")
		equal(t, result.ExitCode, -1)
		equal(t, result.Stdout, "ready\n")
	}
}

func TestSeveralMebibytesOfOutputComeWhole(t *testing.T) {
	const size = 4 << 20
	received := map[wtool.Stream]int{}
	command := fmt.Sprintf("head -c %[1]d /dev/zero; head -c %[1]d /dev/zero >&2", size)
	result := run(t, open(t, nil), command, wtool.Options{OnOutput: func(stream wtool.Stream, bytes []byte) { received[stream] += len(bytes) }})
	equal(t, received[wtool.Stdout], size)
	equal(t, received[wtool.Stderr], size)
	equal(t, result.Metadata["stdout_bytes"], float64(size))
	equal(t, result.Truncated, true)
}

func TestAResultTellsWhetherEitherOutputHasAGap(t *testing.T) {
	plugin := open(t, nil)
	for command, truncated := range map[string]bool{"echo x; echo y >&2": false, "seq 300000": true, "seq 300000 >&2": true} {
		equal(t, run(t, plugin, command, wtool.Options{}).Truncated, truncated)
	}
}

func TestArgumentsThatNoToolTakesAreResultsOrErrors(t *testing.T) {
	plugin := open(t, nil)
	for _, arguments := range []any{nil, 5, "text", []int{}, map[string]any{}, map[string]any{"command": 5}, map[string]any{"nonsense": 1},
		map[string]any{"command": "a\x00b"}, map[string]any{"command": "true", "timeout": -1}} {
		result, err := plugin.Call(background, "shell_execute", arguments, nil)
		if err != nil || result.ErrorCode != "invalid_parameters" {
			t.Error(arguments, result, err)
		}
	}
	equal(t, run(t, plugin, "true", wtool.Options{Timeout: -time.Second}).ErrorCode, "invalid_parameters")
	equal(t, run(t, plugin, "true", wtool.Options{Timeout: 1<<63 - 1}).ErrorCode, "invalid_parameters")
	if _, err := plugin.Call(background, "shell_execute", make(chan int), nil); err == nil {
		t.Error("a channel became JSON")
	}
	_, err := plugin.Call(background, "shell", nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `there is no tool "shell"; the tools are shell_execute`) {
		t.Error(err)
	}
	result, err := plugin.Call(background, "pty_list", nil, nil)
	if err != nil || len(result.Metadata["terminals"].([]any)) != 0 {
		t.Error(result, err)
	}
}

func TestCallsRunBesideOneAnother(t *testing.T) {
	plugin := open(t, nil)
	var meeting, all sync.WaitGroup // the meeting passes only when all calls run at the same time
	meeting.Add(8)
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func(expected string) {
			defer all.Done()
			result, err := plugin.Run(background, "echo "+expected, wtool.Options{OnOutput: func(wtool.Stream, []byte) {
				meeting.Done()
				meeting.Wait()
			}})
			if err != nil || result.Stdout != expected+"\n" {
				t.Error(result, err)
			}
		}(fmt.Sprint(i))
	}
	all.Wait()
}

func TestAContextThatEndsCancelsTheCallFirst(t *testing.T) {
	plugin := open(t, nil)
	mark := newMark()
	ctx, cancel := context.WithCancel(background)
	result, err := plugin.Run(ctx, tree(mark), wtool.Options{OnOutput: func(wtool.Stream, []byte) { cancel() }})
	nothingIsLeft(t, mark)
	if !errors.Is(err, context.Canceled) || !result.Cancelled || result.Stdout != "ready\n" {
		t.Error(result, err)
	}
	if result, err := plugin.Run(ctx, "true", wtool.Options{}); result != nil || !errors.Is(err, context.Canceled) {
		t.Error(result, err)
	}
	ctx, cancel = context.WithTimeout(background, 200*time.Millisecond)
	defer cancel()
	if _, err := plugin.Run(ctx, tree(mark), wtool.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	nothingIsLeft(t, mark)
}

func TestAPanicOfTheReaderStopsTheCallAndIsPassedOn(t *testing.T) {
	plugin := open(t, nil)
	mark := newMark()
	defer func() {
		equal(t, recover(), "mine")
		nothingIsLeft(t, mark)
		equal(t, run(t, plugin, "echo x", wtool.Options{}).Stdout, "x\n")
	}()
	plugin.Run(background, tree(mark), wtool.Options{OnOutput: func(wtool.Stream, []byte) { panic("mine") }})
}

func TestClosingEndsWhatRuns(t *testing.T) {
	plugin := open(t, nil)
	mark := newMark()
	ready := make(chan struct{})
	results := make(chan *wtool.Result)
	go func() {
		result, _ := plugin.Run(background, tree(mark), wtool.Options{OnOutput: func(wtool.Stream, []byte) { close(ready) }})
		results <- result
	}()
	<-ready
	plugin.Close()
	plugin.Close()
	nothingIsLeft(t, mark)
	equal(t, (<-results).Cancelled, true)
	if _, err := plugin.Run(background, "true", wtool.Options{}); err == nil || !strings.Contains(err.Error(), "was closed") {
		t.Error(err)
	}
}

func TestConfigurationsAndPlugins(t *testing.T) {
	plugin := open(t, map[string]any{"commands": map[string]any{"deny": []string{"uname"}}})
	equal(t, run(t, plugin, "uname", wtool.Options{}).ErrorCode, "policy_denied")
	expect := func(path string, configuration map[string]any, part string) {
		t.Helper()
		if _, err := wtool.Open(path, configuration); err == nil || !strings.Contains(err.Error(), part) {
			t.Error(path, err)
		}
	}
	path, _ := wtool.FindPlugin()
	expect(path, nil, "could not be initialised")
	plugin.Close()
	expect(path, map[string]any{"no_such_key": 1}, "no_such_key")
	expect(path, map[string]any{"shell": 5}, "shell")
	maps, _ := os.ReadFile("/proc/self/maps")
	libc := ""
	for _, word := range strings.Fields(string(maps)) {
		if strings.Contains(word, "/libc.so") || strings.Contains(word, "/libc-") {
			libc = word
		}
	}
	for _, file := range []string{"/nowhere.so", "/", "go.mod", libc, "a\x00b"} {
		expect(file, nil, "cannot be used")
	}
	equal(t, run(t, open(t, nil), "echo x", wtool.Options{}).Stdout, "x\n")
}

func TestThePluginIsFound(t *testing.T) {
	plugin, folder := os.Getenv("WTOOL_PLUGIN"), t.TempDir()
	t.Setenv("WTOOL_PLUGIN", "/nowhere.so")
	if _, err := wtool.FindPlugin(); err == nil || !strings.Contains(err.Error(), `WTOOL_PLUGIN names "/nowhere.so"`) {
		t.Error(err)
	}
	t.Setenv("WTOOL_PLUGIN", "")
	t.Setenv("PATH", folder)
	if _, err := wtool.FindPlugin(); err == nil || !strings.Contains(err.Error(), "no plugin was found") {
		t.Error(err)
	}
	program := filepath.Join(folder, "bin/wtool")
	for _, err := range []error{
		os.Mkdir(filepath.Dir(program), 0o755), os.WriteFile(program, nil, 0o755), os.Symlink(program, filepath.Join(folder, "wtool")),
		os.Symlink(filepath.Join(filepath.Dir(plugin), ".."), filepath.Join(folder, "lib")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	isFound := func() {
		t.Helper()
		found, err := wtool.FindPlugin()
		if err != nil {
			t.Fatal(err)
		}
		there, _ := filepath.EvalSymlinks(found)
		expected, _ := filepath.EvalSymlinks(plugin)
		equal(t, there, expected)
	}
	isFound()
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' '%s/a\\ folder/lib/wtool'\n", folder)
	for _, err := range []error{
		os.Remove(filepath.Join(folder, "wtool")), os.Symlink(filepath.Join(filepath.Dir(plugin), "../.."), filepath.Join(folder, "a folder")),
		os.WriteFile(filepath.Join(folder, "pkg-config"), []byte(script), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	isFound()
}

// TestChild is not a test, but the process that the next test starts.
func TestChild(t *testing.T) {
	if command := os.Getenv("WTOOL_CHILD_COMMAND"); command != "" {
		run(t, open(t, nil), command, wtool.Options{})
	}
}

func TestAKilledProcessLeavesNothing(t *testing.T) {
	mark := newMark()
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "WTOOL_CHILD_COMMAND="+tree(mark))
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return len(bearers(mark)) >= 3 })
	child.Process.Kill()
	child.Wait()
	until(t, func() bool { return len(bearers(mark)) == 0 })
}

func TestTheExampleLeavesNothing(t *testing.T) {
	text, err := os.ReadFile("examples/timeout/timeout.go")
	if err != nil || bytes.Count(text, []byte("\n")) >= 15 {
		t.Fatal(err, "or too long")
	}
	mark, folder := newMark(), t.TempDir()
	source, program := filepath.Join(folder, "timeout.go"), filepath.Join(folder, "timeout")
	os.WriteFile(source, bytes.ReplaceAll(text, []byte("600"), []byte(mark)), 0o644)
	if said, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatal(string(said), err)
	}
	out, err := exec.Command(program).Output()
	nothingIsLeft(t, mark)
	if err != nil || string(out) != "timed_out\nstarted\n" {
		t.Error(string(out), err)
	}
}
