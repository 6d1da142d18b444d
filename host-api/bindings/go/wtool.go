// Package wtool runs commands that never outlive their call, through a plugin of wtool.
//
//	plugin, err := wtool.Find()
//	defer plugin.Close()
//	result, err := plugin.Run(ctx, "ls -l", wtool.Options{Timeout: 5 * time.Second})
//	fmt.Println(result.ExitCode, result.Stdout)
//
// When a call returns, nothing that its command started is alive. The same holds when its context is cancelled, when the function that
// takes its output panics, and when the process dies.
package wtool

/*
#cgo CFLAGS: -std=gnu11 -Wall -I${SRCDIR}/../../include
#cgo LDFLAGS: -ldl
#include "shim.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime/cgo"
	"strings"
	"sync"
	"time"
	"unsafe"
)

const shell = "shell_execute"

// Tool describes a tool of a plugin.
type Tool struct {
	ID, Title, Version, Description              string
	InputSchema, OutputSchema                    string // JSON Schema 2020-12, as text; OutputSchema may be empty
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Stream is one of the two streams of a command.
type Stream uint32

const (
	Stdout Stream = 1
	Stderr Stream = 2
)

// OnOutput is called while the command runs, on the goroutine that makes the call; if it is slow, the command waits. It may keep the
// bytes. A panic in it stops the call, and continues in Run or Call when no process of the call is left. It must not call
// runtime.Goexit.
type OnOutput func(stream Stream, bytes []byte)

// Options are the options of a shell command. The zero value sets none of them.
type Options struct {
	Timeout  time.Duration     // 0: the configured timeout
	Dir      string            // empty: the working directory of this program
	Env      map[string]string // added to the environment
	Stdin    string
	OnOutput OnOutput
}

// Plugin is a plugin library with its tools. Any goroutines may call the tools, even at the same time. A library can be open only once
// at a time.
type Plugin struct {
	path  string
	entry *C.wtool_entry
	tools []Tool
	made  map[string]*C.wtool_tool

	mutex   sync.Mutex
	closed  bool
	running map[*call]struct{}
	ended   sync.WaitGroup
}

// Find opens the plugin that FindPlugin finds, without a configuration.
func Find() (*Plugin, error) {
	path, err := FindPlugin()
	if err != nil {
		return nil, err
	}
	return Open(path, nil)
}

// Open opens a plugin and configures its tools. The configuration files of the program wtool are not read.
func Open(path string, configuration map[string]any) (*Plugin, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	plugin := &Plugin{path: path, made: map[string]*C.wtool_tool{}, running: map[*call]struct{}{}}
	if err := plugin.open(configuration); err != nil {
		return nil, fmt.Errorf("the plugin %s cannot be used: %w", path, err)
	}
	return plugin, nil
}

func (p *Plugin) open(configuration map[string]any) error {
	if !isFile(p.path) {
		return errors.New("there is no such file")
	}
	if strings.ContainsRune(p.path, 0) {
		return errors.New("its name has a NUL")
	}
	name := C.CString(p.path)
	defer C.free(unsafe.Pointer(name))
	problem := (**C.char)(C.calloc(1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(problem))
	if p.entry = C.shim_open(name, problem); p.entry == nil {
		return errors.New(C.GoString(*problem))
	}
	for i := C.uint32_t(0); i < C.shim_tool_count(p.entry); i++ {
		from := C.shim_tool_at(p.entry, i)
		if from == nil {
			return fmt.Errorf("the descriptor of tool number %d is missing or too small", i)
		}
		p.tools = append(p.tools, Tool{
			ID: text(from.id), Title: text(from.title), Version: text(from.version), Description: text(from.description),
			InputSchema: text(from.input_schema), OutputSchema: text(from.output_schema),
			ReadOnly: from.hints&C.WTOOL_HINT_READ_ONLY != 0, Destructive: from.hints&C.WTOOL_HINT_DESTRUCTIVE != 0,
			Idempotent: from.hints&C.WTOOL_HINT_IDEMPOTENT != 0, OpenWorld: from.hints&C.WTOOL_HINT_OPEN_WORLD != 0,
		})
	}
	config, err := json.Marshal(p.withStdin(configuration))
	if err != nil {
		return fmt.Errorf("the configuration cannot be written as JSON: %w", err)
	}
	answer := C.shim_init(p.entry)
	defer C.shim_release(answer)
	if answer.status != C.WTOOL_OK {
		return fmt.Errorf("it could not be initialised: %s", why(answer))
	}
	for i, tool := range p.tools {
		if err := p.makeTool(C.shim_tool_at(p.entry, C.uint32_t(i)).id, tool.ID, config); err != nil {
			p.end()
			return err
		}
	}
	return nil
}

func (p *Plugin) makeTool(id C.wtool_view, name string, config []byte) error {
	answer := C.shim_tool_new(p.entry, id, start(config), C.size_t(len(config)))
	defer C.shim_release(answer)
	if answer.status != C.WTOOL_OK {
		return fmt.Errorf("the tool %s cannot be made: %s", name, why(answer))
	}
	p.made[name] = answer.tool
	return nil
}

// Tools are the tools of the plugin.
func (p *Plugin) Tools() []Tool { return append([]Tool(nil), p.tools...) }

// Run runs shell text, and returns when no process of it is left. A command that fails gives a result and no error; result.Err() makes
// an error of the result. A context that ends cancels the call; Run then returns the context's error with the result.
func (p *Plugin) Run(ctx context.Context, command string, options Options) (*Result, error) {
	arguments := map[string]any{"command": command}
	if options.Dir != "" {
		arguments["working_directory"] = options.Dir
	}
	if options.Env != nil {
		arguments["environment"] = options.Env
	}
	if options.Stdin != "" {
		arguments["stdin"] = options.Stdin
	}
	var deadline time.Duration
	if options.Timeout != 0 {
		// The tool takes whole seconds, so the deadline of the call enforces a fraction of a second.
		arguments["timeout"] = int64(math.Ceil(options.Timeout.Seconds()))
		if options.Timeout > 0 && options.Timeout%time.Second != 0 {
			deadline = options.Timeout
		}
	}
	return p.call(ctx, shell, arguments, deadline, options.OnOutput)
}

// Call calls a tool and returns when no process of the call is left. The arguments are anything that becomes a JSON object; onOutput may
// be nil. Errors are those of Run.
func (p *Plugin) Call(ctx context.Context, tool string, arguments any, onOutput OnOutput) (*Result, error) {
	return p.call(ctx, tool, arguments, 0, onOutput)
}

// Close ends all running calls, waits for them, and ends the plugin. A second call does nothing. An OnOutput must not call Close.
func (p *Plugin) Close() {
	p.mutex.Lock()
	first := !p.closed
	p.closed = true
	for running := range p.running {
		running.cancel(C.WTOOL_CANCEL_NOW, "the plugin was closed")
	}
	p.mutex.Unlock()
	p.ended.Wait()
	if first {
		p.end()
	}
}

func (p *Plugin) end() {
	for _, tool := range p.made {
		C.shim_destroy(tool)
	}
	C.shim_deinit(p.entry)
}

// A call, from its creation to its end.
type call struct {
	tool     *C.wtool_tool
	handle   *C.wtool_call // nil once it has ended; guarded by the mutex
	mutex    sync.Mutex
	onOutput OnOutput
	panicked bool
	panic    any
}

func (c *call) cancel(how C.uint32_t, reason string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.handle != nil {
		words := []byte(reason)
		C.shim_call_cancel(c.tool, c.handle, how, start(words), C.size_t(len(words)))
	}
}

func (p *Plugin) call(ctx context.Context, tool string, arguments any, deadline time.Duration, onOutput OnOutput) (*Result, error) {
	made, there := p.made[tool]
	if !there {
		var names []string
		for _, known := range p.tools {
			names = append(names, known.ID)
		}
		return nil, fmt.Errorf("there is no tool %q; the tools are %s", tool, strings.Join(names, ", "))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	words, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("the arguments cannot be written as JSON: %w", err)
	}
	one := &call{tool: made, onOutput: onOutput}
	var sink cgo.Handle
	if onOutput != nil {
		sink = cgo.NewHandle(one)
		defer sink.Delete()
	}
	if err := p.begin(one, words, deadline, sink); err != nil {
		return nil, fmt.Errorf("the call of %s could not be made: %w", tool, err)
	}

	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ctx.Done():
			one.cancel(C.WTOOL_CANCEL_GRACEFUL, ctx.Err().Error())
		case <-over:
		}
	}()
	answer := C.shim_call_run(made, one.handle)
	close(over)
	<-watched
	p.finish(one)
	defer C.shim_release(answer)
	if one.panicked {
		panic(one.panic)
	}
	cancelled := answer.status == C.WTOOL_E_CANCELLED
	if answer.status != C.WTOOL_OK && !cancelled || answer.result.release == nil {
		return nil, fmt.Errorf("the call of %s could not be made: %s", tool, why(answer))
	}
	result := readResult(text(answer.result.bytes), cancelled)
	if result == nil {
		return nil, fmt.Errorf("the answer of %s is not a result, which is a defect of the plugin", tool)
	}
	if cancelled && ctx.Err() != nil {
		return result, ctx.Err()
	}
	return result, nil
}

// begin makes the call and records it, so that Close can cancel it even before it runs.
func (p *Plugin) begin(one *call, arguments []byte, deadline time.Duration, sink cgo.Handle) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		return fmt.Errorf("the plugin %s was closed", p.path)
	}
	milliseconds := C.uint64_t((deadline + time.Millisecond - 1) / time.Millisecond)
	answer := C.shim_call_new(one.tool, start(arguments), C.size_t(len(arguments)), milliseconds, C.uintptr_t(sink))
	defer C.shim_release(answer)
	if answer.status != C.WTOOL_OK {
		return errors.New(why(answer))
	}
	one.handle = answer.call
	p.running[one] = struct{}{}
	p.ended.Add(1)
	return nil
}

func (p *Plugin) finish(one *call) {
	p.mutex.Lock()
	delete(p.running, one)
	p.mutex.Unlock()
	one.mutex.Lock()
	C.shim_call_free(one.tool, one.handle)
	one.handle = nil
	one.mutex.Unlock()
	p.ended.Done()
}

//export wtoolTakeOutput
func wtoolTakeOutput(sink C.uintptr_t, kind C.uint32_t, bytes unsafe.Pointer, size C.size_t) (stop C.int32_t) {
	one := cgo.Handle(sink).Value().(*call)
	if one.panicked {
		return 1
	}
	// A panic must not pass through the plugin.
	ended := false
	defer func() {
		if !ended {
			one.panicked, one.panic, stop = true, recover(), 1
		}
	}()
	one.onOutput(Stream(kind), C.GoBytes(bytes, C.int(size)))
	ended = true
	return 0
}

// withStdin lets a shell tool take standard input, unless the configuration says otherwise.
func (p *Plugin) withStdin(configuration map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range configuration {
		all[key] = value
	}
	hasShell := false
	for _, tool := range p.tools {
		hasShell = hasShell || tool.ID == shell
	}
	given, isMap := all["shell"].(map[string]any)
	if _, there := all["shell"]; hasShell && (isMap || !there) {
		merged := map[string]any{"stdin": true}
		for key, value := range given {
			merged[key] = value
		}
		all["shell"] = merged
	}
	return all
}

func start(bytes []byte) *C.char {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.char)(unsafe.Pointer(&bytes[0]))
}

func text(view C.wtool_view) string {
	return string(C.GoBytes(unsafe.Pointer(view.data), C.int(view.size)))
}

func why(answer C.shim_answer) string {
	if answer.error.release == nil {
		return fmt.Sprintf("status %d", answer.status)
	}
	return text(answer.error.bytes)
}
