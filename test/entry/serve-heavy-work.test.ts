import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import type { FileCheck } from '../../src/entry/server/api/project.ts';
import type { WorkList } from '../../src/entry/server/api/system.ts';
import type { Comparison } from '../../src/report/compare/comparison.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { type Serving, serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const trials = 6_000;

/** Two runs; in the second, the first 600 cases fail. */
async function storeOfLargeRuns(cwd: string): Promise<void> {
  await using store = await openProjectStore(cwd);
  for (const [runId, failing] of [
    ['r-before', 0],
    ['r-after', 600],
  ] as const) {
    await store.createRun(runHeader(runId, { planned: trials, status: 'finished', finishedAt: 1_700_000_900_000 }));
    const outcome = (ordinal: number) => (ordinal < failing ? 'fail' : 'pass');
    await store.saveTrials(
      Array.from({ length: trials }, (_, ordinal) => finishedTrial(runId, ordinal, { outcome: outcome(ordinal) })),
    );
  }
}

/** One case of the first run again, which fails now. */
async function runOneAgain(cwd: string): Promise<void> {
  await using store = await openProjectStore(cwd);
  const { record, trace } = finishedTrial('r-again', 5, { outcome: 'fail' });
  const { file, scenario, caseId, variant } = record;
  const { request, ...header } = runHeader('r-again', {
    planned: 1,
    status: 'finished',
    finishedAt: 1_700_000_900_001,
  });
  const only = { runId: 'r-before', cases: [{ file, scenario, caseId, variant }] };
  await store.createRun({ ...header, request: { ...request, only } });
  await store.saveTrials([{ record, trace }]);
}

function scenarioOf(cases: number, call: string): string {
  const lines = Array.from({ length: cases }, (_, index) => `  - { name: c${index}, input: { a: ${index} } }`);
  return `name: big\ncall: ${call}\ncases:\n${lines.join('\n')}\npassCriteria: [result > 0]\n`;
}

function check({ request }: Serving, text: string): Promise<Response> {
  return request('/api/files-check', {
    method: 'POST',
    body: JSON.stringify({ path: 'big.yaml', kind: 'scenario', text }),
  });
}

/** The processes that the server does such work in. */
async function workersOf({ pid }: Serving): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

async function workOf({ request }: Serving): Promise<WorkList['items']> {
  return ((await (await request('/api/work')).json()) as WorkList).items;
}

/** How many trials the server says that it has read, until it answers. */
async function readWhile(server: Serving, request: Promise<Response>): Promise<number[]> {
  const read: number[] = [];
  let isAnswered = false;
  const answered = request.finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) read.push(...(await workOf(server)).map((work) => work.read));
  await (await answered).json();
  return read;
}

const isLinux = process.platform === 'linux';
const soon = { timeout: 30_000, interval: 20 };

describe('heavy work of the server', () => {
  it.runIf(isLinux)(
    'is done in other processes: requests are answered meanwhile, results and refusals arrive',
    async () => {
      const cwd = await temporaryFolder({ 'other.yaml': scenarioOf(1, '{ command: cat }') });
      await storeOfLargeRuns(cwd);
      const server = await serving(cwd);
      const wrong = (await (await check(server, scenarioOf(5_000, '{ comand: cat }'))).json()) as FileCheck;
      expect(wrong.problems[0]).toMatchObject({ line: 2, severity: 'error' });

      // The process of the first check waits for the next task; stopped, it does not get on with it.
      const [worker = 0] = await workersOf(server);
      process.kill(worker, 'SIGSTOP');
      const checking = check(server, scenarioOf(20_000, '{ command: cat }'));
      await vi.waitFor(async () => expect(await workOf(server)).toMatchObject([{ kind: 'check', runIds: [] }]), soon);
      expect((await server.request('/api/runs')).status).toBe(200);
      process.kill(worker, 'SIGCONT');
      const { problems, scenarios } = (await (await checking).json()) as FileCheck;
      expect(scenarios).toEqual([{ name: 'big', cases: 20_000, trials: 20_000 }]);
      expect(problems).toMatchObject([{ message: expect.stringContaining('first at other.yaml') }]);

      const compared = (await (await server.request('/api/compare?a=r-before&b=r-after')).json()) as Comparison;
      expect(compared.answer).toBe('worse');
      expect(compared.metrics[0]).toMatchObject({ name: 'pass-rate', cases: trials });
      expect(compared.changedCases).toHaveLength(600);
      const refused = await server.request('/api/variants?run=r-before&by=model');
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'REQUEST_INVALID' }]);
    },
  );

  it.runIf(isLinux)('says how far it is, and ends when the last who waits for it goes away', async () => {
    const cwd = await temporaryFolder({ 'assay.config.json': '{}' });
    await storeOfLargeRuns(cwd);
    await runOneAgain(cwd);
    const server = await serving(cwd);
    const compare = (signal?: AbortSignal) =>
      server.request('/api/compare?a=r-before&b=r-after', signal ? { signal } : {});
    const leaveWith = (leaving: AbortController) => async (error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    };

    // Each run is read once for all of its pages, here one after the other.
    const read = await readWhile(server, server.request('/api/runs/r-before'));
    expect(read).toEqual([...read].sort((a, b) => a - b));
    expect(Math.max(...read)).toBeGreaterThan(0);
    expect(Math.max(...read)).toBeLessThanOrEqual(trials);
    await (await server.request('/api/runs/r-after')).json();

    // The process that did it waits for the next task; stopped, it does not get on with it.
    const [worker = 0, ...others] = await workersOf(server);
    expect(others).toEqual([]);
    process.kill(worker, 'SIGSTOP');
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [compare(one.signal).catch(leaveWith(one)), compare(two.signal).catch(leaveWith(two))];
    const begun = { kind: 'compare', runIds: ['r-before', 'r-after'], isWaiting: false, read: 0, trials: 2 * trials };
    await vi.waitFor(async () => expect(await workOf(server)).toEqual([begun]), soon);
    one.abort();
    await both[0];
    // The other still waits for the same comparison.
    expect([await workOf(server), await workersOf(server)]).toEqual([[begun], [worker]]);
    two.abort();
    await both[1];
    await vi.waitFor(async () => expect([await workOf(server), await workersOf(server)]).toEqual([[], []]), soon);

    const compared = await compare();
    expect(((await compared.json()) as Comparison).answer).toBe('worse');
    expect(await workOf(server)).toEqual([]);

    // Reports are written there too; a download that is given up ends its process.
    const sent = await (await server.request('/api/runs/r-after/report/csv')).text();
    const { stdout } = await assayInProcess(['report', 'r-after', '--format', 'csv', '-o', '-'], { cwd });
    expect(sent).toBe(stdout);
    const [writer = 0] = await workersOf(server);
    process.kill(writer, 'SIGSTOP');
    const leaving = new AbortController();
    const download = server.request('/api/runs/r-after/report/html', { signal: leaving.signal });
    await vi.waitFor(async () => expect(await workOf(server)).toMatchObject([{ kind: 'report' }]), soon);
    leaving.abort();
    await download.then((response) => response.text()).catch(() => undefined);
    await vi.waitFor(async () => expect([await workOf(server), await workersOf(server)]).toEqual([[], []]), soon);

    // Beside a run of one case again, of 6,000 trials one is read: that needs no process.
    const again = await server.request('/api/compare?a=r-before&b=r-again');
    expect(await again.json()).toMatchObject({ a: { trials: 1 }, changedCases: [{ change: 'broke' }] });
    expect(await workersOf(server)).toEqual([]);
  });
});
