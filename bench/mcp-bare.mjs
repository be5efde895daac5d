import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// What somebody would write by hand: connect, call the tool so many times, look at each answer.
// Prints how many milliseconds one call took on average.
const [calls, order, ...server] = process.argv.slice(2);
const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command: process.execPath, args: server }));
await client.listTools();
const check = async (a) => {
  const { content } = await client.callTool({ name: 'add', arguments: { a, b: 1 } });
  if (Number(content[0].text) !== a + 1) throw new Error(`${a} + 1 is not ${content[0].text}`);
};
const numbers = Array.from({ length: Number(calls) }, (_, index) => index);
const began = performance.now();
if (order === 'parallel') {
  for (let from = 0; from < numbers.length; from += 16) await Promise.all(numbers.slice(from, from + 16).map(check));
} else for (const number of numbers) await check(number);
console.log((performance.now() - began) / numbers.length);
await client.close();
