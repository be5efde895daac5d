// An agent of a user's own that does what ASSAY_PROMPT says: one call of its first MCP server for each line.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { mcpServers } = JSON.parse(readFileSync(process.env.ASSAY_MCP_CONFIG, 'utf8'));
const [server] = Object.values(mcpServers);
const child = spawn(server.command, server.args, {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { PATH: process.env.PATH },
});
const waiting = new Map();
let lastId = 0;

createInterface({ input: child.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});

function ask(method, params) {
  const id = ++lastId;
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

const clientInfo = { name: 'agent', version: '1.0.0' };
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
await ask('tools/list', {});
const tasks = process.env.ASSAY_PROMPT.split('\n').filter((line) => /^(\d+\. )?(call|end) /.test(line));
for (const task of tasks) {
  const [, tool, input = '{}'] = /(?:call|end) (\S+)(?: (.*))?$/.exec(task);
  if (tool === 'proxy') child.kill('SIGKILL');
  else if (tool === 'never') await new Promise(() => setInterval(() => undefined, 1_000));
  else console.log(`Answer: ${JSON.stringify(await ask('tools/call', { name: tool, arguments: JSON.parse(input) }))}`);
}
child.stdin.end();
