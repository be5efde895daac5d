import { createInterface } from 'node:readline';

const isModern = process.argv[2] === 'modern';
const complete = isModern ? { resultType: 'complete' } : {};
const hi = { type: 'text', text: 'hi' };
const result = (changes) => ({ ...complete, content: [hi], ...changes });
const answer = (id, changes) => ({ jsonrpc: '2.0', id, result: result(changes) });

/** Answers that say "hi" to a reader that is not strict, and that official clients refuse; each tool gives one. */
const odd = {
  'content is an object': (id) => answer(id, { content: hi }),
  'content is null': (id) => answer(id, { content: null }),
  'unknown block': (id) => answer(id, { content: [hi, { type: 'hologram', text: 'hi' }] }),
  'block without text': (id) => answer(id, { content: [hi, { type: 'text' }] }),
  'picture that is not base64': (id) => answer(id, { content: [hi, { type: 'image', data: '!', mimeType: 'a/b' }] }),
  'isError is a text': (id) => answer(id, { isError: 'true' }),
  'isError is a number': (id) => answer(id, { isError: 1 }),
  'version 1.0': (id) => ({ ...answer(id), jsonrpc: '1.0' }),
  'no version': (id) => ({ id, result: result() }),
  batch: (id) => [answer(id)],
  'result and error': (id) => ({ ...answer(id), error: null }),
  'one more key': (id) => ({ ...answer(id), took: 5 }),
};

/** Answers that official clients take. */
const fine = {
  'as it should be': (id) => answer(id),
  'id as a text': (id) => answer(String(id)),
  'one more key in the result': (id) => answer(id, { took: 5 }),
  'one more key in a block': (id) => answer(id, { content: [{ ...hi, took: 5 }] }),
};

/** Messages on the server's own that official clients refuse, each sent before an answer that they take. */
const refusedBefore = {
  'progress without a number': { method: 'notifications/progress', params: { progressToken: 'x' } },
  'log message of an unknown level': { method: 'notifications/message', params: { level: 'loud', data: 'x' } },
  'update without an address': { method: 'notifications/resources/updated', params: {} },
  'sampling without messages': { id: 'own', method: 'sampling/createMessage', params: {} },
};
const sentBefore = Object.entries(refusedBefore).map(([name, message]) => [
  name,
  (id) => [{ jsonrpc: '2.0', ...message }, answer(id)],
]);

const ofModern = { 'no result type': (id) => ({ jsonrpc: '2.0', id, result: { content: [hi] } }) };
const calls = { ...odd, ...fine, ...(isModern && ofModern) };
const several = Object.fromEntries(sentBefore);
const tools = Object.keys({ ...calls, ...several }).map((name) => ({ name, inputSchema: { type: 'object' } }));
const kept = isModern ? { ttlMs: 0, cacheScope: 'private' } : {};
const capabilities = { tools: {} };

const methods = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'odd', version: '1' } }),
  'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

const print = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const isOther = method === (isModern ? 'initialize' : 'server/discover');
  const given = isOther ? undefined : methods[method];
  if (method === 'tools/call' && several[params.name]) for (const message of several[params.name](id)) print(message);
  else if (method === 'tools/call') print(calls[params.name](id));
  else if (given) print({ jsonrpc: '2.0', id, result: { ...complete, ...kept, ...given() } });
  else print({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
});
