// Tries `wtool mcp` with the official clients: try.mjs PROGRAM FOLDER. FOLDER is an empty folder for this script.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {promisify} from 'node:util';
import {processes, until} from '../processes.mjs';
import {connect, modes} from './official.mjs';

const [program, folder] = process.argv.slice(2);
const config = `${folder}/asking.yaml`;
writeFileSync(config, 'commands: {ask: [touch]}\n');

// Processes with the word in their environment or on their command line.
const bearers = (word) => processes((read) => ['environ', 'cmdline'].some((name) => read(name).includes(word)));

const tests = {
  async 'lists and calls'({client, run, call}) {
    const {tools} = await client.listTools();
    assert(tools.some((tool) => tool.name === 'shell_execute'));
    // The server's own tools leave out annotations that have the protocol's default values.
    assert(tools.filter((tool) => tool.title).every((tool) => Object.keys(tool.annotations).length >= 4));
    const good = await run('echo hi');
    assert.equal(good.structuredContent.stdout, 'hi\n');
    assert(!good.isError);
    const bad = await run('echo no >&2; exit 3');
    assert.equal(bad.structuredContent.exit_code, 3);
    assert(bad.isError);
    await assert.rejects(call({name: 'nothing', arguments: {}}), /there is no tool/);
  },
  async 'calls overlap'({run}) {
    await run('true');
    const began = performance.now();
    await Promise.all(Array.from({length: 32}, () => run('sleep 0.5')));
    console.log(`    32 at once of sleep 0.5: ${Math.round(performance.now() - began)} ms`);
    assert(performance.now() - began < 5000);
  },
  async 'reports progress'({run}) {
    const seen = [];
    await run('for i in 1 2 3 4 5; do echo line $i; sleep 0.15; done', {onprogress: (one) => seen.push(one)});
    assert(seen.length >= 2, 'too little progress');
    assert(seen.every((one, i) => i === 0 || one.progress > seen[i - 1].progress));
    assert.match(seen.at(-1).message, /^line \d$/);
  },
  async 'cancels'({run}) {
    const word = `wtool-mcp-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const stop = new AbortController();
    const call = run(`export WTOOL_TEST_MARK=${word}; trap '' TERM; setsid sleep 61 & while :; do sleep 1; done`,
                     {signal: stop.signal});
    assert(await until(() => bearers(word).length > 0, 5000));
    stop.abort('the test says so');
    await assert.rejects(call);
    assert(await until(() => bearers(word).length === 0, 1000), 'something is left');
    assert.equal((await run('echo on')).structuredContent.stdout, 'on\n');
  },
  async 'asks'({run, asked}) {
    const file = `${folder}/made`;
    rmSync(file, {force: true});
    const result = await run(`touch ${file}`);
    assert(!result.isError, JSON.stringify(result));
    assert(existsSync(file));
    assert.equal(asked.length, 1);
    assert.match(asked[0], /touch/);
  },
};

const logs = {
  async 'logs'({client, run, logs: seen}) {
    await client.setLoggingLevel('debug');
    await run('echo hi');
    assert(await until(() => seen.length > 0, 1000));
  },
};

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

const most_of_exec_file = 0.9;
const most_resident = 12 * 1024;  // KiB

// Measures calls alternately with a bare execFile, so that both run under the same load. Returns each figure that is
// above its limit.
async function measure() {
  const bare = promisify(execFile);
  const shell = `${folder}/shell.yaml`;
  writeFileSync(shell, 'shell: {program: /bin/sh}\n');
  mkdirSync(`${folder}/project`);
  const open = await connect('v1', program, ['--config', shell]);
  const project = await connect('v1', program, ['--config', shell, '--policy', 'project', '--root', `${folder}/project`]);
  const times = {open: [], project: [], floor: []};
  const timed = async (name, work) => {
    const began = performance.now();
    await work();
    times[name].push(performance.now() - began);
  };
  for (let i = 0; i < 1000; ++i) {
    await timed('open', () => open.run('echo hi'));
    if (i % 4) continue;
    await timed('project', () => project.run('echo hi'));
    await timed('floor', () => bare('sh', ['-c', 'echo hi']));
  }
  const floor = median(times.floor);
  const ratio = (name) => median(times[name]) / floor;
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${open.transport.pid}/status`, 'utf8'))[1]);
  console.log(`  echo hi, of ${floor.toFixed(2)} ms for execFile: open ${ratio('open').toFixed(2)}, project ${ratio('project').toFixed(2)}`);
  console.log(`  resident after 1000 calls: ${resident} KiB`);
  await open.client.close();
  await project.client.close();
  return [ratio('open') > most_of_exec_file ? `open is beyond ${most_of_exec_file} of execFile` : '',
          resident > most_resident ? `more than ${most_resident} KiB are resident` : ''].filter(Boolean);
}

let failed = 0;
for (const mode of modes) {
  console.log(mode);
  const all = mode === 'v1' || mode === 'v2 legacy' ? {...tests, ...logs} : tests;
  for (const [name, test] of Object.entries(all)) {
    const connection = await connect(mode, program, ['--config', config], {answer: 'yes'});
    try {
      await test(connection);
      console.log(`  ${name}: good`);
    } catch (error) {
      ++failed;
      console.log(`  ${name}: FAILED: ${error.stack}`);
    }
    await connection.client.close();
  }
}
console.log('measured');
for (const beyond of await measure()) {
  ++failed;
  console.log(`  FAILED: ${beyond}`);
}
process.exit(failed ? 1 : 0);
