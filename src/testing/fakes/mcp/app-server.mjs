// An MCP server over stdio with a UI resource that tries what an app may and may not do.
import { createInterface } from 'node:readline';

const page = `<!doctype html>
<html><head><meta charset="utf-8"><title>Chart</title>
<style>body { font: 14px sans-serif; margin: 12px; } output { display: block; }</style></head>
<body><h1>Chart</h1><output id="input"></output><output id="result"></output><output id="sum"></output>
<output id="hidden"></output><output id="outside"></output><output id="host"></output>
<script>
const show = (id, text) => { document.getElementById(id).textContent = id + ': ' + text; };
let lastId = 0;
const waiting = new Map();
const request = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++lastId, { resolve, reject });
  parent.postMessage({ jsonrpc: '2.0', id: lastId, method, params }, '*');
});
addEventListener('message', ({ data }) => {
  if (data.method === 'ui/notifications/tool-input') show('input', JSON.stringify(data.params.arguments));
  if (data.method === 'ui/notifications/tool-result') show('result', data.params.content[0].text);
  const open = waiting.get(data.id);
  if (open && data.error) open.reject(new Error(data.error.message));
  else if (open) open.resolve(data.result);
});
(async () => {
  const { hostContext } = await request('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'chart', version: '1' }, appCapabilities: {} });
  parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} }, '*');
  show('host', hostContext.theme);
  show('sum', (await request('tools/call', { name: 'chart', arguments: { title: 'by the app' } })).content[0].text);
  await request('tools/call', { name: 'secret', arguments: {} }).then(() => show('hidden', 'called'), (error) => show('hidden', error.message));
  const tries = [() => fetch('https://undeclared.example/'), () => fetch(location.origin + '/api/status'), () => parent.document.title, () => localStorage.length];
  const ended = await Promise.all(tries.map(async (attempt) => { try { await attempt(); return 'reached'; } catch { return 'blocked'; } }));
  show('outside', ended.join(' '));
  parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { width: 300, height: document.documentElement.scrollHeight } }, '*');
})();
</script></body></html>`;

const text = { type: 'string' };
const tools = [
  {
    name: 'chart',
    title: 'Chart',
    description: 'Draws a chart.',
    inputSchema: { type: 'object', properties: { title: text }, required: ['title'] },
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: 'ui://charts/chart' } },
  },
  {
    name: 'secret',
    description: 'Is not for apps.',
    inputSchema: { type: 'object', properties: {} },
    _meta: { ui: { visibility: ['model'] } },
  },
  {
    name: 'broken',
    description: 'Has an app that is not one.',
    inputSchema: { type: 'object', properties: {} },
    _meta: { ui: { resourceUri: 'ui://charts/plain' } },
  },
];
const csp = { connectDomains: ['https://api.example.com', "https://x.example; script-src 'unsafe-eval'"] };
const contents = {
  'ui://charts/chart': {
    mimeType: 'text/html;profile=mcp-app',
    text: page,
    _meta: { ui: { csp, permissions: { camera: {} } } },
  },
  'ui://charts/plain': { mimeType: 'text/plain', text: 'no page' },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'charts', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { title } = {} }) => ({ content: [{ type: 'text', text: `${name}: ${title}` }] }),
  'resources/list': () => ({
    resources: [{ uri: 'ui://charts/chart', name: 'chart', mimeType: 'text/html;profile=mcp-app' }],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: '', ...contents[uri] }] }),
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const error = { code: -32_601, message: `unknown method ${method}` };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) }));
}
