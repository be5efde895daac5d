import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurns, median, program, runNode, withFolder } from './measure.mjs';

const server = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));
const bare = fileURLToPath(new URL('./mcp-bare.mjs', import.meta.url));
const calls = 1_000;

/** Health tests against a server that answers at once, beside a script on the client library of the protocol. */
export async function mcp() {
  const rows = [];
  for (const era of ['legacy', 'modern'])
    for (const parallel of [false, true]) rows.push(...(await measured(era, parallel)));
  for (const era of ['legacy', 'modern']) rows.push(await throughProxy(era));
  rows.push(await replayed(), await mockedStart());
  return rows;
}

function measured(era, parallel) {
  return withFolder({ 'config.json': config(era, parallel) }, (cwd) => {
    const flags = ['run', 'config.json', '--quiet'];
    const cpu = { ours: [], theirs: [] };
    const timed = (whose, args) => () => {
      const run = runNode(args, { cwd });
      cpu[whose].push(run.cpuSeconds);
      return run;
    };
    const [ours, theirs] = inTurns(5, [
      timed('ours', [program, ...flags]),
      timed('theirs', [bare, String(calls), parallel ? 'parallel' : 'sequential', server, era]),
    ]);
    const cpuRatio = median(cpu.ours) / median(cpu.theirs);
    const { peakMb } = runNode([program, ...flags], { cwd, withPeak: true });
    return [
      {
        what: `1,000 MCP calls (${era}) ${parallel ? 'in parallel' : 'one after the other'}`,
        measured: `${(ours / theirs).toFixed(2)} x (${ours.toFixed(2)} s / ${theirs.toFixed(2)} s), CPU ${cpuRatio.toFixed(2)} x`,
        target: 'at most 1.2 x',
        isMet: ours / theirs <= 1.2,
      },
      { what: '  peak memory', measured: `${peakMb.toFixed(0)} MB`, target: 'at most 120 MB', isMet: peakMb <= 120 },
    ];
  });
}

/** The same script with and without the proxy that records what agents say to a server. */
function throughProxy(era) {
  const definition = { transport: 'stdio', command: process.execPath, args: [server, era] };
  return withFolder({}, (cwd) => {
    const spec = join(cwd, 'proxy.json');
    const logFile = join(cwd, 'messages.jsonl');
    writeFileSync(spec, JSON.stringify({ server: definition, logFile, wording: null, tag: 'bench' }));
    const callMs = (...command) => {
      const { stdout } = runNode([bare, String(calls), 'sequential', ...command], { cwd });
      return { seconds: Number(stdout) / 1_000 };
    };
    const [direct, proxied] = inTurns(5, [() => callMs(server, era), () => callMs(program, 'mcp-proxy', spec)]).map(
      (seconds) => seconds * 1_000,
    );
    const added = proxied - direct;
    return {
      what: `proxy of an MCP server (${era}): added to a call`,
      measured: `${added.toFixed(2)} ms (${proxied.toFixed(2)} ms / ${direct.toFixed(2)} ms)`,
      target: 'at most 1 ms',
      isMet: added <= 1,
    };
  });
}

/** The same calls through the proxy to the server, and through a proxy that answers from a recording. */
function replayed() {
  const era = 'legacy';
  return withFolder({ 'config.json': config(era, false) }, (cwd) => {
    runNode([program, 'run', 'config.json', '--quiet', '--record-tools', 'rec'], { cwd });
    const [name] = readdirSync(join(cwd, 'rec'));
    const written = readFileSync(join(cwd, 'rec', name), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(2);
    const lines = written.map((line, index) => ({ ...JSON.parse(line), place: `${name}:${index + 3}:1` }));
    const rules = { match: 'arguments', miss: 'error' };
    const tape = { kind: 'replay', lines, rules, folders: {} };
    const definition = { transport: 'stdio', command: process.execPath, args: [server, era] };
    let runs = 0;
    const callSeconds = (control) => () => {
      const spec = join(cwd, `proxy-${++runs}.json`);
      const logFile = join(cwd, `messages-${runs}.jsonl`);
      writeFileSync(spec, JSON.stringify({ server: definition, logFile, wording: null, tag: 'bench', control }));
      const { stdout } = runNode([bare, String(calls), 'sequential', program, 'mcp-proxy', spec], { cwd });
      return { seconds: Number(stdout) / 1_000 };
    };
    const [alone, answered] = inTurns(5, [callSeconds(undefined), callSeconds({ server: 'server', seed: '', tape })]);
    return {
      what: 'replay of 1,000 MCP calls beside the proxy alone',
      measured: `${(answered / alone).toFixed(2)} x (${(answered * 1_000).toFixed(2)} ms / ${(alone * 1_000).toFixed(2)} ms a call)`,
      target: 'at most 1.2 x',
      isMet: answered / alone <= 1.2,
    };
  });
}

/** A trial that starts a mocked server, lists its tools and calls one; the first trial also loads the code for it. */
function mockedStart() {
  const mock = { transport: 'mock', tools: { add: { answers: { result: 1 } } } };
  const suite = { name: 'Add', tests: [{ name: 'add', args: {}, expectedResult: 1 }] };
  return withFolder({ 'config.json': JSON.stringify({ server: mock, toolHealthSuites: [suite] }) }, (cwd) => {
    const trialSeconds = () => {
      const flags = ['--repeat', '2', '--concurrency', '1', '--json'];
      const { stdout } = runNode([program, 'run', 'config.json', ...flags], { cwd });
      return { seconds: JSON.parse(stdout).trials[1].durationMs / 1_000 };
    };
    const ms = inTurns(5, [trialSeconds])[0] * 1_000;
    return {
      what: 'mocked MCP server: start, list of tools and first call',
      measured: `${ms.toFixed(0)} ms`,
      target: 'at most 50 ms',
      isMet: ms <= 50,
    };
  });
}

function config(era, parallel) {
  const tests = Array.from({ length: calls }, (_, a) => ({ name: 'add', args: { a, b: 1 }, expectedResult: a + 1 }));
  return JSON.stringify({
    server: { transport: 'stdio', command: 'node', args: [server, era] },
    toolHealthSuites: [{ name: 'Add', tests, parallel }],
  });
}
