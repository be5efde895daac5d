import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const env = { ORDERS_API_KEY: 'k9-very-secret-0815' };

interface CallTrial {
  readonly trialId: string;
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: { readonly faults?: string };
  readonly outcome: string;
  readonly fault?: { readonly code: string };
  readonly control?: Readonly<Record<string, number>>;
}

function trialsIn({ stdout }: { readonly stdout: string }): CallTrial[] {
  return (JSON.parse(stdout) as { readonly trials: CallTrial[] }).trials;
}

function run(folder: string, ...flags: string[]) {
  return assay(['run', '--json', ...flags], { cwd: folder, env });
}

async function traceOf(folder: string, trialId = ''): Promise<Trace> {
  const shown = await assay(['show', trialId, '--json'], { cwd: folder });
  return (JSON.parse(shown.stdout) as { trace: Trace }).trace;
}

/** What a tool printed and answered in each trial. */
async function answers(folder: string, result: Awaited<ReturnType<typeof run>>): Promise<string[]> {
  const traces = await Promise.all(trialsIn(result).map(({ trialId }) => traceOf(folder, trialId)));
  return traces.map((trace) =>
    JSON.stringify([
      eventsOf(trace, 'output').map(({ channel, text }) => [channel, text]),
      eventsOf(trace, 'tool-result').map(({ result: given, error }) => [given, error]),
    ]),
  );
}

const tool = `import { existsSync } from 'node:fs';
if (existsSync(new URL('unusable', import.meta.url))) throw new Error('loaded');
export default ({ n }) => {
  console.log('asked for', n);
  if (n === 3) throw Object.assign(new RangeError('too much'), { code: 'E3' });
  return n === 4 ? undefined : { n, at: Math.random(), key: n === 2 ? '${env.ORDERS_API_KEY}' : null };
};
`;
const command = `sh -c 'read line; echo "$line" >&2; echo called >> calls.txt; case $line in *3*) exit 7;; *4*) kill -9 $$;; esac; echo "{\\"id\\":$$}"'`;
const names = ['module.json', 'command.json', 'http.json'];
const cases = [1, 2, 3, 4].map((n) => ({ name: `c${n}`, input: { n }, passCriteria: ['true'] }));

async function project(url: string, more: object = {}): Promise<string> {
  const scenarios = { module: { module: './tool.mjs' }, command: { command }, http: { url } };
  const files = Object.entries(scenarios).map(([name, call]) => [
    `${name}.json`,
    JSON.stringify({ name, call, cases, ...more }),
  ]);
  return temporaryFolder({ 'tool.mjs': tool, ...Object.fromEntries(files) });
}

async function withEndpoint<Value>(use: (url: string) => Promise<Value>): Promise<Value> {
  let count = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { n } = JSON.parse(Buffer.concat(parts).toString());
      response.writeHead(n === 3 ? 503 : 200);
      response.end(n === 4 ? 'no JSON' : JSON.stringify({ n, count: ++count }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('recorded calls of tools that are called directly', () => {
  it('answer in their absence with the same results, output and verdicts', async () => {
    const { folder, live, before } = await withEndpoint(async (url) => {
      const made = await project(url);
      const first = await run(made, ...names, '--record-tools', 'rec');
      return { folder: made, live: first, before: await answers(made, first) };
    });
    expect(trialsIn(live).map(({ outcome }) => outcome)).toContain('error');
    expect(await readdir(join(folder, 'rec'))).toHaveLength(12);
    // The endpoint is gone, the module cannot be loaded, and the command would leave a trace.
    await writeFile(join(folder, 'unusable'), '');
    await rm(join(folder, 'calls.txt'));
    const replayed = await run(folder, ...names, '--replay-tools', 'rec');
    expect(await readdir(folder)).not.toContain('calls.txt');
    const verdict = (trial: CallTrial) => [trial.scenario, trial.caseId, trial.outcome, trial.fault?.code];
    expect(trialsIn(replayed).map(verdict)).toEqual(trialsIn(live).map(verdict));
    expect(trialsIn(replayed).map(({ control }) => control)).toEqual(Array(12).fill({ replay: 1 }));
    expect(await answers(folder, replayed)).toEqual(before);
    const secret = trialsIn(replayed).find(({ scenario, caseId }) => scenario === 'module' && caseId === 'c2');
    expect(eventsOf(await traceOf(folder, secret?.trialId), 'tool-control')).toMatchObject([
      { border: 'call', kind: 'replay', what: 'answered from the recording, where a secret is masked' },
    ]);
    const resumed = await run(folder, '--resume', 'latest', '--retry-errors');
    expect(trialsIn(resumed).map(verdict)).toEqual(trialsIn(live).map(verdict));
    const compared = await assay(['compare', 'latest~1', 'latest'], { cwd: folder });
    expect(compared).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('real tools in A, replayed in B') });
    const rescored = await assay(['rescore', 'latest', '--json'], { cwd: folder, env });
    expect(trialsIn(rescored).map(verdict)).toEqual(trialsIn(live).map(verdict));
  });

  it.each([
    ['error', { outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } }],
    ['tool-error', { outcome: 'fail', toolError: { message: 'This call is not in the recording.' } }],
    ['real', { outcome: 'pass', control: { replay: 1 } }],
  ])('a call that is not recorded: %s', async (miss, expected) => {
    const only = { replay: { miss }, passCriteria: ['result.n === 5 || result.n === 1'] };
    const folder = await temporaryFolder({ 'tool.mjs': tool });
    const write = (n: number) =>
      writeFile(
        join(folder, 'one.json'),
        JSON.stringify({ name: 'One', call: { module: './tool.mjs' }, input: { n }, ...only }),
      );
    await write(1);
    await run(folder, 'one.json', '--record-tools', 'rec');
    await write(5);
    expect(trialsIn(await run(folder, 'one.json', '--replay-tools', 'rec'))).toMatchObject([expected]);
  });

  it('do not answer for a tool that was changed, unless loosely', async () => {
    const folder = await temporaryFolder({ 'tool.mjs': tool });
    const write = (more: object) => {
      const call = { module: './tool.mjs' };
      const content = { name: 'One', call, input: { n: 1 }, passCriteria: ['true'], ...more };
      return writeFile(join(folder, 'one.json'), JSON.stringify(content));
    };
    await write({});
    await run(folder, 'one.json', '--record-tools', 'rec');
    await writeFile(join(folder, 'tool.mjs'), tool.replace('too much', 'too many'));
    const [trial] = trialsIn(await run(folder, 'one.json', '--replay-tools', 'rec'));
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'TOOL_REPLAY_MISS' } });
    expect(JSON.stringify(trial)).toContain('tool.mjs was changed');
    await write({ replay: { match: 'loose' } });
    expect(trialsIn(await run(folder, 'one.json', '--replay-tools', 'rec'))).toMatchObject([{ outcome: 'pass' }]);
  });

  it('that were changed are refused with their place, before anything is run', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': tool,
      'one.json': JSON.stringify({
        name: 'One',
        call: { module: './tool.mjs' },
        input: { n: 1 },
        passCriteria: ['true'],
      }),
    });
    await run(folder, 'one.json', '--record-tools', 'rec');
    const [name = ''] = await readdir(join(folder, 'rec'));
    const path = join(folder, 'rec', name);
    const text = await readFile(path, 'utf8');
    for (const [edited, problem] of [
      [text.replace('"result":{"n":1', '"result":{"n":2'), /:3:\d+: this line was changed after it was recorded/],
      [text.replace('"tool":"default"', '"tool":7'), /:3:\d+: /],
      [text.slice(0, -30), /:3:\d+: /],
      [text.split('\n').slice(2).join('\n'), /:1:1: this is not a recording/],
    ] as const) {
      await writeFile(path, edited);
      const refused = await run(folder, 'one.json', '--replay-tools', 'rec');
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(problem) });
    }
    const runs = await assay(['runs', '--json'], { cwd: folder });
    expect(JSON.parse(runs.stdout)).toHaveLength(1);
  });
});

describe('faults of tools that are called directly', () => {
  const one = [{ name: 'c', input: { n: 1 }, passCriteria: ['true'] }];
  const faults = {
    failed: [{ fault: 'error', message: 'Locked' }],
    limited: [{ fault: 'rate-limit', retryAfterSecs: 2, toolRuns: true }],
    emptied: [{ fault: 'empty' }],
    retyped: [{ fault: 'schema-breaking', args: { n: 1 } }],
    unmet: [{ fault: 'error', args: { n: 2 } }],
    late: [{ fault: 'latency', ms: 5 }],
  };

  it('break the answers of functions, programs and endpoints; recordings hold the real ones', async () => {
    await withEndpoint(async (url) => {
      const folder = await project(url, { cases: one, faults });
      const ended = await run(folder, ...names, '--record-tools', 'rec');
      const trials = trialsIn(ended);
      expect(trials).toHaveLength(21);
      const given = new Map<string, unknown>();
      for (const { trialId, scenario, variant, control } of trials) {
        const trace = await traceOf(folder, trialId);
        const acted = !['none', 'unmet'].includes(variant.faults ?? '');
        expect(eventsOf(trace, 'tool-control').length).toBe(acted ? 1 : 0);
        if (variant.faults !== 'none') expect(control).toEqual({ fault: acted ? 1 : 0 });
        const [answer] = eventsOf(trace, 'tool-result');
        given.set(`${scenario} ${variant.faults}`, [answer?.answeredBy, answer?.error ?? answer?.result]);
      }
      const limited = 'Rate limit exceeded. Retry after 2 s.';
      expect(Object.fromEntries(given)).toMatchObject({
        'module failed': ['fault', { message: 'Locked' }],
        'command failed': ['fault', { message: 'Locked', exitCode: 1 }],
        'http failed': ['fault', { message: 'Locked', status: 500 }],
        'http limited': ['fault', { message: limited, status: 429, retryAfterSecs: 2 }],
        'module emptied': ['fault', undefined],
        'http retyped': ['fault', { n: '1' }],
        'module unmet': [undefined, { n: 1 }],
        'http late': [undefined, { n: 1 }],
      });
      // Neither a fault before the tool ran nor one that changed its answer is in a recording.
      const tapes = await Promise.all(
        (await readdir(join(folder, 'rec'))).map((name) => readFile(join(folder, 'rec', name), 'utf8')),
      );
      expect(tapes.join('')).not.toMatch(/Locked|Rate limit|"n":"1"/);
      expect(tapes.join('')).toMatch(/"n":1/);
    });
  });

  it('that last longer than the trial may leave it without a verdict, and do not blame the tool', async () => {
    const call = { module: './tool.mjs' };
    const late = { name: 'Late', call, cases: one, timeoutSecs: 1, faults: [{ fault: 'latency', ms: 600_000 }] };
    const folder = await temporaryFolder({ 'tool.mjs': tool, 'late.json': JSON.stringify(late) });
    expect(trialsIn(await run(folder, 'late.json'))).toMatchObject([
      { outcome: 'error', fault: { code: 'FAULT_ENDED_TRIAL', blame: 'user' } },
    ]);
  });
});
