// A small MCP server over stdio for tests of suites; what is special about it is said by its arguments.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createInterface } from 'node:readline';

const modes = process.argv.slice(2);
const isModern = modes.includes('modern');
const number = { type: 'number' };
const text = { type: 'string' };
const taking = (properties = {}, required = []) => ({ type: 'object', properties, required });
const giving = { type: 'object', properties: { sum: number }, required: ['sum'] };

const tools = [
  { name: 'add', inputSchema: taking({ a: number, b: number, precision: number }, ['a', 'b']) },
  { name: 'echo', inputSchema: taking({ value: {} }) },
  { name: 'structured', inputSchema: taking(), outputSchema: giving },
  { name: 'wrong-output', inputSchema: taking(), outputSchema: giving },
  { name: 'no-output', inputSchema: taking(), outputSchema: giving },
  {
    name: 'odd-schema',
    inputSchema: taking(),
    outputSchema: { type: 'object', properties: { a: { type: 'whatever' } } },
  },
  { name: 'fail', inputSchema: taking() },
  { name: 'refuse', inputSchema: taking() },
  { name: 'wait', inputSchema: taking() },
  { name: 'cancelled', inputSchema: taking() },
  { name: 'flaky', inputSchema: taking({ failures: number }) },
  { name: 'crash', inputSchema: taking() },
  { name: 'meet', inputSchema: taking({ count: number }) },
  { name: 'change', inputSchema: taking() },
  { name: 'touch', inputSchema: taking({ uri: text }) },
  { name: 'ask-model', inputSchema: taking({ question: text }) },
  { name: 'ask-user', inputSchema: taking() },
];

/** Tools of the features that few servers have. */
if (modes.includes('features')) {
  tools.push(
    { name: 'report', inputSchema: taking({ steps: number }) },
    { name: 'long-job', inputSchema: taking({ polls: number }), execution: { taskSupport: 'required' } },
    { name: 'open-page', inputSchema: taking({ way: text }) },
  );
}

const textResult = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const broken = (message) => ({ ...textResult(message), isError: true });
class Refusal extends Error {}
class NoMethod extends Error {}
class NeedsUrl extends Error {
  elicitations = [{ mode: 'url', message: 'Log in', url: 'https://example.com/login', elicitationId: 'e1' }];
}
const tasks = new Map();
let logLevel = 'debug';

let cancelledCount = 0;
let flakyCalls = 0;
let lastId = 0;
let waiting = [];
const replies = new Map();

const calls = {
  add: ({ a, b }) => textResult(a + b),
  echo: ({ value }) => textResult(typeof value === 'string' ? value : JSON.stringify(value)),
  structured: () => ({ ...textResult('{"sum": 5}'), structuredContent: { sum: 5 } }),
  'wrong-output': () => ({ ...textResult('x'), structuredContent: { sum: 'five' } }),
  'no-output': () => textResult('{"sum": 5}'),
  'odd-schema': () => ({ ...textResult('x'), structuredContent: { sum: 1 } }),
  fail: () => broken('It broke: no such file'),
  refuse() {
    throw new Refusal('Invalid arguments for tool refuse');
  },
  wait: () => new Promise(() => undefined),
  cancelled: () => textResult(cancelledCount),
  flaky: ({ failures }) => (flakyCalls++ < failures ? broken('not yet') : textResult('at last')),
  crash() {
    process.stderr.write('I am done for\n');
    process.exit(7);
  },
  leave() {
    setImmediate(() => process.stdout.write('', () => process.exit(7)));
    return textResult('bye');
  },
  meet: ({ count }) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(textResult('met')));
      if (waiting.length < count) return;
      for (const go of waiting) go();
      waiting = [];
    }),
  change({ tool, announced }) {
    if (announced) announce('notifications/tools/list_changed', {}, ({ toolsListChanged }) => toolsListChanged);
    if (tool === undefined) tools.push({ name: 'late', inputSchema: taking() });
    else tools.find(({ name }) => name === tool).description = 'Something else';
    return textResult('changed');
  },
  touch({ uri }) {
    announce('notifications/resources/updated', { uri }, ({ resourceSubscriptions = [] }) =>
      resourceSubscriptions.includes(uri),
    );
    return textResult('touched');
  },
  report({ steps = 2, isStuck = false }, { progressToken, 'io.modelcontextprotocol/logLevel': ownLevel } = {}) {
    const level = isModern ? ownLevel : logLevel;
    for (let step = 1; step <= steps; step++) {
      const progress = isStuck ? 1 : step;
      if (progressToken) send({ method: 'notifications/progress', params: { progressToken, progress, total: steps } });
    }
    const params = { level: 'info', data: `made ${steps} steps` };
    if (level === 'debug' || level === 'info') send({ method: 'notifications/message', params });
    return textResult('reported');
  },
  async 'open-page'({ way }) {
    if (way === 'error') throw new NeedsUrl('Log in first');
    const url = way === 'bad' ? 'not a page' : 'https://example.com/login';
    const { action } = await ask('elicitation/create', { mode: 'url', message: 'Log in', url, elicitationId: 'e2' });
    return textResult(`The user said ${action}`);
  },
  /** `mode` is how it deals with refusals, data, content and answers. */
  async 'ask-model'({ question, mode }) {
    const hidden = /\S+@\S+|\+[\d ]+|Erika \w+|hunter2/g;
    const asking = mode === 'filtering' ? question.replaceAll(hidden, '[hidden]') : question;
    const messages = [{ role: 'user', content: { type: 'text', text: asking } }];
    const modelPreferences = { costPriority: 0.8, speedPriority: 0.1 };
    const params = { messages, modelPreferences, systemPrompt: 'Be brief', maxTokens: 50 };
    if (mode === 'tools') return useTool(params);
    const request = () => ask('sampling/createMessage', params);
    const { content } = mode === 'insisting' ? await request().catch(request) : await request();
    if (mode === 'hanging') return new Promise(() => undefined);
    if (mode === 'strict' && content.type !== 'text') return broken(`No ${content.type} content`);
    if (mode !== 'checking') return textResult(`The model says: ${content.text ?? `(${content.mimeType})`}`);
    const check = [{ role: 'user', content: { type: 'text', text: `Check this: ${content.text}` } }];
    const checked = await ask('sampling/createMessage', { ...params, messages: check });
    return textResult(`Checked: ${checked.content.text}`);
  },
  async 'ask-user'() {
    const requestedSchema = { type: 'object', properties: { name: text } };
    const { action, content } = await ask('elicitation/create', { message: 'What is your name?', requestedSchema });
    return action === 'accept' ? textResult(`Hello ${content.name}`) : broken(`The user said ${action}`);
  },
};

/** Asks the model, runs the tool that it wants, and asks again. */
async function useTool(params) {
  const tools = [{ name: 'clock', inputSchema: taking() }];
  const { content } = await ask('sampling/createMessage', { ...params, tools });
  const [use] = [content].flat();
  if (use.type !== 'tool_use') return textResult(use.text);
  const result = { type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text: 'noon' }] };
  const messages = [...params.messages, { role: 'user', content: [result] }];
  const next = await ask('sampling/createMessage', { ...params, tools, messages });
  return textResult(`It is noon. ${next.content.text}`);
}

const taskFields = ({ id, status }) => ({
  taskId: id,
  status,
  ttl: 60_000,
  pollInterval: 20,
  createdAt: '',
  lastUpdatedAt: '',
});

function createTask({ polls = 2, fails = false, asks = false }) {
  const task = { id: `t-${tasks.size + 1}`, status: 'working', polls, fails, asks };
  tasks.set(task.id, task);
  return { task: taskFields(task) };
}

function taskOf(taskId) {
  const task = tasks.get(taskId);
  if (!task) throw new Refusal('Task not found');
  return task;
}

const resources = [
  { uri: 'note://a', name: 'A note', mimeType: 'text/markdown' },
  { uri: 'note://data', name: 'data', mimeType: 'application/json' },
];
const contents = {
  'note://a': { mimeType: 'text/markdown; charset=utf-8', text: '# Hello World' },
  'note://data': { mimeType: 'application/json', text: '{"items":[1,2],"total":2}' },
  'note://users/ann%20b': { text: 'Ann' },
};
const prompts = [
  {
    name: 'greet',
    arguments: [
      { name: 'name', required: true },
      { name: 'tone', required: false },
    ],
  },
  { name: 'plain', arguments: [] },
];

function prompt(name, { name: who, tone, ...others }) {
  if (name === 'plain') return { messages: [{ role: 'user', content: { type: 'text', text: 'Plain' } }] };
  if (name !== 'greet' || typeof who !== 'string' || who.includes('DROP') || Object.keys(others).length > 0) {
    throw new Refusal('Invalid arguments for the prompt');
  }
  const clean = who.replace(/<[^>]*>/g, '');
  return {
    messages: [
      { role: 'user', content: { type: 'text', text: `Say hello to ${clean}${tone ? ` in a ${tone} way` : ''}` } },
      { role: 'assistant', content: { type: 'text', text: `Hello, ${clean}!` } },
    ],
  };
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
    serverInfo: { name: 'suite-server', version: '1.2.3' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools, ...(modes.includes('empty-cursor') && { nextCursor: '' }) }),
  'tools/call': ({ name, arguments: args, task, _meta }) => {
    if (name === 'long-job' && task) return createTask(args);
    if (!calls[name]) throw new Refusal(`Tool ${name} not found`);
    return calls[name](args ?? {}, _meta);
  },
  'tasks/get': ({ taskId }) => {
    const task = taskOf(taskId);
    if (task.status === 'working' && --task.polls <= 0) task.status = task.fails ? 'failed' : 'completed';
    return taskFields(task);
  },
  'tasks/result': ({ taskId }) => {
    if (taskOf(taskId).fails) throw new Refusal('The job failed');
    return textResult('the job is done');
  },
  'tasks/cancel': ({ taskId }) => {
    const task = taskOf(taskId);
    task.status = 'cancelled';
    return taskFields(task);
  },
  'logging/setLevel': ({ level }) => {
    logLevel = level;
    return {};
  },
  'completion/complete': ({ ref, argument, context }) => {
    if (ref.name !== 'greet' && ref.uri !== 'note://users/{name}') throw new Refusal('Nothing to complete');
    const names = context?.arguments?.tone === 'formal' ? ['Doctor Ann'] : ['Ann', 'Anna', 'Bo'];
    const values = names.filter((name) => name.startsWith(argument.value));
    return { completion: { values: argument.value === 'many' ? Array(101).fill('x') : values, hasMore: false } };
  },
  'resources/list': ({ cursor }) =>
    cursor === undefined
      ? { resources: resources.slice(0, 1), nextCursor: '1' }
      : { resources: resources.slice(1), ...(modes.includes('empty-cursor') && { nextCursor: '' }) },
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://users/{name}', name: 'users' }] }),
  'resources/read': ({ uri }) => {
    if (!contents[uri]) throw new Refusal(`Resource ${uri} not found`);
    return { contents: [{ uri, ...contents[uri] }] };
  },
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({ prompts }),
  'prompts/get': ({ name, arguments: args }) => prompt(name, args ?? {}),
};

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** From 2026-07-28 on changes are reported only on the streams that request them. */
function announce(method, params, isWanted) {
  if (!isModern) send({ method, params });
  for (const [id, notifications] of listening) {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    if (isWanted(notifications)) send({ method, params: { ...params, _meta } });
  }
}

/** From 2026-07-28 on a server asks by its result, and is called again with all answers so far. */
const round = new AsyncLocalStorage();
const listening = new Map();
class NeedsInput extends Error {
  constructor(request, answers) {
    super('input is needed');
    this.result = {
      resultType: 'input_required',
      inputRequests: { next: request },
      requestState: JSON.stringify(answers),
    };
  }
}

const modernTask = ({ ttl, pollInterval, ...task }) => ({ ...task, ttlMs: ttl, pollIntervalMs: pollInterval });

const modernMethods = {
  'server/discover': () => {
    const { capabilities, serverInfo } = methods.initialize({});
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    return { supportedVersions: ['2026-07-28'], capabilities: { ...capabilities, extensions }, _meta };
  },
  'tools/call': (params, id) => {
    const { extensions } = params._meta['io.modelcontextprotocol/clientCapabilities'];
    if (params.name !== 'long-job') return methods['tools/call'](params, id);
    if (!extensions?.['io.modelcontextprotocol/tasks']) throw new Refusal('Missing required client capability');
    return { resultType: 'task', ...modernTask(createTask(params.arguments).task) };
  },
  'tasks/get': ({ taskId }) => {
    const task = taskOf(taskId);
    if (task.asks && task.answer === undefined) {
      const inputRequests = {
        who: {
          method: 'elicitation/create',
          params: { message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } },
        },
      };
      return { ...modernTask(taskFields({ ...task, status: 'input_required' })), inputRequests };
    }
    const state = modernTask(methods['tasks/get']({ taskId }));
    if (state.status === 'failed') return { ...state, error: { code: -32_602, message: 'The job failed' } };
    const result = textResult(task.answer === undefined ? 'the job is done' : `Hello ${task.answer}`);
    return { ...state, ...(state.status === 'completed' && { result: { resultType: 'complete', ...result } }) };
  },
  'tasks/update': ({ taskId, inputResponses }) => {
    taskOf(taskId).answer = inputResponses.who.content?.name ?? inputResponses.who.action;
    return {};
  },
  'subscriptions/listen': ({ notifications }, id) => {
    listening.set(id, notifications);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    send({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
    return new Promise(() => undefined);
  },
};

const kept = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** A request as a server from 2026-07-28 on answers it. */
async function modernResult(id, method, params) {
  if (params._meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') throw new Refusal('No version');
  if (['initialize', 'ping', 'resources/subscribe', 'resources/unsubscribe'].includes(method))
    throw new NoMethod(method);
  const { requestState = '[]', inputResponses } = params;
  const answers = [...JSON.parse(requestState), ...(inputResponses ? [inputResponses.next] : [])];
  const answerOf = modernMethods[method] ?? methods[method];
  if (!answerOf) throw new NoMethod(method);
  return round.run({ answers, used: 0 }, async () => ({ ...kept, ...(await answerOf(params, id)) }));
}

async function ask(method, params) {
  if (isModern) {
    const current = round.getStore();
    const { answers } = current;
    if (current.used >= answers.length) throw new NeedsInput({ method, params }, answers);
    return answers[current.used++];
  }
  const id = `s-${++lastId}`;
  send({ id, method, params });
  return new Promise((resolve, reject) => replies.set(id, { resolve, reject }));
}

async function answer({ id, method, params = {} }) {
  try {
    if (isModern) return send({ id, result: await modernResult(id, method, params) });
    if (modes.includes('tools-only') && /^(resources|prompts|completion|logging)\//.test(method))
      throw new NoMethod('Method not found');
    if (!methods[method]) throw new Refusal(`Method not found: ${method}`);
    send({ id, result: await methods[method](params) });
  } catch (error) {
    if (error instanceof NeedsInput) send({ id, result: error.result });
    else if (error instanceof Refusal) send({ id, error: { code: -32_602, message: error.message } });
    else if (error instanceof NoMethod) send({ id, error: { code: -32_601, message: error.message } });
    else if (error instanceof NeedsUrl) {
      const { message, elicitations } = error;
      send({ id, error: { code: -32_042, message, data: { elicitations } } });
    } else send({ id, result: broken(error.message) });
  }
}

if (modes.includes('dead')) process.exit(3);
if (modes.includes('url')) {
  calls.echo = () => {
    throw new NeedsUrl('Open https://example.com/login first');
  };
}
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.method === 'notifications/cancelled') cancelledCount++;
  if (message.method !== undefined && message.id !== undefined) void answer(message);
  if (message.method !== undefined) continue;
  const reply = replies.get(message.id);
  if (message.error) reply?.reject(new Error(message.error.message));
  else reply?.resolve(message.result);
}
