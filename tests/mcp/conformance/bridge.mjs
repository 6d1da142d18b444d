// Streamable HTTP on loopback for a server on standard input and output: bridge.mjs PROGRAM ARGUMENT...
//
// The conformance suite supports only HTTP, and `wtool mcp` only standard input and output. The bridge prints its URL
// as the first line, and ends when its standard input ends. Messages pass unchanged, except calls of the tools in the
// JSON object BRIDGE_COMMANDS: these become calls of shell_execute with the commands of that object. The bridge itself
// adds what the transport requires:
// - A session of the older era (it begins with `initialize`) is a process with an id. All other requests share one more
//   process.
// - The ids of requests are replaced by numbers on the way in and put back on the way out, because several clients
//   share a process.
// - The answer to a request is JSON, or a stream of events as soon as something comes before the answer.
// - An error in the newer era gets its HTTP status, and wrong headers are answered with an error.
import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {createServer} from 'node:http';
import {createInterface} from 'node:readline';

const [program, ...words] = process.argv.slice(2);
const commands = JSON.parse(process.env.BRIDGE_COMMANDS ?? '{}');
const newer = '2026-07-28';
const statuses = {'-32600': 400, '-32601': 404, '-32602': 400, '-32700': 400, '-32020': 400, '-32021': 400, '-32022': 400};

class Backend {
  constructor() {
    this.last = 0;
    this.waiting = new Map();  // by the number that a request has on the way: {id, token, reply}
    this.child = spawn(program, words, {stdio: ['pipe', 'pipe', 'inherit']});
    createInterface({input: this.child.stdout}).on('line', (line) => this.receive(JSON.parse(line)));
    this.child.on('exit', () => this.waiting.forEach(({reply}) => reply.end()));
  }

  send(message) {
    this.child.stdin.write(JSON.stringify(message) + '\n');
  }

  // Passes a request on. Whatever the server sends for it goes to `reply`.
  ask(message, reply) {
    const number = ++this.last;
    const token = message.params?._meta?.progressToken;
    this.waiting.set(number, {id: message.id, token, reply});
    const sent = structuredClone({...message, id: number});
    if (token !== undefined) sent.params._meta.progressToken = number;
    if (message.method === 'tools/call' && commands[message.params?.name]) {
      Object.assign(sent.params, {name: 'shell_execute', arguments: {command: commands[message.params.name]}});
    }
    this.send(sent);
    return number;
  }

  cancel(id) {
    for (const [number, one] of this.waiting) {
      if (one.id === id) this.send({jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: number}});
    }
  }

  receive(message) {
    const answered = message.method === undefined ? this.waiting.get(message.id) : undefined;
    if (answered) {
      this.waiting.delete(message.id);
      return answered.reply.end({...message, id: answered.id});
    }
    if (message.method === 'notifications/progress') {
      const asked = this.waiting.get(message.params.progressToken);
      return asked?.reply.push({...message, params: {...message.params, progressToken: asked.token}});
    }
    // A question or a log record: it goes to the request that began last.
    [...this.waiting.values()].at(-1)?.reply.push(message);
  }
}

// What goes back for one request.
class Reply {
  constructor(response, headers, isNewer) {
    Object.assign(this, {response, headers, isNewer});
  }
  push(message) {
    if (!this.response.headersSent) {
      this.response.writeHead(200, {...this.headers, 'content-type': 'text/event-stream'});
    }
    this.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }
  end(message) {
    if (this.response.headersSent) {
      if (message) this.push(message);
      return this.response.end();
    }
    const status = message ? (this.isNewer && message.error && statuses[message.error.code]) || 200 : 502;
    this.response.writeHead(status, {...this.headers, 'content-type': 'application/json'});
    this.response.end(message && JSON.stringify(message));
  }
}

const sessions = new Map();
let shared;

function refuse(response, status, code, message, id = null) {
  response.writeHead(status, {'content-type': 'application/json'});
  response.end(JSON.stringify({jsonrpc: '2.0', id, error: {code, message}}));
}

// The headers of the newer era must agree with the message. Returns the name of one that does not.
function mismatch(headers, message) {
  const version = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  const names = {'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri'};
  const said = {
    'mcp-protocol-version': version,
    'mcp-method': message.method,
    'mcp-name': names[message.method] && message.params?.[names[message.method]],
  };
  return Object.entries(said).filter(([name, value]) => typeof value === 'string' && headers[name]?.trim() !== value)
      .map(([name]) => name)[0];
}

function handle(request, response, text) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  const origin = request.headers.origin && new URL(request.headers.origin).hostname;
  if (![host, origin ?? host].every((name) => ['127.0.0.1', 'localhost'].includes(name))) {
    return refuse(response, 403, -32600, 'this server answers only on loopback');
  }
  const name = request.headers['mcp-session-id'];
  const session = sessions.get(name);
  if (name !== undefined && !session) return refuse(response, 404, -32600, 'there is no such session');
  if (request.method === 'DELETE' && session) {
    sessions.delete(name);
    session.child.stdin.end();
    return response.writeHead(200).end();
  }
  if (request.method !== 'POST') return response.writeHead(405).end();
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return refuse(response, 400, -32700, 'this is not JSON');
  }
  const isNewer = !session && message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined ||
                  !session && message.method !== 'initialize' && request.headers['mcp-protocol-version'] === newer;
  const begins = !isNewer && message.method === 'initialize';
  const backend = session ?? (begins ? new Backend() : (shared ??= new Backend()));
  const headers = {};
  if (begins) {
    headers['mcp-session-id'] = randomUUID();
    sessions.set(headers['mcp-session-id'], backend);
  }
  if (message.method === undefined || message.id === undefined) {
    if (message.method === 'notifications/cancelled') backend.cancel(message.params?.requestId);
    else backend.send(message);
    return response.writeHead(202).end();
  }
  const wrong = isNewer && mismatch(request.headers, message);
  if (wrong) return refuse(response, 400, -32020, `the header ${wrong} is not what the message says`, message.id);
  const number = backend.ask(message, new Reply(response, headers, isNewer));
  response.on('close', () => {
    if (backend.waiting.has(number) && isNewer) backend.cancel(message.id);
  });
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => handle(request, response, Buffer.concat(parts).toString()));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.resume().on('end', () => {
  [...sessions.values(), shared].forEach((backend) => backend?.child.stdin.end());
  server.closeAllConnections();
  server.close();
});
