import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../domain/outcome.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { RunLease } from '../../../keep/store/run-lease.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type {
  Dashboard,
  FailureClusters,
  RunBreakdown,
  RunDetail,
  RunHead,
  RunList,
  TrialItem,
  TrialList,
} from '../api/runs.ts';

const long = 'word '.repeat(1_000);

/** A run that has ended, with a trial for each outcome. */
async function keep(
  served: ServedProject,
  runId: string,
  outcomes: readonly Outcome[],
  header: Partial<RunHeader> = {},
) {
  const { store } = served.context;
  const planned = outcomes.length;
  await store.createRun(runHeader(runId, { planned, status: 'finished', finishedAt: 1_700_000_060_000, ...header }));
  await store.saveTrials(
    outcomes.map((outcome, ordinal) => {
      const { record, trace } = finishedTrial(runId, ordinal, { outcome });
      const model = ordinal % 2 === 0 ? 'even' : 'odd';
      const state = outcome === 'fail' ? 'fail' : 'pass';
      const reason = outcome === 'fail' ? `"${ordinal}" is not there: ${long}` : 'fine';
      const evaluatorResults = [
        { type: 'contains', kind: 'assertion', state, success: state === 'pass', reason },
      ] as const;
      return { record: { ...record, variant: { model }, reason, evaluatorResults: [...evaluatorResults] }, trace };
    }),
  );
}

describe('stored runs', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles();
    await keep(served, 'r-1-old', ['pass', 'pass', 'pass', 'fail'], { startedAt: 1_000, request: named('first try') });
    await keep(served, 'r-2-new', ['fail', 'pass', 'fail', 'error'], { startedAt: 2_000 });
    await keep(served, 'r-3-dead', ['pass'], { startedAt: 3_000, planned: 9, status: 'running', finishedAt: null });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('are listed in pages, the newest first', async () => {
    const first = await served.get<RunList>('/api/runs?limit=2');
    expect(first.items.map(({ runId }) => runId)).toEqual(['r-3-dead', 'r-2-new']);
    const second = await served.get<RunList>(`/api/runs?limit=2&cursor=${encodeURIComponent(first.next ?? '')}`);
    expect(second).toMatchObject({ items: [{ runId: 'r-1-old', name: 'first try', outcome: 'fail' }], next: null });
  });

  it('are found by what they are called', async () => {
    const { items } = await served.get<RunList>('/api/runs?text=FIRST');
    expect(items.map(({ runId }) => runId)).toEqual(['r-1-old']);
  });

  it('whose process is gone do not go on, and can be taken up', async () => {
    expect(await served.get('/api/runs/r-3-dead')).toMatchObject({
      status: 'interrupted',
      isLive: false,
      canCancel: false,
      canResume: true,
    });
  });

  it('are named, archived and deleted, but not while they run or are a baseline', async () => {
    await keep(served, 'r-0-mine', ['pass'], { startedAt: 10 });
    const label = (change: object) => served.send('PUT', '/api/runs/r-0-mine/labels', change);
    const ids = async (query: string) =>
      (await served.get<RunList>(`/api/runs?${query}`)).items.map(({ runId }) => runId);
    await label({ name: ' Before the fix ', tags: ['nightly'], notes: 'Look at case 3.' });
    expect(await served.get('/api/runs/r-0-mine')).toMatchObject({
      ...{ name: 'Before the fix', tags: ['nightly'], notes: 'Look at case 3.', isArchived: false, source: null },
    });
    expect(await ids('text=NIGHTLY')).toEqual(['r-0-mine']);
    await label({ isArchived: true });
    expect(await ids('text=nightly')).toEqual([]);
    expect(await ids('text=nightly&isArchived=true')).toEqual(['r-0-mine']);
    expect((await label({ tags: [' '] })).status).toBe(400);
    await keep(served, 'r-9-live', [], { startedAt: Date.now(), planned: 1, status: 'running', finishedAt: null });
    const { signal } = new AbortController();
    const lease = await RunLease.take('r-9-live', served.context.store, { signal });
    const live = await served.send('DELETE', '/api/runs/r-9-live');
    expect([live.status, await live.json()]).toMatchObject([409, { code: 'RUN_LIVE' }]);
    await lease[Symbol.asyncDispose]();
    await served.context.store.deleteRuns(['r-9-live']);
    expect((await served.send('DELETE', '/api/runs/r-0-mine')).status).toBe(200);
    expect((await served.request('/api/runs/r-0-mine')).status).toBe(404);
  });

  it('say why they cannot be run again', async () => {
    const imported = {
      ...runHeader('r').request,
      origin: { kind: 'import', file: 'x.jsonl', format: 'inspect' } as const,
    };
    await keep(served, 'r-0-imported', ['pass'], { startedAt: 0, request: imported });
    const why = async (runId: string) => (await served.get<RunDetail>(`/api/runs/${runId}`)).whyNotAgain;
    expect(await why('r-1-old')).toMatch(/^Its file .* is gone\.$/);
    expect(await why('r-0-imported')).toBe('Its trials were imported: they ran elsewhere.');
    const refused = await served.send('POST', '/api/runs', { from: 'r-0-imported' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining('imported') }]);
    await served.context.store.deleteRuns(['r-0-imported']);
  });

  it('show how each scenario went under each variant', async () => {
    const { cells, header } = await served.get<RunDetail>('/api/runs/r-2-new');
    expect(cells).toMatchObject([
      { variant: { model: 'even' }, pass: 0, fail: 2, error: 0 },
      { variant: { model: 'odd' }, pass: 1, fail: 0, error: 1 },
    ]);
    expect(header.runId).toBe('r-2-new');
  });

  it('are known by their counts alone, before any trial is read for their figures', async () => {
    for (const runId of ['r-1-old', 'r-2-new']) {
      const head = await served.get<RunHead>(`/api/runs/${runId}/head`);
      expect(await served.get<RunDetail>(`/api/runs/${runId}`)).toMatchObject({ ...head });
      expect(head).not.toHaveProperty('passRate');
    }
  });

  it('are counted again after they were resumed', async () => {
    const { store } = served.context;
    await keep(served, 'r-0-again', ['pass'], { startedAt: 1, planned: 2, status: 'interrupted' });
    expect(await served.get('/api/runs/r-0-again')).toMatchObject({ totals: { pass: 1, notRun: 1 } });
    await store.saveTrials([finishedTrial('r-0-again', 1)]);
    await store.setRunStatus('r-0-again', 'finished', 1_700_000_090_000);
    expect(await served.get('/api/runs/r-0-again')).toMatchObject({ totals: { pass: 2, notRun: 0 } });
  });

  it('list their trials by outcome, variant and text, in any order', async () => {
    const list = async (query: string) =>
      (await served.get<TrialList>(`/api/runs/r-2-new/trials?${query}`)).items.map(({ ordinal }: TrialItem) => ordinal);
    expect(await list('')).toEqual([0, 1, 2, 3]);
    expect(await list('outcome=fail,error')).toEqual([0, 2, 3]);
    expect(await list(`variant=${encodeURIComponent('{"model":"odd"}')}`)).toEqual([1, 3]);
    expect(await list('text=NOT%20THERE')).toEqual([0, 2]);
    expect(await list('order=started&direction=desc')).toEqual([3, 2, 1, 0]);
    const { items } = await served.get<TrialList>('/api/runs/r-2-new/trials?limit=1');
    expect(items[0]?.reason.length).toBeLessThan(600);
  });

  it.each([
    'outcome=nonsense',
    'variant=nonsense',
    'variant={"colour":"red"}',
    'order=size',
    'limit=0',
    'limit=501',
    'cursor=nonsense',
  ])('refuse to list trials with %s', async (query) => {
    const response = await served.request(`/api/runs/r-2-new/trials?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
  });

  it('are marked as imported, with their trials, by the format of their file', async () => {
    const origin = { kind: 'import', file: 'results.json', format: 'promptfoo' } as const;
    await keep(served, 'r-0-import', ['pass'], { startedAt: 20, request: { ...named('elsewhere'), origin } });
    const mark = { origin: 'import', importedFrom: 'promptfoo', durationMs: null };
    expect((await served.get<RunList>('/api/runs?text=elsewhere')).items).toMatchObject([mark]);
    expect(await served.get('/api/runs/r-0-import')).toMatchObject(mark);
    const [trial] = (await served.get<TrialList>('/api/runs/r-0-import/trials')).items;
    expect(await served.get(`/api/trials/${trial?.trialId}`)).toMatchObject({ run: { importedFrom: 'promptfoo' } });
    expect(await served.get('/api/runs/r-2-new')).toMatchObject({ origin: 'run', importedFrom: null });
    await served.context.store.deleteRuns(['r-0-import']);
  });

  it('are counted as they are looked for, beside all that there are', async () => {
    const all = await served.get<RunList>('/api/runs');
    expect(all.items.length).toBeGreaterThan(1);
    expect(await served.get<RunList>('/api/runs?text=r-2-new')).toMatchObject({ items: [{}], total: all.items.length });
    const countOf = async (query: string) => {
      const { total, trials } = await served.get<TrialList>(`/api/runs/r-2-new/trials?${query}`);
      return [total, trials];
    };
    expect(await countOf('limit=1')).toEqual([4, 4]);
    expect(await countOf('limit=1&outcome=fail,error')).toEqual([3, 4]);
    expect(await countOf(`limit=1&outcome=fail&variant=${encodeURIComponent('{"model":"odd"}')}`)).toEqual([0, 4]);
    expect(await countOf('limit=1&scenario=sample')).toEqual([4, 4]);
    expect(await countOf('limit=1&scenario=none')).toEqual([0, 4]);
    expect(await countOf('limit=1&text=there'), 'not counted').toEqual([null, 4]);
    expect(await countOf('text=there'), 'all are on the page').toEqual([2, 4]);
  });

  it('have trials with the beginning of their input where the name of their case says nothing', async () => {
    await served.context.store.createRun(runHeader('r-0-marks', { planned: 2, status: 'finished', startedAt: 500 }));
    await served.context.store.saveTrials(
      ['#3', 'named'].map((caseId, ordinal) => {
        const { record, trace } = finishedTrial('r-0-marks', ordinal, {});
        return { record: { ...record, caseId, excerpt: { input: `Where is it? ${long}` } }, trace };
      }),
    );
    const { items } = await served.get<TrialList>('/api/runs/r-0-marks/trials');
    expect(items[0]?.input).toMatch(/^Where is it\? word .{0,190}…$/);
    expect(items[1]).not.toHaveProperty('input');
    await served.context.store.deleteRuns(['r-0-marks']);
  });

  it('put together what went wrong alike', async () => {
    const { clusters, isComplete } = await served.get<FailureClusters>('/api/runs/r-2-new/problems');
    expect(isComplete).toBe(true);
    expect(clusters[0]).toMatchObject({ outcome: 'fail', count: 2, example: { caseId: 'case-0' } });
    expect(clusters.map(({ count }) => count)).toEqual([2, 1]);
    const ofCluster = `/api/runs/r-2-new/trials?cluster=${encodeURIComponent(clusters[0]?.key ?? '')}`;
    expect((await served.get<TrialList>(ofCluster)).items.map(({ ordinal }) => ordinal)).toEqual([0, 2]);
    expect((await served.get<TrialList>('/api/runs/r-2-new/trials?cluster=none')).items).toEqual([]);
  });

  it('have rates of assertions and means of metrics by case, over judged trials', async () => {
    const { assertions, metrics, sections } = await served.get<RunBreakdown>('/api/runs/r-2-new/breakdown');
    expect(assertions).toMatchObject([{ name: 'contains', rate: { rate: 1 / 3, trials: 3, passed: 1, cases: 3 } }]);
    const duration = metrics.find(({ name }) => name === 'duration-ms');
    expect(duration).toMatchObject({ unit: 'ms', mean: expect.any(Number), trials: 3, missing: 0 });
    const rows = sections.map(({ title, blocks: [first] }) => [title, first?.kind === 'table' && first.rows.length]);
    expect(rows).toEqual([['Pass rate by variant', 2]]);
  });

  it('are compared with each other, and by their variants', async () => {
    const both = await served.get<Comparison>('/api/compare?a=r-1-old&b=r-2-new');
    expect(both.changedCases.map(({ caseId, change }) => [caseId, change])).toContainEqual(['case-0', 'broke']);
    const models = await served.get<Comparison>('/api/compare?a=r-2-new&by=model&valueA=even&valueB=odd&force=true');
    expect([models.a.label, models.b.label]).toEqual(['even', 'odd']);
    expect((await served.request('/api/compare?a=r-1-old')).status).toBe(400);
    expect((await served.request('/api/compare?a=r-1-old&b=/etc/passwd')).status).toBe(404);
  });

  it('are compared in a page to keep, with trials of both', async () => {
    const response = await served.request('/api/compare/report?a=r-1-old&b=r-2-new');
    expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''r-2-new-comparison.html");
    const html = await response.text();
    expect(html).toContain('"opensWith":"comparison"');
    const { items } = await served.get<TrialList>('/api/runs/r-1-old/trials');
    expect(items.some(({ trialId }) => html.includes(`"${trialId}"`))).toBe(true);
    expect((await served.request('/api/compare/report?a=r-1-old')).status).toBe(400);
    const several = await served.request('/api/compare/runs/report?runs=r-1-old,r-2-new');
    expect(await several.text()).toContain('"opensWith":"variants"');
  });

  it('have trials whose steps are compared', async () => {
    const { items } = await served.get<TrialList>('/api/runs/r-2-new/trials');
    const diff = await served.get<TrialsDiff>(`/api/diff?a=${items[0]?.trialId}&b=${items[1]?.trialId}`);
    expect(diff).toMatchObject({ kind: 'trials', a: { trialId: items[0]?.trialId } });
  });

  it('are on the first page with what broke', async () => {
    const { recent, trends, broke, strip } = await served.get<Dashboard>('/api/dashboard');
    expect(recent[0]?.runId).toBe('r-3-dead');
    const [{ trend = [] } = {}] = trends;
    expect([trends.length, trend.map(({ runId }) => runId)]).toEqual([1, ['r-0-again', 'r-1-old', 'r-2-new']]);
    expect(strip).toMatchObject({
      failing: 1,
      passing: 0,
      rows: [{ cells: [{ pass: 2, fail: 0 }, { pass: 3 }, { pass: 1, fail: 2, error: 1 }] }],
    });
    expect(trend[1]).toMatchObject({ judged: 4, passRate: 0.75 });
    expect(broke).toMatchObject({ runId: 'r-2-new', previousRunId: 'r-1-old', fixedCount: 0 });
    expect(broke?.cases.map(({ caseId, change }) => [caseId, change])).toContainEqual(['case-0', 'broke']);
  });

  it('are reported as files to keep', async () => {
    const response = await served.request('/api/runs/r-2-new/report/html');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''r-2-new-.*\.html$/);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(await response.text()).toMatch(/^<!doctype html>/i);
    const json = await (await served.request('/api/runs/r-2-new/report/json')).text();
    expect(JSON.parse(json)).toMatchObject({ schema: 'assay.run/1', runId: 'r-2-new' });
    expect((await served.request('/api/runs/r-2-new/report/nonsense')).status).toBe(400);
  });

  it.each(['', '/trials', '/problems', '/events', '/report/html'])(
    'that do not exist are refused: %s',
    async (path) => {
      const response = await served.request(`/api/runs/r-none${path}`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    },
  );
});

function named(name: string): RunHeader['request'] {
  return { ...runHeader('r').request, name };
}
