import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const serverProgram = `
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const kept = [];
let calls = 0;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tools = ['steady', 'leak', 'die', 'fill', 'child'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const childProgram = "const kept = Buffer.alloc(80_000_000, 1); console.log('ready'); process.stdin.resume(); process.stdin.on('end', () => process.exit(kept[0] - 1));";
async function call(name) {
  if (name === 'leak') kept.push(Buffer.alloc(200_000, 1));
  if (name === 'die' && ++calls > 5) process.exit(4);
  if (name === 'fill' && ++calls > 5) return { content: [{ type: 'text', text: 'the list is full' }], isError: true };
  if (name === 'child') {
    const child = spawn(process.execPath, ['-e', childProgram], { stdio: ['pipe', 'pipe', 'ignore'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
  }
  return { content: [{ type: 'text', text: 'ok' }] };
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const serverInfo = { name: 'fixture', version: '1' };
  const greeting = () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  if (method === 'initialize') send({ id, result: greeting() });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') send({ id, result: await call(params.name) });
}
process.exit(0);
`;

async function run(performance: unknown, tool: string, more: object = {}) {
  const config = {
    server: { transport: 'stdio', command: 'node', args: ['./server.mjs'] },
    performance,
    toolHealthSuites: [{ name: tool, tests: [{ name: tool, args: {} }] }],
    ...more,
  };
  const folder = await temporaryFolder({ 'server.mjs': serverProgram, 'c.json': JSON.stringify(config, null, 2) });
  const result = await assay(['run', 'c.json', '--json'], { cwd: folder });
  return { ...result, folder };
}

type Trial = Pick<TrialRecord, 'outcome' | 'metrics' | 'evaluatorResults'>;

/** The only trial, with the reason or error of its limits. */
async function trialOf(performance: unknown, tool: string) {
  const result = await run(performance, tool);
  const [trial] = (JSON.parse(result.stdout) as { trials: Trial[] }).trials;
  const limits = trial?.evaluatorResults.find(({ type }) => type === 'server-limits');
  const text = limits?.reason;
  return { outcome: trial?.outcome, metrics: trial?.metrics ?? {}, text, exitCode: result.exitCode };
}

describe('the performance of an MCP server', () => {
  it('is measured, and passes within its limits', async () => {
    const limits = { repeatCalls: 30, maxRssMB: 4_000, latency: { p50: 30_000, p95: 30_000 } };
    const { outcome, metrics, exitCode } = await trialOf(limits, 'steady');
    expect({ outcome, exitCode }).toEqual({ outcome: 'pass', exitCode: 0 });
    expect(metrics['server-performance']).toBeGreaterThan(5);
    expect(metrics['server.cpuMs']).toBeGreaterThanOrEqual(0);
    expect(metrics['latency.steady.p95']).toBeGreaterThan(0);
    expect(metrics['latency.steady.p99']).toBeNull();
    expect(metrics['server.growthKBPerCall']).toEqual(expect.any(Number));
  });

  it('fails for a server that keeps memory with every call', async () => {
    const { outcome, text, exitCode } = await trialOf({ repeatCalls: 60, maxGrowthKBPerCall: 100 }, 'leak');
    expect({ outcome, exitCode }).toEqual({ outcome: 'fail', exitCode: 1 });
    expect(text).toMatch(/^Memory grew by \d+(\.\d+)? KB per call \(95 % interval .*\), the limit is 100 KB$/);
  });

  it('fails above a limit of memory', async () => {
    expect(await trialOf({ maxRssMB: 1 }, 'steady')).toMatchObject({
      outcome: 'fail',
      text: expect.stringMatching(/^Memory up to [\d.]+ MB, the limit is 1 MB$/),
    });
  });

  it('counts the processes that the server starts', async () => {
    const { metrics } = await trialOf({}, 'child');
    expect(metrics['server-performance']).toBeGreaterThan(80);
  });

  it.each([
    ['too few calls', { repeatCalls: 3, maxGrowthKBPerCall: 1 }, 'steady', '3 repeated calls are too few'],
    ['a percentile of few calls', { latency: { p99: 1 } }, 'steady', '1 of 100 calls'],
    ['a server that dies', { repeatCalls: 30 }, 'die', 'The repeated calls could not be finished'],
    ['calls that fail when repeated', { repeatCalls: 30, latency: { p50: 1 } }, 'fill', 'the list is full'],
  ])('cannot be judged with %s', async (_, limits, tool, expected) => {
    const { outcome, text, exitCode } = await trialOf(limits, tool);
    expect({ outcome, exitCode }).toEqual({ outcome: 'error', exitCode: 3 });
    expect(text).toContain(expected);
  });

  it('has the limits of earlier versions with `true`', async () => {
    expect((await trialOf(true, 'steady')).text).toMatch(/the limit is 1024 MB; No test took longer than 300000 ms$/);
  });
});

describe('a `performance` key that is wrong', () => {
  it.each([
    ['an unknown key', { maxRss: 5 }, {}, /c\.json:\d+:\d+: .*maxRss.*maxRssMB/s],
    ['a limit that is not a number', { maxRssMB: 'many' }, {}, /c\.json:\d+:\d+: /],
    [
      'suites at the same time',
      { maxRssMB: 5 },
      { concurrent: true },
      /cannot be measured while suites use the server/,
    ],
  ])('is refused: %s', async (_, performance, more, expected) => {
    const { exitCode, stderr, stdout } = await run(performance, 'steady', more);
    expect(exitCode).toBe(2);
    expect(stderr + stdout).toMatch(expected);
  });

  it('warns about keys and limits that have no effect', async () => {
    const { stderr } = await run({ maxHeapUsedMB: 5, gcTriggerThresholdMB: 2, tools: { gone: { p50: 1 } } }, 'steady');
    expect(stderr).toContain('`maxHeapUsedMB` is not checked');
    expect(stderr).toContain('`gcTriggerThresholdMB` is not checked');
    expect(stderr).toContain('no test calls the tool "gone"');
  });
});
