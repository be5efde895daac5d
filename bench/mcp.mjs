import { fileURLToPath } from 'node:url';
import { inTurns, program, runNode, withFolder } from './measure.mjs';

const server = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const bare = fileURLToPath(new URL('./mcp-bare.mjs', import.meta.url));
const calls = 1_000;

/** Health tests against a server that answers at once, beside a script on the client library of the protocol. */
export async function mcp() {
  const rows = [];
  for (const era of ['legacy', 'modern'])
    for (const parallel of [false, true]) rows.push(...(await measured(era, parallel)));
  return rows;
}

function measured(era, parallel) {
  return withFolder({ 'config.json': config(era, parallel) }, (cwd) => {
    const flags = ['run', 'config.json', '--quiet'];
    const [ours, theirs] = inTurns(5, [
      () => runNode([program, ...flags], { cwd }),
      () => runNode([bare, server, String(calls), parallel ? 'parallel' : 'sequential', era], { cwd }),
    ]);
    const { peakMb } = runNode([program, ...flags], { cwd, withPeak: true });
    return [
      {
        what: `1,000 MCP calls (${era}) ${parallel ? 'in parallel' : 'one after the other'}`,
        measured: `${(ours / theirs).toFixed(2)} x (${ours.toFixed(2)} s / ${theirs.toFixed(2)} s)`,
        target: 'at most 1.2 x',
        isMet: ours / theirs <= 1.2,
      },
      { what: '  peak memory', measured: `${peakMb.toFixed(0)} MB`, target: 'at most 120 MB', isMet: peakMb <= 120 },
    ];
  });
}

function config(era, parallel) {
  const tests = Array.from({ length: calls }, (_, a) => ({ name: 'add', args: { a, b: 1 }, expectedResult: a + 1 }));
  return JSON.stringify({
    server: { transport: 'stdio', command: 'node', args: [server, era] },
    toolHealthSuites: [{ name: 'Add', tests, parallel }],
  });
}
