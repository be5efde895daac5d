import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFake, startHttpServer } from '../../testing/fakes/mcp/start-http-server.ts';
import { stdioDefinition } from '../../testing/fakes/mcp/stdio-definition.ts';
import type { ServerDefinition } from './server-definition.ts';

/** A process that only talks to a server takes up to 100 MB; holding 100 MB as bytes and as text would show. */
const mostMegabytes = 200;

const script = `
import { readFileSync } from 'node:fs';
import { openSession } from './open-session.js';
const definition = JSON.parse(process.argv[2]);
const limits = { timeoutMs: 20000 };
const session = await openSession(definition, { directory: '.', env: process.env, ...limits });
const codes = [];
for (let time = 0; time < 3; time++)
  await session.callTool('echo', { text: 'x' }, limits).then(({ kind }) => codes.push(kind), ({ code }) => codes.push(code));
await session[Symbol.asyncDispose]();
// The peak that the process itself reports begins with that of the one which started it.
const [, kilobytes] = /VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
console.log(JSON.stringify({ codes, megabytes: Number(kilobytes) / 1024 }));
`;

let folder: string;
let http: HttpFake;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-memory-'));
  const bundle = await rolldown({ input: join(import.meta.dirname, 'open-session.ts'), platform: 'node' });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'script.js'), script);
  http = await startHttpServer();
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function talkTo(definition: ServerDefinition): Promise<{ codes: string[]; megabytes: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(folder, 'script.js'),
    JSON.stringify(definition),
  ]);
  return JSON.parse(stdout);
}

const violated = Array.from({ length: 3 }, () => 'MCP_PROTOCOL_VIOLATED');

describe('memory', () => {
  it.each<[string, () => ServerDefinition, string[]]>([
    ['a frame of 100 MB over stdio', () => stdioDefinition('huge frame'), violated],
    ['an answer of 100 MB over HTTP', () => http.define('shttp', 'huge answer'), violated],
    ['an event of 100 MB over SSE', () => http.define('sse', 'huge event', { reconnect: false }), violated],
    ['endless stderr', () => stdioDefinition('endless stderr'), ['result', 'result', 'result']],
  ])('stays bounded with %s', async (_name, definition, codes) => {
    const outcome = await talkTo(definition());
    expect(outcome.codes).toEqual(codes);
    expect(outcome.megabytes).toBeLessThan(mostMegabytes);
  });
});
