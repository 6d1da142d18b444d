// Tries `wtool mcp` with agents, driven by a scripted model on loopback: try.mjs PROGRAM MODULES FOLDER [NAME]
//   MODULES  where the agents are installed
//   FOLDER   an empty folder for this script
//   NAME     only agents whose names contain it
// `wtool mcp --install` puts the server into each agent's configuration. Exits with 1 if something fails.
//
// Each agent runs three commands: one whose output the model sees; one that must be approved, which is refused with the reason;
// and one that runs longer than the server waits, whose output so far the model sees.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {start} from './model.mjs';

const [program, modules, folder, wanted = ''] = process.argv.slice(2);

function run(command, args, {cwd, env}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120000, killSignal: 'SIGKILL'});
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { text += part; });
    child.on('error', (error) => resolve({status: -1, text: String(error)}));
    child.on('close', (status) => resolve({status, text}));
  });
}

const version = (name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version.replace(/-linux.*/, '');

const agents = [
  {
    name: `Codex ${version('@openai/codex')}`, client: 'codex',
    prepare({home}, url) {
      mkdirSync(join(home, '.codex'), {recursive: true});
      writeFileSync(join(home, '.codex/config.toml'),
                    `model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\nname = "scripted"\n` +
                    `base_url = "${url}/v1"\nwire_api = "responses"\n`);
    },
    command: () => [process.execPath, join(modules, '@openai/codex/bin/codex.js'), 'exec', '--skip-git-repo-check',
                    '--dangerously-bypass-approvals-and-sandbox', 'Run it.'],
  },
  {
    name: `opencode ${version('opencode-linux-x64')}`, client: 'opencode',
    prepare({project}, url) {
      writeFileSync(join(project, 'opencode.json'), JSON.stringify({
        model: 'scripted/m', small_model: 'scripted/m', autoupdate: false, share: 'disabled',
        provider: {scripted: {npm: '@ai-sdk/openai-compatible', options: {baseURL: `${url}/v1`, apiKey: 'x'}, models: {m: {tool_call: true}}}},
      }));
    },
    env: {OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1'},
    command: () => [join(modules, 'opencode-linux-x64/bin/opencode'), 'run', '--model', 'scripted/m', 'Run it.'],
  },
  {
    name: `Gemini CLI ${version('@google/gemini-cli')}`, client: 'gemini',
    prepare({home}) {
      mkdirSync(join(home, '.gemini'), {recursive: true});
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify({
        security: {auth: {selectedType: 'gemini-api-key'}, folderTrust: {enabled: false}}, privacy: {usageStatisticsEnabled: false},
        general: {enableAutoUpdate: false, disableAutoUpdate: true}, telemetry: {enabled: false},
      }));
    },
    env: (url) => ({GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true'}),
    command: () => [process.execPath, join(modules, '@google/gemini-cli/bundle/gemini.js'), '--yolo', '--model', 'gemini-2.5-pro',
                    '--prompt', 'Run it.'],
  },
];

const tries = {
  'runs a command': ['echo hi-from-$((20 + 3))', /hi-from-23/],
  'gets a refusal': ['touch made', /approv/],
  'keeps what there is': ['echo fir""st; sleep 6; echo last', /first[^]*job 1 has been running/, 3],
};

let failed = 0;
for (const agent of agents.filter(({name}) => name.includes(wanted))) {
  const good = [];
  const bad = [];
  for (const [title, [command, expected, within = 50]] of Object.entries(tries)) {
    const at = join(folder, agent.client, title.replaceAll(' ', '-'));
    const place = {home: join(at, 'home'), project: join(at, 'home/project')};
    mkdirSync(join(place.home, '.config/wtool'), {recursive: true});
    mkdirSync(place.project);
    writeFileSync(join(place.home, '.config/wtool/wtool.yaml'),
                  `commands: {ask: [touch]}\nmcp: {answer_within: ${within}, approve_within: none}\n`);
    const model = await start(command);
    const more = typeof agent.env === 'function' ? agent.env(model.url) : agent.env;
    const env = {HOME: place.home, PATH: process.env.PATH, TERM: 'dumb', NO_PROXY: '127.0.0.1', CI: '1', ...more};
    let said = {};
    try {
      agent.prepare(place, model.url);
      const installed = await run(program, ['mcp', '--root', place.project, '--install', agent.client, '--yes'], {cwd: place.project, env});
      assert.equal(installed.status, 0, installed.text);
      const [first, ...rest] = agent.command();
      said = await run(first, rest, {cwd: place.project, env});
      assert(model.seen.output !== undefined, `the tool was not called; offered were ${[...model.seen.tools].join(', ')}`);
      assert.match(model.seen.output, expected);
      assert(!existsSync(join(place.project, 'made')));
      good.push(title);
    } catch (error) {
      bad.push(`    ${title}: FAILED: ${error.message}\n${(said.text ?? '').slice(-2000)}`);
    }
    model.close();
  }
  console.log([`  ${agent.name}: ${good.join(', ') || 'nothing works'}`, ...bad].join('\n'));
  failed += bad.length;
}
process.exit(failed ? 1 : 0);
