import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../../domain/record.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { Grid } from '../api/grid.ts';

const runId = 'r-grid';
const cases = ['Paris', 'Rome', 'Oslo'];

/** Three cases under two variants, each twice: `weak` fails Rome, and once Oslo; the first of `strong` is replayed. */
function record(ordinal: number): Partial<TrialRecord> {
  const caseId = cases[Math.floor(ordinal / 4)] ?? '';
  const repeat = Math.floor((ordinal % 4) / 2) + 1;
  const model = ordinal % 2 === 0 ? 'weak' : 'strong';
  const isBad = model === 'weak' && (caseId === 'Rome' || (caseId === 'Oslo' && repeat === 1));
  const state = isBad ? ('fail' as const) : ('pass' as const);
  return {
    caseId,
    repeat,
    variant: { model },
    outcome: state,
    reason: isBad ? 'wrong town' : 'fine',
    durationMs: ordinal === 11 ? null : 10 * (ordinal + 1),
    evaluatorResults: [
      { type: 'contains', id: 'names-it', kind: 'assertion', state, success: !isBad, reason: 'r' },
      { type: 'length', kind: 'metric', state: 'measured', success: true, value: ordinal, reason: 'r' },
    ],
    metrics: { length: ordinal % 4 === 3 ? null : ordinal },
    ...(ordinal === 1 && { control: { replay: 1 } }),
    ...(ordinal !== 0 && {
      excerpt: {
        input: `Capital? ${caseId}`,
        expected: caseId,
        answer: isBad ? 'no idea' : `It is ${caseId}`,
        metadata: { continent: 'Europe', nr: String(Math.floor(ordinal / 4)) },
      },
    }),
  };
}

describe('the grid of a run', () => {
  let served: ServedProject;
  const get = (query = ''): Promise<Grid> => served.get<Grid>(`/api/runs/${runId}/cases${query}`);
  const listed = async (query: string): Promise<string[]> => (await get(query)).items.map(({ caseId }) => caseId);

  beforeAll(async () => {
    served = await serveFiles();
    const { store } = served.context;
    await store.createRun(runHeader(runId, { planned: 12, status: 'finished', finishedAt: 1_700_000_060_000 }));
    await store.saveTrials(
      Array.from({ length: 12 }, (_, ordinal) => {
        const { record: blank, trace } = finishedTrial(runId, ordinal);
        return { record: { ...blank, ...record(ordinal) }, trace };
      }),
    );
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('says of each trial what Assay stood in for', async () => {
    const { items } = await get();
    const marks = items.flatMap(({ arms }) => arms.map(({ trials }) => trials.map((trial) => trial.marks.join())));
    expect(marks.flat().filter((text) => text !== '')).toEqual(['replayed']);
    expect(items[0]?.arms.find(({ variant }) => variant.model === 'strong')?.trials[0]?.marks).toEqual(['replayed']);
  });

  it('has one row for each case, with its texts, and its trials by variant', async () => {
    const { items, columns, cases: total } = await get();
    expect(items.map(({ caseId, arms }) => [caseId, arms.map(({ trials }) => trials.length)])).toEqual([
      ['Paris', [2, 2]],
      ['Rome', [2, 2]],
      ['Oslo', [2, 2]],
    ]);
    expect(items[1]).toMatchObject({ input: 'Capital? Rome', expected: 'Rome', metadata: { continent: 'Europe' } });
    expect(columns).toEqual({ evaluators: ['names-it'], metrics: ['length'], metadata: ['continent', 'nr'] });
    expect(total).toBe(10);
  });

  it('counts verdicts, averages what was observed, and says what is not known', async () => {
    const [, rome, oslo] = (await get()).items;
    const [weak, strong] = rome?.arms ?? [];
    expect(weak?.evaluators['names-it']).toMatchObject({ pass: 0, fail: 2, error: 0 });
    expect(weak).toMatchObject({ answer: 'no idea', reason: 'wrong town', durationMs: 60 });
    expect(strong?.metrics.length).toMatchObject({ mean: 5, of: 1 });
    expect(oslo?.arms[1]?.durationMs).toBeNull();
    expect(oslo?.arms[0]?.trialId).toBe(oslo?.arms[0]?.trials[0]?.trialId);
  });

  it('reads the texts of records that have none from the trace', async () => {
    const [paris] = (await get()).items;
    expect(paris?.arms[0]?.answer).toBe('{"ok":true,"none":null}');
  });

  it('is read page by page, in plan order and sorted, without a case twice', async () => {
    for (const sort of ['', '&sort=m:length&direction=desc']) {
      const first = await get(`?limit=2${sort}`);
      const second = await get(`?limit=2${sort}&cursor=${first.next}`);
      const all = [...first.items, ...second.items].map(({ caseId }) => caseId);
      expect(all).toEqual(sort === '' ? cases : cases.toReversed());
      expect(second.next).toBeNull();
    }
    const refused = await served.request(`/api/runs/${runId}/cases?sort=cost&cursor=plan-3`);
    expect(refused.status).toBe(400);
  });

  it('lists failures first, then errors, then the rest, page by page and each case once', async () => {
    const { store } = served.context;
    const outcomes = {
      calm: ['pass', 'pass'],
      odd: ['error', 'pass'],
      bad: ['pass', 'fail'],
      both: ['error', 'fail'],
    } as const;
    const trials = Object.entries(outcomes).flatMap(([caseId, ofCase]) =>
      ofCase.map((outcome) => ({ caseId, outcome })),
    );
    await store.createRun(runHeader('r-problems', { planned: 8, status: 'finished', finishedAt: 1_700_000_060_000 }));
    await store.saveTrials(
      trials.map(({ caseId, outcome }, ordinal) => {
        const { record: blank, trace } = finishedTrial('r-problems', ordinal);
        return { record: { ...blank, caseId, outcome, variant: {}, repeat: (ordinal % 2) + 1 }, trace };
      }),
    );
    for (const limit of [1, 2, 3, 50]) {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Grid = await served.get<Grid>(`/api/runs/r-problems/cases?sort=problems&limit=${limit}${cursor}`);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map(({ caseId, arms }) => `${caseId} ${arms[0]?.trials.length}`));
        cursor = page.next && `&cursor=${page.next}`;
      }
      expect(found).toEqual(['bad 2', 'both 2', 'odd 2', 'calm 2']);
    }
    const withProblem = async (outcome: string, limit: number): Promise<string[]> => {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const filter = `sort=problems&outcome=${outcome}&limit=${limit}`;
        const page: Grid = await served.get<Grid>(`/api/runs/r-problems/cases?${filter}${cursor}`);
        found.push(...page.items.map(({ caseId, arms }) => `${caseId} ${arms[0]?.trials.length}`));
        cursor = page.next && `&cursor=${page.next}`;
      }
      return found;
    };
    for (const limit of [1, 50]) {
      expect(await withProblem('fail', limit)).toEqual(['bad 2', 'both 2']);
      expect(await withProblem('error', limit)).toEqual(['both 2', 'odd 2']);
      expect(await withProblem('fail,error', limit)).toEqual(['bad 2', 'both 2', 'odd 2']);
      expect(await withProblem('pass', limit)).toEqual(['bad 2', 'odd 2', 'calm 2']);
    }
    const filtered = await served.get<Grid>('/api/runs/r-problems/cases?sort=problems&text=o');
    expect(filtered.items.map(({ caseId }) => caseId)).toEqual(['both', 'odd']);
  });

  it('sorts by figures and verdicts, with unknown ones last in either direction', async () => {
    expect(await listed('?sort=e:names-it')).toEqual(['Rome', 'Oslo', 'Paris']);
    expect(await listed('?sort=passed&direction=desc')).toEqual(['Paris', 'Oslo', 'Rome']);
    expect(await listed('?sort=duration')).toEqual(['Paris', 'Rome', 'Oslo']);
    expect(await listed('?sort=duration&direction=desc')).toEqual(['Rome', 'Paris', 'Oslo']);
  });

  it('filters by text, pattern, outcome, variant and metadata, and by what differs between variants', async () => {
    expect(await listed('?text=NO%20IDEA')).toEqual(['Rome', 'Oslo']);
    expect(await listed('?text=%5EIt%20is%20(R%7CP)&regex=true')).toEqual(['Paris', 'Rome']);
    expect(await listed('?outcome=fail&variant=%7B%22model%22%3A%22strong%22%7D')).toEqual([]);
    expect(await listed('?where=nr%3D2')).toEqual(['Oslo']);
    expect(await listed('?where=missing')).toEqual([]);
    expect(await listed('?differs=true')).toEqual(['Rome', 'Oslo']);
    expect(await listed('?figure=m:length>=8')).toEqual(['Oslo']);
    expect(await listed('?figure=duration<20')).toEqual(['Paris']);
    expect(await listed('?figure=e:names-it<1')).toEqual(['Rome', 'Oslo']);
    expect(await get('?text=capital')).toMatchObject({ total: 3, unsearched: 1 });
  });

  it('refuses a regular expression that cannot be used', async () => {
    const response = await served.request(`/api/runs/${runId}/cases?text=(&regex=true`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('shows the labels of a rater, which are not evidence about a judge', async () => {
    const [paris] = (await get()).items;
    const trialId = paris?.arms[0]?.trials[0]?.trialId ?? '';
    const label = { trialId, label: 'fail', rater: 'ann', note: 'rude' };
    const put = (body: unknown): Promise<Response> => served.send('PUT', '/api/labels', body);
    expect((await put(label)).status).toBe(400);
    expect((await put({ ...label, sawVerdict: true })).status).toBe(200);
    const labelled = await get('?rater=ann');
    expect(labelled.items[0]?.arms[0]?.trials[0]).toMatchObject({ label: 'fail', note: 'rude' });
    expect((await get('?rater=bob')).items[0]?.arms[0]?.trials[0]).toMatchObject({ label: null, note: null });
    expect(await served.get('/api/review/agreement')).toEqual({ judges: [] });
  });
});
