import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../../report/compare/comparison.ts';
import type { VariantTable } from '../../../report/compare/variants/variant-table.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';

/** Passes of 14 cases under each model, and what a trial costs. */
const models = [
  { model: 'cheap', passes: 3, costUsd: 0.01 },
  { model: 'good', passes: 14, costUsd: 0.02 },
  { model: 'unpriced', passes: 3, costUsd: null },
] as const;
const cases = 14;

async function keep(served: ServedProject, runId: string, kept: readonly (typeof models)[number][]): Promise<void> {
  const planned = kept.length * cases;
  await served.context.store.createRun(
    runHeader(runId, { planned, status: 'finished', finishedAt: 1_700_000_060_000 }),
  );
  const trials = kept.flatMap(({ model, passes, costUsd }, variant) =>
    Array.from({ length: cases }, (_, index) => {
      const outcome = index < passes ? 'pass' : 'fail';
      const { record, trace } = finishedTrial(runId, variant * cases + index, { outcome });
      return { record: { ...record, caseId: `case-${index}`, variant: { model }, costUsd }, trace };
    }),
  );
  await served.context.store.saveTrials(trials);
}

describe('/api/variants', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles();
    await keep(served, 'r-three', models);
    await keep(served, 'r-one', models.slice(0, 1));
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('gives the table as a page to keep', async () => {
    const response = await served.request('/api/variants/report?run=r-three&by=model');
    expect(await response.text()).toContain('"opensWith":"variants"');
  });

  it('puts all variants of a run into one table', async () => {
    const table = await served.get<VariantTable>('/api/variants?run=r-three&by=model');
    expect(table).toMatchObject({
      schema: 'assay.variants/1',
      by: 'model',
      reference: 'cheap',
      question: 'pass-rate',
      best: { kind: 'one', labels: ['good'], errorRate: 0.05 },
    });
    expect(table.variants.map(({ label, rank, trials }) => [label, rank?.best, rank?.worst, trials])).toEqual([
      ['good', 1, 1, 14],
      ['cheap', 2, 3, 14],
      ['unpriced', 2, 3, 14],
    ]);
    const costs = table.variants.map(({ perSuccess }) => perSuccess.find(({ name }) => name === 'cost-usd'));
    expect(costs[0]?.value).toBeCloseTo(0.02, 10);
    expect(costs[1]?.value).toBeCloseTo((0.01 * 14) / 3, 10);
    expect(costs[2]).toMatchObject({ value: null, reason: 'cost-usd was not observed in 14 of 14 judged trials' });
    const onFront = table.variants.flatMap(({ label, front }) =>
      front.filter(({ against }) => against === 'cost-usd').map(({ isOnFront }) => [label, isOnFront]),
    );
    expect(onFront).toEqual([
      ['good', true],
      ['cheap', true],
    ]);
  });

  it('takes another reference, and does not mix it up with the one before', async () => {
    const first = await served.get<VariantTable>('/api/variants?run=r-three&by=model');
    const second = await served.get<VariantTable>('/api/variants?run=r-three&by=model&reference=good');
    expect([first.reference, second.reference]).toEqual(['cheap', 'good']);
    const cheap = second.variants.find(({ label }) => label === 'cheap');
    expect(cheap?.differences[0]).toMatchObject({ name: 'pass-rate', answer: 'worse' });
    expect(second.variants.find(({ label }) => label === 'good')?.differences).toEqual([]);
  });

  it.each([
    { query: 'run=r-three', status: 400, message: 'by' },
    { query: 'run=r-three&by=colour', status: 400, message: 'by' },
    { query: 'run=r-three&by=model&reference=goood', status: 404, message: 'The run has no model "goood".' },
    { query: 'run=r-one&by=model', status: 400, message: 'The run has only one variant by model' },
    { query: 'run=r-none&by=model', status: 404, message: 'r-none' },
    { query: 'run=/etc/passwd&by=model', status: 404, message: '/etc/passwd' },
  ])('refuses $query', async ({ query, status, message }) => {
    const response = await served.request(`/api/variants?${query}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(message.replaceAll('"', '\\"'));
  });
});

describe('/api/compare of more than one question', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles();
    const { store } = served.context;
    const ended = { planned: 14, status: 'finished', finishedAt: 1_700_000_060_000 } as const;
    const other = runHeader('x').scenarios.map((scenario) => ({ ...scenario, name: 'Another', file: 'another.yaml' }));
    for (const [index, [runId, part]] of Object.entries({
      'r-first': {},
      'r-second': {},
      'r-other': { scenarios: other },
      'r-edited': {
        request: {
          ...runHeader('x').request,
          origin: { kind: 'edit', runId: 'r-second', trialId: 'r-second-0' } as const,
        },
      },
      'r-third': {},
    }).entries()) {
      await store.createRun(runHeader(runId, { ...ended, startedAt: 1_700_000_000_000 + index * 1_000, ...part }));
      const trials = Array.from({ length: 14 }, (_, trial) => {
        const outcome = runId === 'r-first' && trial > 2 ? 'fail' : 'pass';
        const { record, trace } = finishedTrial(runId, trial, { outcome });
        return { record: { ...record, caseId: `case-${trial}` }, trace };
      });
      await store.saveTrials(trials);
    }
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('suggests the newest run, or the one that is named, and the run of the same scenarios before it', async () => {
    const suggestion = (b?: string) => served.get(`/api/compare/suggestion${b === undefined ? '' : `?b=${b}`}`);
    expect(await suggestion()).toEqual({ a: 'r-second', b: 'r-third' });
    expect(await suggestion('r-second')).toEqual({ a: 'r-first', b: 'r-second' });
    expect(await suggestion('r-other')).toEqual({ a: null, b: 'r-other' });
    expect(await suggestion('r-first')).toEqual({ a: null, b: 'r-first' });
  });

  it('puts several runs into one table, and refuses one alone', async () => {
    const table = await served.get<VariantTable>('/api/compare/runs?runs=r-first,r-second,r-third');
    expect(table).toMatchObject({ schema: 'assay.variants/1', by: 'run', reference: 'r-first' });
    expect([table.summary, ...table.notes].join(' ')).toMatch(/runs .*each run /);
    expect([table.summary, ...table.notes].join(' ')).not.toMatch(/variant/i);
    expect(table.variants.map(({ label, rank }) => [label, rank?.best, rank?.worst])).toEqual([
      ['r-second', 1, 2],
      ['r-third', 1, 2],
      ['r-first', 3, 3],
    ]);
    expect((await served.request('/api/compare/runs?runs=r-first,r-first')).status).toBe(400);
    expect((await served.request('/api/compare/runs?runs=r-first')).status).toBe(400);
  });

  it('has the dots of both sides, and the cases whose steps alone can differ', async () => {
    const { details } = await served.get<Comparison>('/api/compare?a=r-first&b=r-third');
    expect(details?.dots[0]).toMatchObject({
      name: 'pass-rate',
      of: 'case',
      a: { total: 14, median: 0, values: [...Array(11).fill(0), 1, 1, 1] },
      b: { total: 14, median: 1 },
    });
    expect(details?.unchangedCount).toBe(3);
    expect(details?.unchangedCases.map(({ caseId, trialA, trialB }) => [caseId, trialA, trialB])).toEqual(
      ['case-0', 'case-1', 'case-2'].map((id, index) => [
        id,
        finishedTrial('r-first', index, {}).record.trialId,
        finishedTrial('r-third', index, {}).record.trialId,
      ]),
    );
  });
});
