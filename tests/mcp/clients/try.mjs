// Tries `wtool mcp`, confined to a project, with third-party clients: try.mjs PROGRAM FOLDER [NAME]
//   FOLDER  an empty folder for this script
//   NAME    only clients whose names contain it
// Prints a line for each client, and exits with 1 if something fails.
//
// Each client connects, lists the tools and calls one. It cancels a command, of which nothing may be left. It gets an
// approval if it has forms, and otherwise a clear refusal. If a command runs for longer than the server waits
// (mcp.answer_within), the client gets the output so far, and the rest later.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {processes, until} from '../processes.mjs';
import {clients} from './clients.mjs';

const [command, folder, wanted = ''] = process.argv.slice(2);
const root = `${folder}/project`;
mkdirSync(root, {recursive: true});
// Clients pass HOME on to servers, whatever other variables they leave out.
process.env.HOME = folder;
for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME']) delete process.env[name];
mkdirSync(`${folder}/.config/wtool`, {recursive: true});
// A short wait makes a job of any command on a busy machine, so only the test of jobs has a short wait.
const configure = (seconds) => writeFileSync(
    `${folder}/.config/wtool/wtool.yaml`, `commands: {ask: [touch]}\nmcp: {answer_within: ${seconds}, approve_within: none}\n`);
const server = {command, args: ['mcp', '--root', root], answer: 'yes'};

// Processes whose last argument is the word.
const bearers = (word) => processes((read) => read('cmdline').split('\0').at(-2) === word);

const number = String(600000 + process.pid);

const tests = {
  async lists({list}) {
    const names = await list();
    assert(['shell_execute', 'job_poll', 'output_read'].every((name) => names.includes(name)), names.join());
  },
  async calls({call}) {
    const good = await call('shell_execute', {command: 'echo hi'});
    assert(good.text.includes('hi') && !good.isError, JSON.stringify(good));
    const bad = await call('shell_execute', {command: 'echo no >&2; exit 3'});
    assert(bad.text.includes('no') && bad.text.includes('exit 3') && bad.isError, JSON.stringify(bad));
  },
  async cancels({call, close}, {silent}) {
    const stop = new AbortController();
    const cancelled = call('shell_execute', {command: `setsid sleep ${number} & exec sleep ${number}`}, stop.signal);
    let ended = '';
    cancelled.then((result) => { ended = JSON.stringify(result); }, (error) => { ended = error.stack; });
    assert(await until(() => ended || bearers(number).length === 2, 60000), 'the command has not begun');
    assert.equal(ended, '', 'the command has not begun');
    stop.abort(new Error('the test says so'));
    await assert.rejects(cancelled);
    if (silent) {
      assert.equal(bearers(number).length, 2, 'this client reports the cancelled call to the server after all');
      await close();
    }
    assert(await until(() => bearers(number).length === 0, 5000), 'something is left of a cancelled call');
  },
  async asks({call}, {forms}) {
    rmSync(`${root}/made`, {force: true});
    const {text, isError} = await call('shell_execute', {command: 'touch made'}).catch((error) => ({text: error.message, isError: true}));
    if (forms) return assert(!isError && existsSync(`${root}/made`), text);
    assert(isError && !existsSync(`${root}/made`));
    assert.match(text, /approv/);
  },
  async 'keeps what there is'({call}, {once}) {
    const early = await call('shell_execute', {command: 'echo first; sleep 2; echo last'});
    assert.match(early.text, /first[^]*job 1 has been running/);
    if (once) return;  // the server has ended with the client, and the job with it
    let late = '';
    for (let i = 0; i < 30 && !late.includes('last'); ++i) late += (await call('job_poll', {job: 1, wait: 30})).text;
    assert.match(late, /last/);
  },
};

function words(name, {forms, silent}) {
  if (name === 'asks') return forms ? 'gets an approval' : 'gets a refusal';
  return name === 'cancels' && silent ? 'cancels with its end' : name;
}

let failed = 0;
for (const client of clients.filter(({name}) => name.includes(wanted))) {
  const good = [];
  const bad = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      configure(name === 'keeps what there is' ? 1 : 60);
      const connection = await client.open(server);
      try {
        await test(connection, client);
        good.push(words(name, client));
      } finally {
        await connection.close();
      }
    } catch (error) {
      bad.push(`    ${name}: FAILED: ${error.stack}`);
    }
  }
  console.log([`  ${client.name}: ${good.join(', ') || 'nothing works'}`, ...bad].join('\n'));
  failed += bad.length;
}
process.exit(failed ? 1 : 0);
