// An agent of a user's own that does what ASSAY_PROMPT says, line by line: `call <tool> <arguments>` calls a tool of its
// first MCP server, or of the one that a line `use <server>` named before.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { mcpServers } = JSON.parse(readFileSync(process.env.ASSAY_MCP_CONFIG, 'utf8'));
const clientInfo = { name: 'agent', version: '1.0.0' };

async function connect({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
  const waiting = new Map();
  let lastId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  const ask = (method, params) => {
    const id = ++lastId;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { result } = await ask('tools/list', {});
  return { child, ask, tools: (result?.tools ?? []).map(({ name }) => name) };
}

const connected = new Map();
async function use(name) {
  const earlier = connected.get(name);
  const server = earlier ?? (await connect(mcpServers[name]));
  connected.set(name, server);
  if (!earlier && connected.size > 1) console.log(`${name} has: ${server.tools.join(', ')}`);
  return server;
}

let server = await use(Object.keys(mcpServers)[0]);
const tasks = process.env.ASSAY_PROMPT.split('\n').filter((line) => /^(\d+\. )?(call|end|use) /.test(line));
for (const task of tasks) {
  const [, verb, name, input = '{}'] = /(call|end|use) (\S+)(?: (.*))?$/.exec(task);
  if (verb === 'use') server = await use(name);
  else if (name === 'proxy') server.child.kill('SIGKILL');
  else if (name === 'never') await new Promise(() => setInterval(() => undefined, 1_000));
  else console.log(`Answer: ${JSON.stringify(await server.ask('tools/call', { name, arguments: JSON.parse(input) }))}`);
}
for (const { child } of connected.values()) child.stdin.end();
