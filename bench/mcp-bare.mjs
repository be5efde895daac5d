import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// What somebody would write by hand: connect, call the tool so many times, look at each answer.
const [server, calls, isParallel, era] = [
  process.argv[2],
  Number(process.argv[3]),
  process.argv[4] === 'parallel',
  process.argv[5],
];
const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, era] }));
await client.listTools();
const check = async (a) => {
  const { content } = await client.callTool({ name: 'add', arguments: { a, b: 1 } });
  if (Number(content[0].text) !== a + 1) throw new Error(`${a} + 1 is not ${content[0].text}`);
};
const numbers = Array.from({ length: calls }, (_, index) => index);
if (isParallel) {
  for (let from = 0; from < calls; from += 16) await Promise.all(numbers.slice(from, from + 16).map(check));
} else for (const number of numbers) await check(number);
await client.close();
