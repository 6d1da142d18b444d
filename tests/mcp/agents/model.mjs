// A model for agents, on loopback, that follows a script: it calls the tool shell_execute with one command, and then
// answers `done` and the tool's output. It offers the interfaces of Codex (responses), of opencode (chat completions)
// and of Gemini CLI (generateContent).
import {createServer} from 'node:http';

// start(command): {url, seen, close}. `seen` is {tools, output}: the names that were offered, and what the tool gave, as text.
export function start(command) {
  const seen = {tools: new Set(), output: undefined};
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const body = text ? JSON.parse(text) : {};
      if (request.url.includes('/responses')) return responses(seen, command, body, response);
      if (request.url.includes('/chat/completions')) return completions(seen, command, body, response);
      if (/generateContent/i.test(request.url)) return gemini(seen, command, body, request.url, response);
      response.writeHead(request.url.includes('/models') ? 200 : 404, {'content-type': 'application/json'});
      response.end(JSON.stringify({object: 'list', data: [], models: []}));
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({
    url: `http://127.0.0.1:${server.address().port}`, seen, close: () => (server.closeAllConnections(), server.close()),
  })));
}

function events(response, list, last) {
  response.writeHead(200, {'content-type': 'text/event-stream'});
  for (const event of list) response.write(`${event.type && !event.choices ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  response.end(last);
}

// The name under which the agent offers the tool.
function offered(seen, names) {
  names.forEach((name) => seen.tools.add(name));
  return names.find((name) => name.endsWith('shell_execute'));
}

function responses(seen, command, body, response) {
  const flat = (body.tools ?? []).flatMap((tool) => (tool.type === 'namespace' ? tool.tools.map((one) => ({...one, namespace: tool.name}))
                                                                                : [tool]));
  const tool = flat.find(({name}) => name === offered(seen, flat.map((one) => one.name ?? one.type)));
  const given = (body.input ?? []).find((item) => item.type === 'function_call_output');
  if (given) seen.output = JSON.stringify(given.output);
  const item = given || !tool
      ? {type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [{type: 'output_text', text: 'done', annotations: []}]}
      : {type: 'function_call', id: 'f1', call_id: 'c1', name: tool.name, arguments: JSON.stringify({command}), status: 'completed',
         ...(tool.namespace ? {namespace: tool.namespace} : {})};
  const usage = {input_tokens: 1, output_tokens: 1, total_tokens: 2};
  events(response, [
    {type: 'response.created', response: {id: 'r1'}},
    {type: 'response.output_item.added', output_index: 0, item},
    {type: 'response.output_item.done', output_index: 0, item},
    {type: 'response.completed', response: {id: 'r1', status: 'completed', output: [item], usage}},
  ]);
}

function completions(seen, command, body, response) {
  const name = offered(seen, (body.tools ?? []).map((tool) => tool.function.name));
  const given = body.messages.find((message) => message.role === 'tool');
  if (given) seen.output = JSON.stringify(given.content);
  const call = name && !given;
  const delta = call ? {role: 'assistant', tool_calls: [{index: 0, id: 'c1', type: 'function',
                                                         function: {name, arguments: JSON.stringify({command})}}]}
                     : {role: 'assistant', content: 'done'};
  const head = {id: 'r1', object: 'chat.completion.chunk', created: 1, model: body.model};
  const usage = {prompt_tokens: 1, completion_tokens: 1, total_tokens: 2};
  events(response, [{...head, choices: [{index: 0, delta}]},
                    {...head, choices: [{index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop'}], usage}], 'data: [DONE]\n\n');
}

function gemini(seen, command, body, path, response) {
  const name = offered(seen, (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((one) => one.name));
  const given = (body.contents ?? []).flatMap((content) => content.parts ?? []).find((part) => part.functionResponse);
  if (given) seen.output = JSON.stringify(given.functionResponse.response);
  const part = name && !given ? {functionCall: {name, args: {command}}} : {text: 'done'};
  const answer = {candidates: [{index: 0, content: {role: 'model', parts: [part]}, finishReason: 'STOP'}],
                  usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2}};
  if (path.includes('stream')) return events(response, [answer]);
  response.writeHead(200, {'content-type': 'application/json'});
  response.end(JSON.stringify(answer));
}
