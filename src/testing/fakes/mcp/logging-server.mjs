// An MCP server that keeps its own log: every line as it came, every line as it went.
import { appendFileSync } from 'node:fs';

const [log, mode = 'good'] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: { text: { type: 'string', description: 'what to say' } } };
const tools = [
  { name: 'echo', description: 'Repeats its text', inputSchema },
  { name: 'repeat', description: 'Repeats its text many times', inputSchema },
  { name: 'fail', description: 'Fails', inputSchema: { type: 'object' } },
  { name: 'wait', description: 'Answers after the next call', inputSchema: { type: 'object' } },
  { name: 'die', description: 'Ends the server', inputSchema: { type: 'object' } },
];
let waiting;
let listed = 0;

function note(direction, line) {
  appendFileSync(log, `${JSON.stringify({ direction, line })}\n`);
}

function print(line) {
  note('sent', line);
  process.stdout.write(`${line}\n`);
}

const text = (value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more });
const answer = (id, result) =>
  print(`{"jsonrpc":"2.0" , "id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`);

function list({ cursor }) {
  listed++;
  const isPaged = mode === 'paged' || mode === 'empty-cursor';
  if (isPaged && cursor === undefined) return { tools: tools.slice(0, 2), nextCursor: 'rest' };
  if (isPaged) return { tools: tools.slice(2), ...(mode === 'empty-cursor' && { nextCursor: '' }) };
  if (mode === 'empty') return { tools: [] };
  if (mode === 'announcing' && listed === 2) print('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  return {
    tools:
      /^(changing|announcing)$/.test(mode) && listed > 1 ? tools.map((tool) => ({ ...tool, title: 'New' })) : tools,
  };
}

function call(id, { name, arguments: args = {} }) {
  if (name === 'die') {
    process.stderr.write('out of luck\n');
    process.exit(3);
  }
  if (name === 'leave') answer(id, text('bye'));
  if (name === 'leave' || name === 'be-ended') {
    setImmediate(() => process.kill(process.pid, 'SIGTERM'));
    return;
  }
  if (name === 'wait') {
    waiting = id;
    return;
  }
  if (name === 'job' && args.text === 'later') answer(id, { task });
  else if (name === 'job') answer(id, text('{"sum":5}', { structuredContent: { sum: 5 } }));
  else if (name === 'echo') answer(id, text(args.text));
  else if (name === 'repeat') answer(id, text(args.text.repeat(args.times)));
  else if (name === 'fail') answer(id, text('it did not work', { isError: true }));
  else print(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${name}` } }));
  if (waiting !== undefined) answer(waiting, text('at last'));
  waiting = undefined;
}

const odd = {
  junk: () => print('Listening on stdio …'),
  'wrong ids': () => print('{"jsonrpc":"2.0","id":999,"result":{}}'),
  nonsense: () => print('[1,null,{"jsonrpc":"2.0"},"x"]'),
  asking: () => {
    for (const [id, [method, params]] of Object.entries(questions))
      print(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  },
  reporting: () => {
    print('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2}}');
    print('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half of it"}}');
  },
};

const messages = [{ role: 'user', content: { type: 'text', text: 'Why?' } }];
const questions = {
  s1: ['roots/list', {}],
  s2: ['sampling/createMessage', { messages, maxTokens: 5 }],
  s3: ['sampling/createMessage', { messages, maxTokens: 5, tools: [{ name: 'clock', inputSchema }] }],
  s4: ['elicitation/create', { message: 'Who?', requestedSchema: inputSchema }],
  s5: ['elicitation/create', { mode: 'url', message: 'Log in', url: 'https://example.com/login', elicitationId: 'e' }],
};

/** Results of the methods that few servers have, for the mode `features`. */
const task = { taskId: 't-1', status: 'working', ttl: 1_000, pollInterval: 20 };
const features = {
  'tasks/get': { ...task, status: 'completed' },
  'tasks/result': text('the job is done'),
  'tasks/cancel': { ...task, status: 'cancelled' },
  'tasks/update': {},
  'resources/list': { resources: [{ uri: 'note://a', name: 'A note' }] },
  'resources/read': { contents: [{ uri: 'note://a', text: 'Hello' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'notes' }] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'prompts/get': { messages },
  'completion/complete': { completion: { values: ['Ann'] } },
};
if (mode === 'features') {
  const _meta = { ui: { resourceUri: 'ui://charts/chart' } };
  const icons = [{ src: 'https://example.com/job.png', mimeType: 'image/png' }];
  tools.push({ name: 'job', title: 'A job', icons, inputSchema, _meta });
}

function take(line) {
  note('got', line);
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const { id, method, params = {} } = message;
  if (method === 'initialize') {
    const serverInfo = { name: 'logging', version: '1.0.0' };
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') answer(id, list(params));
  else if (method === 'tools/call') {
    odd[mode]?.();
    call(id, params);
    if (mode === 'duplicates') answer(id, text('again'));
  } else if (method === 'ping') answer(id, {});
  else if (mode === 'features' && method in features) answer(id, features[method]);
}

if (mode === 'dead') {
  process.stderr.write('cannot find my config\n');
  process.exit(4);
}
if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}

let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    take(rest.toString('utf8', 0, end));
    rest = rest.subarray(end + 1);
  }
});
