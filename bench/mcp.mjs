import { fileURLToPath } from 'node:url';
import { inTurns, program, runNode, withFolder } from './measure.mjs';

const server = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const bare = fileURLToPath(new URL('./mcp-bare.mjs', import.meta.url));
const calls = 1_000;

/** Health tests against a server that answers at once, beside a script on the client library of the protocol. */
export async function mcp() {
  const rows = [];
  for (const parallel of [false, true]) {
    await withFolder({ 'config.json': config(parallel) }, (cwd) => {
      const flags = ['run', 'config.json', '--quiet'];
      const [ours, theirs] = inTurns(5, [
        () => runNode([program, ...flags], { cwd }),
        () => runNode([bare, server, String(calls), parallel ? 'parallel' : 'sequential'], { cwd }),
      ]);
      const how = parallel ? 'in parallel' : 'one after the other';
      const measured = `${(ours / theirs).toFixed(2)} x (${ours.toFixed(2)} s / ${theirs.toFixed(2)} s)`;
      rows.push({ what: `1,000 MCP calls ${how}`, measured, target: 'at most 1.3 x', isMet: ours / theirs <= 1.3 });
      const { peakMb } = runNode([program, ...flags], { cwd, withPeak: true });
      rows.push({
        what: '  peak memory',
        measured: `${peakMb.toFixed(0)} MB`,
        target: 'at most 120 MB',
        isMet: peakMb <= 120,
      });
    });
  }
  return rows;
}

function config(parallel) {
  const tests = Array.from({ length: calls }, (_, a) => ({ name: 'add', args: { a, b: 1 }, expectedResult: a + 1 }));
  return JSON.stringify({
    server: { transport: 'stdio', command: 'node', args: [server] },
    toolHealthSuites: [{ name: 'Add', tests, parallel }],
  });
}
