// Run commands that never outlive their call, through a plugin of wtool.
//
//   const { run } = require('wtool');
//   const result = await run('ls -l', { timeout: 5 });
//   console.log(result.exitCode, result.stdout);
//
// When a promise is settled, nothing that its command started is alive. index.d.ts has the types; README.md explains them.
'use strict';
const { EventEmitter } = require('node:events');
const path = require('node:path');
const fs = require('node:fs');
const find = require('./find.js');

const OK = 0;
const CANCELLED = 3;
const SHELL = 'shell_execute';

// No call could be made: there is no plugin or no such tool, or the configuration is not valid.
class PluginError extends Error {
  name = 'PluginError';
}

// The command failed, and the caller had asked for { check: true }, or result.check().
class CommandError extends Error {
  name = 'CommandError';
  constructor(result) {
    super([result.message, result.hint].filter(Boolean).join(' '));
    this.result = result;
  }
}

// The answer of a tool.
class Result {
  constructor(answer, cancelled) {
    this.isError = answer.is_error;
    this.content = Array.isArray(answer.content) ? answer.content : [];
    this.metadata = answer.metadata ?? {};
    this.cancelled = cancelled;
  }
  get text() {
    return this.content.map((part) => part.text).filter((text) => text !== undefined).join('\n');
  }
  get stdout() {
    return this.metadata.stdout ?? this.metadata.partial_stdout ?? '';
  }
  get stderr() {
    return this.metadata.stderr ?? this.metadata.partial_stderr ?? '';
  }
  get truncated() {
    return this.metadata.stdout_truncated === true || this.metadata.stderr_truncated === true;
  }
  get exitCode() {
    return this.metadata.exit_code ?? null;
  }
  get errorCode() {
    return this.metadata.error?.code ?? null;
  }
  get message() {
    return this.metadata.error?.message ?? (this.isError ? this.text : '');
  }
  get hint() {
    return this.metadata.error?.hint ?? '';
  }
  check() {
    if (this.isError) throw new CommandError(this);
    return this;
  }
}

// One call: emits 'stdout' and 'stderr' with a Buffer while the command runs. `result` is a promise. An exception in a listener
// stops the call and rejects `result`.
class Call extends EventEmitter {
  #cancel;
  #thrown;
  #aborted;
  #settle;
  #unlisten = () => {};

  constructor(tool, signal, begin) {
    super();
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#cancel = begin({
      output: (stream, bytes) => {
        if (this.#thrown !== undefined) return;
        try {
          this.emit(stream, bytes);
        } catch (thrown) {
          this.#thrown = { value: thrown };
          this.cancel('the reader of its output failed');
        }
      },
      end: (status, answer, error) => {
        this.#unlisten();
        this.#end(tool, status, answer, error);
      },
    });
    if (signal) {
      const abort = () => {
        this.#aborted = { reason: signal.reason };
        this.cancel('its AbortSignal was aborted');
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#unlisten = () => signal.removeEventListener('abort', abort);
    }
  }

  // Asks the call to stop: with SIGTERM first, or `now`. `result` is settled when the call has ended.
  cancel(reason = 'the call was cancelled', { now = false } = {}) {
    this.#cancel(now, String(reason));
  }

  #end(tool, status, answer, error) {
    const { resolve, reject } = this.#settle;
    if (this.#thrown !== undefined) return reject(this.#thrown.value);
    if ((status !== OK && status !== CANCELLED) || answer === null) {
      return reject(new PluginError(`the call of ${tool} could not be made: ${error ?? `status ${status}`}`));
    }
    let result;
    try {
      const parsed = JSON.parse(answer);
      if (typeof parsed.is_error !== 'boolean') throw new TypeError('it has no "is_error"');
      result = new Result(parsed, status === CANCELLED);
    } catch (problem) {
      return reject(new PluginError(`the answer of ${tool} is not a result: ${problem.message}, which is a defect of the plugin`));
    }
    if (this.#aborted !== undefined) return reject(aborted(this.#aborted.reason, result));
    resolve(result);
  }
}

function aborted(reason, result) {
  const error = new Error('The call was aborted', { cause: reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR', result });
}

function addon() {
  try {
    return require('./build/wtool.node');
  } catch (problem) {
    throw new PluginError(`the addon cannot be loaded: ${problem.message}; \`node ${path.join(__dirname, 'build.js')}\` compiles it`);
  }
}

function checkSeconds(name, value) {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number of seconds, not ${String(value)}`);
  if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`${name} must be a number of seconds above 0, not ${value}`);
}

// A plugin library with its tools. `config` is the configuration of the tools; the configuration files of the program `wtool` are not
// read. Only one Plugin can be open in a process at a time.
class Plugin {
  #native = addon();
  #handle;
  #numbers = new Map(); // name of a tool -> its number
  #calls = new Map(); // number of a call -> its receivers
  #running = new Set();
  #open = false;
  #atExit = () => this.#end();

  constructor({ path: file, config = {} } = {}) {
    try {
      this.path = file === undefined ? find.findPlugin() : path.resolve(file);
    } catch (problem) {
      throw problem instanceof TypeError ? problem : new PluginError(problem.message);
    }
    this.tools = {};
    try {
      if (!fs.statSync(this.path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
      const { handle, tools } = this.#native.load(this.path);
      this.#handle = handle;
      tools.forEach((tool, number) => {
        this.#numbers.set(tool.id, number);
        this.tools[tool.id] = {
          id: tool.id,
          title: tool.title,
          version: tool.version,
          description: tool.description,
          inputSchema: JSON.parse(tool.inputSchema),
          outputSchema: tool.outputSchema === '' ? {} : JSON.parse(tool.outputSchema),
          readOnly: (tool.hints & 1) !== 0,
          destructive: (tool.hints & 2) !== 0,
          idempotent: (tool.hints & 4) !== 0,
          openWorld: (tool.hints & 8) !== 0,
        };
      });
      const all = this.#numbers.has(SHELL) ? { ...config, shell: { stdin: true, ...config.shell } } : config;
      this.#native.start(this.#handle, JSON.stringify(all), (number, what, ...rest) => {
        const receivers = this.#calls.get(number);
        if (what === 'end') this.#calls.delete(number);
        receivers?.[what](...rest);
      });
    } catch (problem) {
      throw new PluginError(`the plugin ${this.path} cannot be used: ${problem.message}`);
    }
    this.#open = true;
    process.on('exit', this.#atExit);
  }

  get closed() {
    return !this.#open;
  }

  // Runs shell text, and settles when no process of it is left. A command that fails gives a result or, with `check`, a CommandError.
  async run(command, { timeout, cwd, env, input, check = false, ...options } = {}) {
    const args = { command, working_directory: cwd, environment: env, stdin: input };
    let { deadline } = options;
    if (timeout !== undefined) {
      checkSeconds('timeout', timeout);
      args.timeout = Math.ceil(timeout); // the tool takes whole seconds
      if (args.timeout !== timeout) deadline = Math.min(timeout, deadline ?? timeout);
    }
    const result = await this.call(SHELL, args, { ...options, deadline });
    return check ? result.check() : result;
  }

  // Calls a tool. `onOutput(stream, bytes)` is called while it runs. `deadline` is in seconds. An aborted `signal` cancels the call, and
  // rejects the promise with an AbortError when no process of the call is left.
  async call(tool, args = {}, { deadline, signal, onOutput } = {}) {
    if (signal?.aborted) throw aborted(signal.reason);
    const call = this.#start(tool, args, deadline, signal, onOutput !== undefined);
    if (onOutput !== undefined) {
      for (const stream of ['stdout', 'stderr']) call.on(stream, (bytes) => onOutput(stream, bytes));
    }
    return call.result;
  }

  // Like call(), but returns the Call, for its events and its cancel().
  start(tool, args = {}, { deadline, signal } = {}) {
    if (signal?.aborted) throw aborted(signal.reason);
    return this.#start(tool, args, deadline, signal, true);
  }

  #start(tool, args, deadline, signal, wantsOutput) {
    if (!this.#open) throw new PluginError(`the plugin ${this.path} was closed`);
    const number = this.#numbers.get(tool);
    if (number === undefined) {
      throw new PluginError(`there is no tool '${String(tool)}'; the tools are ${[...this.#numbers.keys()].join(', ')}`);
    }
    if (deadline !== undefined) checkSeconds('deadline', deadline);
    const text = JSON.stringify(args);
    if (typeof text !== 'string') throw new TypeError(`the arguments must be an object, not ${String(args)}`);
    const milliseconds = deadline === undefined ? 0 : Math.min(Math.max(1, Math.round(deadline * 1000)), Number.MAX_SAFE_INTEGER);
    const call = new Call(tool, signal, (receivers) => {
      let id;
      try {
        id = this.#native.call(this.#handle, number, text, milliseconds, wantsOutput);
      } catch (problem) {
        throw new PluginError(problem.message);
      }
      this.#calls.set(id, receivers);
      return (now, reason) => this.#native.cancel(this.#handle, id, now, reason);
    });
    this.#running.add(call);
    const ended = () => this.#running.delete(call);
    call.result.then(ended, ended);
    return call;
  }

  // Ends all calls that are still running, waits for them, and then ends the plugin. A second call does nothing.
  async close() {
    if (!this.#open) return;
    this.#open = false;
    for (const call of this.#running) call.cancel('the plugin was closed', { now: true });
    await Promise.allSettled([...this.#running].map((call) => call.result));
    this.#end();
  }

  #end() {
    this.#open = false;
    process.off('exit', this.#atExit);
    this.#native.close(this.#handle);
  }
}

let shared;

// The plugin that findPlugin() finds, opened at the first use and closed when the process ends.
function defaultPlugin() {
  if (shared === undefined || shared.closed) shared = new Plugin();
  return shared;
}

// Plugin.run() of the default plugin.
async function run(command, options) {
  return defaultPlugin().run(command, options);
}

exports.Call = Call;
exports.CommandError = CommandError;
exports.Plugin = Plugin;
exports.PluginError = PluginError;
exports.Result = Result;
exports.defaultPlugin = defaultPlugin;
exports.findPlugin = find.findPlugin;
exports.run = run;
