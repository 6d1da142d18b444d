// The official clients, both major versions, behind one interface: connect, call, and collect what the server sends
// meanwhile. Every line of the server is kept for validate.py, in the folder WTOOL_MCP_TRANSCRIPTS.
import {appendFileSync} from 'node:fs';
import {Client as Client1} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport as Transport1} from '@modelcontextprotocol/sdk/client/stdio.js';
import {CallToolResultSchema, ElicitRequestSchema, LoggingMessageNotificationSchema} from '@modelcontextprotocol/sdk/types.js';
import {Client as Client2} from '@modelcontextprotocol/client';
import {StdioClientTransport as Transport2} from '@modelcontextprotocol/client/stdio';

export const modes = ['v1', 'v2 legacy', 'v2 auto', 'v2 modern'];

const me = {name: 'wtool-tests', version: '1'};
let transcripts = 0;

// Keeps what goes through the transport, with the method and tool that each line answers.
function record(transport, versionOf) {
  const folder = process.env.WTOOL_MCP_TRANSCRIPTS;
  if (!folder) return;
  const file = `${folder}/client-${process.pid}-${++transcripts}.jsonl`;
  const asked = new Map();
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    if (message.method && message.id !== undefined) {
      asked.set(message.id, {method: message.method, tool: message.params?.name ?? ''});
    }
    return send(message, ...rest);
  };
  let receive;
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set: (to) => {
      receive = to && ((line, ...rest) => {
        const {method, tool} = (line.method ? undefined : asked.get(line.id)) ?? {method: '', tool: ''};
        appendFileSync(file, JSON.stringify({version: versionOf(), method, tool, line}) + '\n');
        return to(line, ...rest);
      });
    },
  });
}

// {client, transport, call(command, options), asked: [messages], logs: [params]}; `answer` is what a person says to a form.
export async function connect(mode, program, args, {answer} = {}) {
  const asked = [];
  const logs = [];
  const capabilities = answer ? {elicitation: {form: {}}} : {};
  const form = async (request) => {
    asked.push(request.params.message);
    return {action: 'accept', content: {answer}};
  };
  const policy = args.includes('--policy') ? [] : ['--policy', 'open'];
  const server = {command: program, args: ['mcp', ...policy, ...args], stderr: 'ignore'};
  let client, transport, call;
  if (mode === 'v1') {
    client = new Client1(me, {capabilities});
    if (answer) client.setRequestHandler(ElicitRequestSchema, form);
    client.setNotificationHandler(LoggingMessageNotificationSchema, (one) => void logs.push(one.params));
    transport = new Transport1(server);
    call = (params, options) => client.callTool(params, CallToolResultSchema, options);
  } else {
    const how = {'v2 legacy': 'legacy', 'v2 auto': 'auto', 'v2 modern': {pin: '2026-07-28'}}[mode];
    client = new Client2(me, {capabilities, versionNegotiation: {mode: how}});
    if (answer) client.setRequestHandler('elicitation/create', form);
    client.setNotificationHandler('notifications/message', (one) => void logs.push(one.params));
    transport = new Transport2(server);
    call = (params, options) => client.callTool(params, options);
  }
  const older = mode === 'v1' || mode === 'v2 legacy';
  record(transport, () => (older ? '2025-11-25' : '2026-07-28'));
  await client.connect(transport);
  return {
    client, transport, asked, logs,
    run: (command, options) => call({name: 'shell_execute', arguments: {command}}, options),
    call,
  };
}
