// Runs the official conformance suite against `wtool mcp`: run.mjs PROGRAM SUITE FOLDER
//   SUITE   the folder of the suite's package
//   FOLDER  an empty folder for this script
//
// The suite asks for tools by name. If a server of commands can have such a tool, it is a workflow here, or the bridge
// makes it a call of shell_execute. For every check that fails, not-applicable.txt says why it does not apply. The run
// fails if a failing check is not listed there, if a listed check does not fail, or if a scenario has no result.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

const [program, suite, folder] = process.argv.slice(2);
const here = import.meta.dirname;
const revisions = ['2025-11-25', '2026-07-28'];

const question = 'Wait for user confirmation "Continue?"';
const workflows = {
  greet: ['Shell "echo Hello, ${name}!"'],
  test_tool_with_progress: ['Shell "for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done"'],
  test_tool_with_logging: ['Shell "echo one"', 'Shell "echo two"', 'Shell "echo three"'],
  test_logging_tool: ['Shell "echo done"'],
  test_elicitation: ['Wait for user confirmation "${message}"'],
  test_streaming_elicitation: [question],
  test_input_required_result_elicitation: [question],
  test_input_required_result_request_state: [question],
  test_input_required_result_capabilities: [question],
  test_input_required_result_multi_round: [question, question],
};
const parameters = {greet: 'name', test_elicitation: 'message'};
const commands = {
  test_simple_text: 'echo This is a simple text response for testing.',
  test_error_handling: 'echo This tool intentionally returns an error for testing; exit 1',
  test_missing_capability: 'touch asked-first',
  test_input_required_result_tampered_state: 'touch asked-first',
};

// A workflow whose states follow one another.
function workflow(name, actions) {
  const states = actions.map((_, i) => `State${i}`);
  const arrows = ['[*]', ...states].map((state, i) => `  ${state} --> ${states[i] ?? '[*]'}${i > 0 ? ': always' : ''}\n`).join('');
  const parameter = parameters[name] ? `parameters:\n  - name: ${parameters[name]}\n    required: true\n` : '';
  return `---\nname: ${name}\ndescription: A tool of the conformance suite\ntool: true\n${parameter}---\n\n` +
         '```mermaid\nstateDiagram-v2\n' + arrows + '```\n\n## Actions\n\n' +
         actions.map((action, i) => `- ${states[i]}: ${action}\n`).join('');
}

// "REVISION SCENARIO CHECK" of every listed check.
function listed() {
  const found = new Set();
  for (const line of readFileSync(join(here, 'not-applicable.txt'), 'utf8').split('\n')) {
    if (line.startsWith('  ')) for (const revision of revisions) {
      const [which, scenario, check] = line.trim().split(/ +/);
      if (which === revision || which === 'both') found.add(`${revision} ${scenario} ${check}`);
    }
  }
  return found;
}

async function bridged(use) {
  const child = spawn(process.execPath, [join(here, 'bridge.mjs'), program, 'mcp', '--root', join(folder, 'project'), '--workflows',
                                         join(folder, 'tools'), '--tools', 'shell_execute', '--config', join(folder, 'wtool.yaml')],
                      {stdio: ['pipe', 'pipe', 'ignore'], env: {...process.env, BRIDGE_COMMANDS: JSON.stringify(commands)}});
  const ended = new Promise((resolve) => child.on('exit', resolve));
  for await (const url of createInterface({input: child.stdout})) {
    await use(url);
    break;
  }
  child.stdin.end();
  await ended;
}

function conformance(...words) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(suite, 'dist/index.js'), ...words], {stdio: ['ignore', 'pipe', 'pipe']});
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { text += part; });
    child.on('exit', () => resolve(text));
  });
}

// The names of a revision's scenarios for servers, scored or not.
function scenarios(text) {
  const server = /Server scenarios[^]*?\n\n/.exec(text)?.[0];
  if (!server) throw new Error(`the suite lists no scenarios; it says:\n${text.slice(-2000)}`);
  return [...server.matchAll(/^  - (\S+)/gm), ...text.matchAll(/^ +- (\S+) \[server\]/gm)].map((match) => match[1]);
}

mkdirSync(join(folder, 'tools'));
mkdirSync(join(folder, 'project'));
for (const [name, actions] of Object.entries(workflows)) {
  writeFileSync(join(folder, 'tools', `${name}.md`), workflow(name, actions));
}
writeFileSync(join(folder, 'wtool.yaml'), 'mcp: {approve_within: none}\ncommands: {ask: [touch]}\n');

// The checks of every scenario that the suite has written results for, by the scenario's name.
function results(out) {
  const found = new Map();
  for (const entry of existsSync(out) ? readdirSync(out) : []) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)[1];
    found.set(scenario, JSON.parse(readFileSync(join(out, entry, 'checks.json'), 'utf8')));
  }
  return found;
}

const problems = [];
const excuses = listed();
const open = new Set(excuses);  // those that have not failed yet

// The failing checks that are not listed, each with its message.
function unexpected(revision, scenario, checks) {
  return checks.filter(({id, status}) => ['FAILURE', 'WARNING'].includes(status) && !excuses.has(`${revision} ${scenario} ${id}`))
      .map(({id, errorMessage}) => `${revision} ${scenario} ${id}: ${errorMessage}`);
}

for (const revision of revisions) {
  const out = join(folder, revision);
  await bridged(async (url) => {
    const said = await conformance('server', '--url', url, '--requirements', revision, '--output-dir', out);
    const found = results(out);
    for (const scenario of scenarios(await conformance('list', '--requirements', revision))) {
      if (!found.has(scenario)) problems.push(`${revision} ${scenario}: it has no result; the suite says:\n${said.slice(-2000)}`);
    }
    // Some checks give the server half a second, which a busy machine may need: they are tried once more, alone.
    for (const [scenario, checks] of found) {
      const failing = unexpected(revision, scenario, checks);
      if (failing.length === 0) continue;
      console.log(`  once more: ${failing.join('; ')}`);
      const again = join(folder, `${revision}-again`, scenario);
      await conformance('server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--output-dir', again);
      found.set(scenario, results(again).get(scenario) ?? checks);
    }
    let passed = 0;
    let excused = 0;
    for (const [scenario, checks] of found) {
      problems.push(...unexpected(revision, scenario, checks));
      for (const {id, status} of checks) {
        if (status === 'SUCCESS') ++passed;
        if (['FAILURE', 'WARNING'].includes(status) && open.delete(`${revision} ${scenario} ${id}`)) ++excused;
      }
    }
    console.log(`  ${revision}: ${passed} checks passed, ${excused} do not apply`);
  });
}
problems.push(...[...open].map((check) => `${check}: it is listed in not-applicable.txt, and did not fail`));
for (const problem of problems) console.log(`  FAILED: ${problem}`);
process.exit(problems.length ? 1 : 0);
