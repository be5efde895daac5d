import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { serviceNames, serviceOf } from './publish-services/index.ts';
import type { Fate, Seen, SeenRun, Service } from './publish-services/service.ts';

const scenario = `name: orders
call: { command: "node tool.mjs" }
repeat: 2
cases:
  - { name: found, input: { id: 1 }, expected: { total: 30 } }
  - { name: wrong, input: { id: 2 }, expected: { total: 31 } }
  - { name: broken, input: { id: 3 }, expected: { total: 32 } }
passCriteria: [result.total === expected.total]
`;
const tool = `let text = ''; for await (const part of process.stdin) text += part;
const { id } = JSON.parse(text); if (id === 3) process.kill(process.pid, 'SIGKILL');
console.log(JSON.stringify({ total: 30, note: 'remark-4711-abcdef' }));`;

/** A project whose six trials are stored. */
async function storedProject(): Promise<string> {
  const cwd = await temporaryFolder({ 's.yaml': scenario, 'tool.mjs': tool });
  const run = await assay(['run', 's.yaml', '--quiet'], { cwd });
  expect(run.exitCode, run.stdout + run.stderr).toBe(1);
  return cwd;
}

async function publish(cwd: string, name: string, service: Service, more: readonly string[] = [], env = {}) {
  const args = ['export', 'latest', '--to', name, '--dataset', 'shop', '--json', ...more];
  const result = await assay(args, { cwd, env: { ...service.env, ...env } });
  const isJson = result.stdout.startsWith('{');
  return { ...result, report: isJson ? JSON.parse(result.stdout) : undefined };
}

const place = (run: SeenRun): string => `${run.case} ${run.repeat}`;

/** In an order that does not depend on which request came first. */
function sorted({ dataset, experiments, runs }: Seen): Seen {
  const byCase = <Entry>(list: readonly Entry[], key: (entry: Entry) => string): Entry[] =>
    [...list].sort((a, b) => key(a).localeCompare(key(b)));
  return {
    dataset: byCase(dataset, (item) => String(item.case)),
    experiments: [...experiments].sort(),
    runs: byCase(runs, place),
  };
}

const taken = { sent: 6, sentBefore: 0, refused: 0, waiting: [], failures: [] };

describe.each(serviceNames)('a run that is published to %s', (name) => {
  it('has its cases as a dataset, and every trial with its verdicts', async () => {
    const service = await serviceOf(name);
    const { exitCode, stderr, report } = await publish(await storedProject(), name, service);
    expect(exitCode, stderr).toBe(0);
    expect(report).toMatchObject(taken);
    const seen = sorted(service.seen());
    expect(seen.dataset).toEqual([
      { case: 'broken', input: { id: 3 }, expected: { total: 32 } },
      { case: 'found', input: { id: 1 }, expected: { total: 30 } },
      { case: 'wrong', input: { id: 2 }, expected: { total: 31 } },
    ]);
    expect(seen.runs.map(place)).toEqual(['broken 1', 'broken 2', 'found 1', 'found 2', 'wrong 1', 'wrong 2']);
    const outcomes = seen.runs.map(({ scores, isError }) => ({ outcome: scores.outcome ?? null, isError }));
    const twice = <Entry>(entry: Entry): Entry[] => [entry, entry];
    expect(outcomes).toEqual([
      // A trial that could not be judged has no score, so no average counts it as a failure.
      ...twice({ outcome: null, isError: true }),
      ...twice({ outcome: 1, isError: false }),
      ...twice({ outcome: 0, isError: false }),
    ]);
    expect(seen.runs[2]?.output).toBe('{"total":30,"note":"remark-4711-abcdef"}');
    expect(new Set(seen.experiments).size).toBe(seen.experiments.length);
  });

  it('is there once, however often it is published', async () => {
    const [service, cwd] = [await serviceOf(name), await storedProject()];
    await publish(cwd, name, service);
    const before = sorted(service.seen());
    const requests = service.requests.length;
    expect((await publish(cwd, name, service)).report).toMatchObject({ sent: 0, sentBefore: 6 });
    expect(service.requests.length).toBe(requests);
    expect((await publish(cwd, name, service, ['--again'])).report).toMatchObject(taken);
    expect(sorted(service.seen())).toEqual(before);
  });

  it.each([
    ['refuses', 500],
    ['does and loses the answer of', 'lose the answer'],
  ] as const)('is whole when the service %s any one request, and it is published again', async (_what, fate: Fate) => {
    const cwd = await storedProject();
    const whole = await serviceOf(name);
    await publish(cwd, name, whole);
    const expected = sorted(whole.seen());
    for (let broken = 0; broken < whole.requests.length; broken += repeatsInFull ? 1 : 5) {
      const service = await serviceOf(name);
      let isBroken = false;
      service.fate = (index) => {
        if (index !== broken || isBroken) return 'answer';
        isBroken = true;
        return fate;
      };
      await publish(cwd, name, service, ['--timeout-secs', '20']);
      const { exitCode, report, stderr } = await publish(cwd, name, service);
      expect(exitCode, `request ${broken}: ${stderr}`).toBe(0);
      expect(report.waiting, `request ${broken}`).toEqual([]);
      expect(sorted(service.seen()), `request ${broken}`).toEqual(expected);
    }
  });

  it('waits when the service refuses the key, and says so without the key', async () => {
    const [service, cwd] = [await serviceOf(name), await storedProject()];
    service.fate = () => 401;
    const { exitCode, stdout, stderr, report } = await publish(cwd, name, service);
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({ sent: 0, waiting: [expect.any(String)] });
    expect(stderr).toContain('status 401');
    expect(stdout + stderr).not.toMatch(/-4711/);
    expect(service.requests).toHaveLength(1);
  });

  it('has no secret of the environment in it', async () => {
    const [service, cwd] = [await serviceOf(name), await storedProject()];
    await publish(cwd, name, service, [], { REMARK_TOKEN: 'remark-4711-abcdef' });
    expect(service.seen().runs).toHaveLength(6);
    expect(JSON.stringify(service.requests.map(({ body }) => body))).not.toContain('remark-4711-abcdef');
  });

  it('keeps what it can of a batch of which one trial is refused', async () => {
    const [service, cwd] = [await serviceOf(name), await storedProject()];
    // Where each service gets the trials themselves.
    const isOfTrials = /otel|experiment\/.*\/insert$|\/runs$/;
    service.fate = (_index, { path, body }) =>
      isOfTrials.test(path) && JSON.stringify(body ?? '').includes('wrong') ? 422 : 'answer';
    const { exitCode, report, stderr } = await publish(cwd, name, service);
    expect(exitCode, stderr).toBe(3);
    expect(report).toMatchObject({ sent: 4, refused: 2, waiting: [] });
    expect(service.seen().runs.map((run) => run.case)).not.toContain('wrong');
  });
});

describe('assay export --to', () => {
  it('names the variables that are missing', async () => {
    const cwd = await storedProject();
    const { exitCode, stderr } = await assay(['export', 'latest', '--to', 'braintrust'], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('BRAINTRUST_API_KEY')]);
  });

  it.each([
    [['--to', 'nowhere'], 'langfuse, braintrust, phoenix'],
    [['--to', 'phoenix', '--otlp', 'http://127.0.0.1:1'], 'one of --to and --otlp'],
    [['--dataset', 'shop'], '--dataset needs --to'],
  ])('refuses %j', async (args, message) => {
    const cwd = await temporaryFolder({ 's.yaml': scenario, 'tool.mjs': tool });
    const { exitCode, stderr } = await assay(['export', ...args], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
