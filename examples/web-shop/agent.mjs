#!/usr/bin/env node
// Stands for an agent with a model: it reads the page, and clicks on what its argument names.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { mcpServers } = JSON.parse(readFileSync(process.env.ASSAY_MCP_CONFIG, 'utf8'));
const { command, args } = mcpServers.browser;
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  waiting.get(id)?.(result);
});

function request(method, params) {
  const id = waiting.size + 1;
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function use(name, input = {}) {
  const { content } = await request('tools/call', { name, arguments: input });
  return content[0].text;
}

const clientInfo = { name: 'agent', version: '1.0.0' };
await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

const page = await use('read');
const [, element] = new RegExp(`\\[(\\d+)\\] button "${process.argv[2]}`).exec(page);
await use('click', { element: Number(element) });
await use('dialog', { accept: true });
await use('screenshot');
console.log('I cancelled order W1002.');
server.stdin.end();
