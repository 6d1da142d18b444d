// The clients that try.mjs drives, behind one interface: {name, open(server) -> {list, call, close}}.
//
//   open({command, args, answer})   connects; `answer` is what a person says to a form, where the client has forms
//   list()                          the names of the tools
//   call(tool, args, signal)        {text, isError}; an abort of the signal cancels the call and rejects
//   close()                         ends the client, and the server with it
//
// `forms`: the client shows forms. `silent`: the client does not report a cancelled call to the server. `once`: each
// call is a separate program, so nothing is kept between two calls.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const me = {name: 'wtool-tests', version: '1'};
const text_of = (content) => content.filter((part) => part.type === 'text').map((part) => part.text).join('\n');
const plain = (result) => ({text: text_of(result.content), isError: Boolean(result.isError)});
const form = (answer) => ({action: 'accept', content: {answer}});

const modules = join(dirname(fileURLToPath(import.meta.url)), '../node_modules');
const version_of = (name) => createRequire(import.meta.url)(join(modules, name, 'package.json')).version;

// The official SDK, version 1, under the name that package.json gives this version of it.
function sdk1(name) {
  const version = version_of(name);
  const forms = Number(version.split('.')[1]) >= 13;
  return {
    name: `@modelcontextprotocol/sdk ${version}`, forms,
    async open({command, args, answer}) {
      const {Client} = await import(`${name}/client/index.js`);
      const {StdioClientTransport} = await import(`${name}/client/stdio.js`);
      const types = await import(`${name}/types.js`);
      const client = new Client(me, {capabilities: forms && answer ? {elicitation: {}} : {}});
      if (forms && answer) client.setRequestHandler(types.ElicitRequestSchema, () => form(answer));
      await client.connect(new StdioClientTransport({command, args, stderr: 'ignore'}));
      return {
        list: async () => (await client.listTools()).tools.map((tool) => tool.name),
        call: async (tool, given, signal) =>
            plain(await client.callTool({name: tool, arguments: given}, types.CallToolResultSchema, {signal})),
        close: () => client.close(),
      };
    },
  };
}

function client2(label, mode) {
  return {
    name: `@modelcontextprotocol/client ${version_of('@modelcontextprotocol/client')}, ${label}`, forms: true,
    async open({command, args, answer}) {
      const {Client} = await import('@modelcontextprotocol/client');
      const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio');
      const client = new Client(me, {capabilities: answer ? {elicitation: {form: {}}} : {}, versionNegotiation: {mode}});
      if (answer) client.setRequestHandler('elicitation/create', () => form(answer));
      await client.connect(new StdioClientTransport({command, args, stderr: 'ignore'}));
      return {
        list: async () => (await client.listTools()).tools.map((tool) => tool.name),
        call: async (tool, given, signal) => plain(await client.callTool({name: tool, arguments: given}, {signal})),
        close: () => client.close(),
      };
    },
  };
}

const aiSdk = {
  name: `@ai-sdk/mcp ${version_of('@ai-sdk/mcp')}`, forms: true, silent: true,
  async open({command, args, answer}) {
    const {createMCPClient, ElicitationRequestSchema} = await import('@ai-sdk/mcp');
    const {Experimental_StdioMCPTransport: Transport} = await import('@ai-sdk/mcp/mcp-stdio');
    const client = await createMCPClient({
      transport: new Transport({command, args, stderr: 'ignore'}), capabilities: answer ? {elicitation: {}} : {},
    });
    if (answer) client.onElicitationRequest(ElicitationRequestSchema, () => form(answer));
    const tools = await client.tools();
    return {
      list: async () => Object.keys(tools),
      call: async (tool, given, abortSignal) =>
          plain(await tools[tool].execute(given, {abortSignal, messages: [], toolCallId: '1'})),
      close: () => client.close(),
    };
  },
};

const langchain = {
  name: `@langchain/mcp-adapters ${version_of('@langchain/mcp-adapters')}`, forms: false,
  async open({command, args}) {
    const {MultiServerMCPClient} = await import('@langchain/mcp-adapters');
    const client = new MultiServerMCPClient({mcpServers: {shell: {transport: 'stdio', command, args, stderr: 'ignore'}}});
    const tools = await client.getTools();
    return {
      list: async () => tools.map((tool) => tool.name),
      async call(tool, given, signal) {
        try {
          const text = await tools.find((one) => one.name === tool).invoke(given, {signal});
          return {text: String(text), isError: false};
        } catch (error) {
          // A result with isError comes as an exception with its text.
          if (signal?.aborted || error.name !== 'ToolException') throw error;
          return {text: error.message, isError: true};
        }
      },
      close: () => client.close(),
    };
  },
};

const openai = {
  name: `@openai/agents ${version_of('@openai/agents')}`, forms: false,
  async open({command, args}) {
    const {MCPServerStdio} = await import('@openai/agents');
    const server = new MCPServerStdio({command, args, name: 'shell'});
    await server.connect();
    return {
      list: async () => (await server.listTools()).map((tool) => tool.name),
      call: async (tool, given, signal) => plain(await server.callToolResult(tool, given, null, {signal})),
      close: () => server.close(),
    };
  },
};

// A client that is a program and makes one call. An interrupt ends it and everything that it has started.
function program(name, words) {
  return {
    name, forms: false, once: true,
    async open(server) {
      const run = (given, signal) => new Promise((resolve, reject) => {
        const child = spawn(process.execPath, given, {stdio: ['ignore', 'pipe', 'pipe']});
        let text = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { text += part; });
        signal?.addEventListener('abort', () => child.kill('SIGINT'));
        child.on('close', (status) => (signal?.aborted ? reject(signal.reason) : resolve({status, text})));
      });
      return {
        async list() {
          const {text} = await run(words.list(server));
          return [...text.matchAll(/\b(shell_execute|job_poll|output_read)\b/g)].map((match) => match[1]);
        },
        async call(tool, given, signal) {
          const {status, text} = await run(words.call(server, tool, given), signal);
          return {text, isError: status !== 0 || /"isError": *true/.test(text)};
        },
        close: async () => {},
      };
    },
  };
}

const inspector = program(`@modelcontextprotocol/inspector ${version_of('@modelcontextprotocol/inspector')}, command line`, {
  list: ({command, args}) => [join(modules, '.bin/mcp-inspector'), '--cli', command, ...args, '--method', 'tools/list'],
  call: ({command, args}, tool, given) => [
    join(modules, '.bin/mcp-inspector'), '--cli', command, ...args, '--method', 'tools/call', '--tool-name', tool,
    ...Object.entries(given).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
  ],
});

const mcporterServer = ({command, args}) => ['--stdio', [command, ...args].join(' '), '--name', 'shell'];
const mcporter = program(`mcporter ${version_of('mcporter')}`, {
  list: (server) => [join(modules, '.bin/mcporter'), 'list', ...mcporterServer(server)],
  call: (server, tool, given) => [join(modules, '.bin/mcporter'), 'call', ...mcporterServer(server), '--tool', tool, '--args',
                                  JSON.stringify(given)],
});

export const clients = [
  ...['1.0.4', '1.8.0', '1.12.3', '1.17.5', '1.22.0', '1.27.1'].map((version) => sdk1(`sdk-${version}`)),
  sdk1('@modelcontextprotocol/sdk'),
  client2('older era', 'legacy'),
  client2('automatic', 'auto'),
  client2('newer era', {pin: '2026-07-28'}),
  aiSdk, langchain, openai, inspector, mcporter,
];
