// Tests the package with a real plugin, which WTOOL_PLUGIN names. Each command has a mark of its own in its arguments, by which its live
// processes are counted in /proc. node:test is not used: it would run this file in a process of its own, and Node 18 to 24 name its
// options differently.
'use strict';
const assert = require('node:assert/strict');
const { spawn, execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { CommandError, Plugin, PluginError, defaultPlugin, findPlugin, run } = require('..');

const BOUND = 20_000; // milliseconds: the longest that a test waits for something to happen
const here = path.join(__dirname, '..');
let marks = 0;

// A number of seconds that no other process sleeps for.
const newMark = () => `618.${process.pid}${String((marks += 1)).padStart(4, '0')}`;

// The processes that have the mark in their arguments. (A zombie has no arguments.)
function bearers(mark) {
  return fs.readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && fs.readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}
const nothingIsLeft = (mark) => assert.deepEqual(bearers(mark), []);

async function until(condition) {
  const end = Date.now() + BOUND;
  while (!condition()) {
    assert.ok(Date.now() < end, 'it took too long');
    await sleep(10);
  }
}

// A command whose three processes carry the mark: one in the background, one in a session of its own, one in the foreground.
const tree = (mark) => `sleep ${mark} & setsid sleep ${mark} & echo ready; sleep ${mark}`;

// Another Node, whose own arguments do not carry the mark.
function script(text, mark, stdio = ['pipe', 'pipe', 'inherit'], first = '') {
  return spawn(process.execPath, ['-e', text], { cwd: here, env: { ...process.env, COMMAND: first + tree(mark) }, stdio });
}

const tests = {
  async 'a command gives its output and exit code'() {
    const result = await run('echo out; echo err >&2');
    assert.deepEqual([result.stdout, result.stderr, result.exitCode, result.isError, result.errorCode], ['out\n', 'err\n', 0, false, null]);
    assert.equal(result.check(), result);
  },

  async 'a command that fails is a result'() {
    const result = await run('echo before; exit 3');
    assert.deepEqual([result.stdout, result.exitCode, result.isError, result.errorCode], ['before\n', 3, true, 'exit_nonzero']);
    await assert.rejects(run('exit 3', { check: true }), (error) => error instanceof CommandError && error.result.exitCode === 3);
  },

  async 'directory, environment and input'() {
    const result = await run('pwd; echo $COLOUR; cat', { cwd: os.tmpdir(), env: { COLOUR: 'blue' }, input: 'text' });
    assert.equal(result.stdout, `${fs.realpathSync(os.tmpdir())}\nblue\ntext`);
  },

  async 'a timeout leaves nothing'() {
    for (const timeout of [1, 0.5]) {
      const mark = newMark();
      const result = await run(tree(mark), { timeout });
      nothingIsLeft(mark);
      assert.deepEqual([result.errorCode, result.exitCode, result.stdout], ['timed_out', null, 'ready\n']);
    }
  },

  async 'several mebibytes of output come whole'() {
    const size = 4 << 20;
    const received = { stdout: 0, stderr: 0 };
    const onOutput = (stream, bytes) => (received[stream] += bytes.length);
    const result = await run(`head -c ${size} /dev/zero; head -c ${size} /dev/zero >&2`, { onOutput });
    assert.deepEqual(received, { stdout: size, stderr: size });
    assert.equal(result.metadata.stdout_bytes, size);
    assert.equal(result.truncated, true);
  },

  async 'a result tells whether either output has a gap'() {
    assert.equal((await run('echo x; echo y >&2')).truncated, false);
    for (const command of ['seq 300000', 'seq 300000 >&2']) assert.equal((await run(command)).truncated, true, command);
  },

  async 'output comes in order, and a busy program makes the command wait'() {
    const pieces = [];
    const call = defaultPlugin().start('shell_execute', { command: 'seq 300000' });
    call.on('stdout', (bytes) => pieces.push(bytes));
    const end = Date.now() + 100;
    while (Date.now() < end); // busy
    await call.result;
    assert.equal(Buffer.concat(pieces).toString(), Array.from({ length: 300000 }, (_, i) => `${i + 1}\n`).join(''));
  },

  async 'arguments that no tool takes are results or exceptions of JavaScript'() {
    const all = [{}, { command: 5 }, { command: null }, { nonsense: 1 }, { command: '\udc80' }, { command: 'a\0b' }, [], 'text', null,
      { command: 'true', timeout: -1 }, { command: 'true', timeout: 1e30 }, { ['a'.repeat(100000)]: [] }];
    for (const args of all) {
      const result = await defaultPlugin().call('shell_execute', args);
      assert.equal(result.errorCode, 'invalid_parameters', JSON.stringify(args)?.slice(0, 50));
    }
    assert.equal((await run()).errorCode, 'invalid_parameters');
    await assert.rejects(defaultPlugin().call('shell_execute', { command: 5n }), TypeError);
    await assert.rejects(defaultPlugin().call('shell_execute', () => {}), TypeError);
    for (const timeout of [0, -1, NaN, Infinity]) await assert.rejects(run('true', { timeout }), RangeError);
    await assert.rejects(run('true', { timeout: '5' }), TypeError);
  },

  async 'every tool can be called'() {
    const plugin = defaultPlugin();
    assert.ok('command' in plugin.tools.shell_execute.inputSchema.properties);
    assert.deepEqual((await plugin.call('pty_list')).metadata, { terminals: [] });
    await assert.rejects(plugin.call('shell'), /there is no tool 'shell'; the tools are shell_execute/);
  },

  async 'more calls than libuv has threads run beside one another'() {
    let ready = 0;
    const controller = new AbortController();
    const onOutput = () => {
      if ((ready += 1) === 8) controller.abort(); // reached only when all calls run at the same time
    };
    const calls = Array.from({ length: 8 }, () => run(tree(newMark()), { onOutput, signal: controller.signal }));
    for (const call of await Promise.allSettled(calls)) assert.equal(call.reason?.name, 'AbortError');
    assert.equal(ready, 8);
  },

  async 'an aborted call is rejected when nothing of it is left'() {
    const mark = newMark();
    const controller = new AbortController();
    const why = new Error('mine');
    const call = run(tree(mark), { signal: controller.signal, onOutput: () => controller.abort(why) });
    await assert.rejects(call, (error) => {
      nothingIsLeft(mark);
      return error.name === 'AbortError' && error.cause === why && error.result.stdout === 'ready\n';
    });
    await assert.rejects(run(tree(mark), { signal: controller.signal }), { code: 'ABORT_ERR' });
  },

  async 'a cancelled call is a result'() {
    const mark = newMark();
    const call = defaultPlugin().start('shell_execute', { command: tree(mark) });
    call.on('stdout', () => call.cancel('enough', { now: true }));
    const result = await call.result;
    nothingIsLeft(mark);
    assert.ok(result.cancelled);
    assert.match(result.text, /enough/);
    call.cancel(); // after the end of the call, this does nothing
  },

  async 'what a listener throws stops the call and rejects it'() {
    const mark = newMark();
    const onOutput = () => {
      throw new Error('mine');
    };
    await assert.rejects(run(tree(mark), { onOutput }), /^Error: mine$/);
    nothingIsLeft(mark);
  },

  async 'the example leaves nothing'() {
    const text = fs.readFileSync(path.join(here, 'examples/timeout.js'), 'utf8');
    assert.ok(text.trimEnd().split('\n').length < 15);
    const mark = newMark();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wtool-'));
    try {
      fs.mkdirSync(path.join(folder, 'node_modules'));
      fs.symlinkSync(here, path.join(folder, 'node_modules/wtool'));
      fs.writeFileSync(path.join(folder, 'example.js'), text.replaceAll('600', mark));
      const out = execFileSync(process.execPath, [path.join(folder, 'example.js')], { timeout: BOUND }).toString();
      nothingIsLeft(mark);
      assert.equal(out, 'timed_out\nstarted\n');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  },

  async 'a killed process leaves nothing'() {
    const mark = newMark();
    const child = script("require('./').run(process.env.COMMAND)", mark);
    await until(() => bearers(mark).length >= 3);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => bearers(mark).length === 0);
  },

  async 'a process that ends beside a call ends it first'() {
    for (const end of ['process.exit(7)', "throw new Error('mine')"]) {
      const mark = newMark();
      const child = script(`require('./').run(process.env.COMMAND, { onOutput() { process.stdin.on('data', () => { ${end}; }); } })`, mark,
        ['pipe', 'inherit', 'ignore'], "trap '' TERM; "); // even a command that ignores SIGTERM
      await until(() => bearers(mark).length >= 3);
      child.stdin.write('now');
      const [status] = await once(child, 'exit');
      nothingIsLeft(mark);
      assert.equal(status, end.startsWith('throw') ? 1 : 7);
    }
  },

  async 'a process waits for its calls, and ends when there are none'() {
    const child = script("require('./').run('sleep 0.1; echo done').then((result) => process.stdout.write(result.stdout))", newMark());
    const [[status], out] = await Promise.all([once(child, 'exit'), child.stdout.toArray()]);
    assert.deepEqual([status, out.join('')], [0, 'done\n']);
  },

  async 'a worker that is terminated leaves nothing'() {
    await defaultPlugin().close();
    const mark = newMark();
    const worker = new Worker(`const { parentPort } = require('node:worker_threads');
      require(${JSON.stringify(here)}).run(${JSON.stringify(tree(mark))}, { onOutput: () => parentPort.postMessage('ready') });`, { eval: true });
    try {
      await once(worker, 'message');
      await until(() => bearers(mark).length >= 3); // a process has no arguments for a moment when it executes a program
    } finally {
      await worker.terminate(); // also after a failure: otherwise this process would wait for the command
    }
    nothingIsLeft(mark);
    assert.equal((await run('echo x')).stdout, 'x\n');
  },

  async 'closing ends what runs, and a configuration is obeyed'() {
    await defaultPlugin().close();
    const plugin = new Plugin({ config: { commands: { deny: ['uname'] } } });
    assert.equal((await plugin.run('uname')).errorCode, 'policy_denied');
    assert.throws(() => new Plugin(), /could not be initialised/);
    const mark = newMark();
    let closed;
    const call = plugin.run(tree(mark), { onOutput: () => (closed ??= plugin.close()) });
    assert.ok((await call).cancelled);
    await closed;
    await plugin.close();
    nothingIsLeft(mark);
    await assert.rejects(plugin.run('true'), /was closed/);
    assert.equal((await run('echo x')).stdout, 'x\n');
  },

  async 'what is no plugin, and what is no configuration'() {
    await defaultPlugin().close();
    const libc = fs.readFileSync('/proc/self/maps', 'utf8').match(/\/\S*libc\.so\S*|\/\S*libc-\S*/)[0];
    for (const file of ['/nowhere.so', '/', __filename, libc]) {
      assert.throws(() => new Plugin({ path: file }), (error) => error instanceof PluginError && /cannot be used/.test(error.message));
    }
    assert.throws(() => new Plugin({ config: { no_such_key: 1 } }), /no_such_key/);
    assert.equal((await run('echo x')).stdout, 'x\n');
  },

  'a plugin whose descriptors cannot be read is closed again'() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wtool-'));
    const file = path.join(folder, 'faulty.so');
    const source = `#include <wtool/tool.h>
      static wtool_status init(const wtool_host* host, wtool_blob* error) { (void)host; (void)error; return WTOOL_OK; }
      static void deinit(void) {}
      static uint32_t tool_count(void) { return 1; }
      static const wtool_descriptor* tool_at(uint32_t index) { (void)index; return 0; }
      static wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) {
        (void)id; (void)config; (void)out; (void)error; return WTOOL_OK;
      }
      const wtool_entry wtool_entry_v1 = {.struct_size = sizeof(wtool_entry), .abi_major = WTOOL_ABI_MAJOR, .init = init,
        .deinit = deinit, .tool_count = tool_count, .tool_at = tool_at, .tool_new = tool_new};`;
    try {
      const options = ['-xc', '-', '-shared', '-fPIC', '-I', path.join(here, '../../include'), '-o', file];
      execFileSync(process.env.CC || 'cc', options, { input: source });
      assert.throws(() => new Plugin({ path: file }), /a descriptor is missing or too small/);
      assert.ok(!fs.readFileSync('/proc/self/maps', 'utf8').includes(file));
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  },

  'the plugin is found'() {
    const { WTOOL_PLUGIN: plugin, PATH } = process.env;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wtool-'));
    try {
      process.env.WTOOL_PLUGIN = '/nowhere.so';
      assert.throws(findPlugin, /WTOOL_PLUGIN names '\/nowhere.so'/);
      delete process.env.WTOOL_PLUGIN;
      process.env.PATH = folder;
      assert.throws(findPlugin, /no plugin was found/);
      fs.mkdirSync(path.join(folder, 'bin'));
      fs.writeFileSync(path.join(folder, 'bin/wtool'), '');
      fs.symlinkSync(path.join(folder, 'bin/wtool'), path.join(folder, 'wtool'));
      fs.symlinkSync(path.join(path.dirname(plugin), '..'), path.join(folder, 'lib'));
      assert.equal(fs.realpathSync(findPlugin()), fs.realpathSync(plugin));
      fs.unlinkSync(path.join(folder, 'wtool'));
      fs.symlinkSync(path.join(path.dirname(plugin), '../..'), path.join(folder, 'a folder'));
      fs.writeFileSync(path.join(folder, 'pkg-config'), `#!/bin/sh\nprintf '%s\\n' '${folder}/a\\ folder/lib/wtool'\n`, { mode: 0o755 });
      assert.equal(fs.realpathSync(findPlugin()), fs.realpathSync(plugin));
    } finally {
      Object.assign(process.env, { WTOOL_PLUGIN: plugin, PATH });
      fs.rmSync(folder, { recursive: true });
    }
  },
};

(async () => {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (process.argv.length > 2 && !process.argv.slice(2).includes(name)) continue;
    const began = Date.now();
    try {
      await test();
      console.log(`good    ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}`);
      console.error(error);
    }
  }
  process.exitCode = failed === 0 ? 0 : 1;
})();
