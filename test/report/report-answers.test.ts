import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import type { Grid } from '../../src/entry/server/api/grid.ts';
import type { RunDetail, TrialList } from '../../src/entry/server/api/runs.ts';
import { TrialPacker, unpackedTrials } from '../../src/report/presentation/packed-trials.ts';
import type { ReportDocument } from '../../src/report/reporters/html/report-document.ts';
import { type ServedProject, serveFiles } from '../../src/testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { caseList, trialList } from '../../web/src/report/run-answers.ts';

const runId = 'r-alike';
const towns = ['Paris', 'Rome', 'Oslo'];

/** Three cases under two variants, each twice: `weak` fails Rome, and once Oslo. */
function trial(ordinal: number) {
  const { record, trace } = finishedTrial(runId, ordinal);
  const caseId = towns[Math.floor(ordinal / 4)] ?? '';
  const model = ordinal % 2 === 0 ? 'weak' : 'strong';
  const isBad = model === 'weak' && (caseId === 'Rome' || (caseId === 'Oslo' && ordinal === 8));
  const state = isBad ? ('fail' as const) : ('pass' as const);
  const changes: Partial<TrialRecord> = {
    caseId,
    repeat: Math.floor((ordinal % 4) / 2) + 1,
    variant: { model },
    outcome: state,
    reason: isBad ? 'wrong town' : 'fine',
    startedAt: 1_700_000_000_000 + 1_000 * (12 - ordinal),
    durationMs: ordinal === 11 ? null : 10 * (ordinal + 1),
    costUsd: ordinal % 5 === 0 ? null : 0.01 * ordinal,
    evaluatorResults: [
      { type: 'contains', id: 'names-it', kind: 'assertion', state, success: !isBad, reason: 'r' },
      { type: 'length', kind: 'metric', state: 'measured', success: true, value: ordinal, reason: 'r' },
    ],
    metrics: { length: ordinal % 4 === 3 ? null : ordinal },
    excerpt: {
      input: `Capital? ${caseId}`,
      expected: caseId,
      answer: isBad ? 'no idea' : `It is ${caseId}`,
      metadata: { nr: String(Math.floor(ordinal / 4)) },
    },
  };
  return { record: { ...record, ...changes }, trace };
}

const trials = Array.from({ length: 12 }, (_, ordinal) => trial(ordinal));

describe('a report', () => {
  let served: ServedProject;
  let document: ReportDocument;
  const packer = new TrialPacker({ hasTexts: true });
  for (const { record } of trials) packer.add(record);
  const packed = unpackedTrials(JSON.parse(JSON.stringify(packer.packed())));

  beforeAll(async () => {
    served = await serveFiles();
    const { store } = served.context;
    await store.createRun(runHeader(runId, { planned: 12, status: 'finished', finishedAt: 1_700_000_060_000 }));
    await store.saveTrials(trials);
    const run = await served.get<RunDetail>(`/api/runs/${runId}`);
    document = { run, members: [['a cause', [trials[4]?.record.trialId]]] } as unknown as ReportDocument;
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it.each([
    '',
    'outcome=fail',
    'outcome=fail,error',
    'variant={"model":"weak"}',
    'text=NO+IDEA',
    'text=nowhere',
    'where=nr=1',
    'where=nr',
    'differs=true',
    'sort=passed',
    'sort=passed&direction=desc',
    'sort=duration',
    'sort=cost&direction=desc',
    'sort=e:names-it',
    'sort=m:length&direction=desc',
    'sort=plan&direction=desc&limit=2',
  ])('lists the cases that the server lists for %j', async (query) => {
    const { next, total, ...expected } = await served.get<Grid>(`/api/runs/${runId}/cases?${query}`);
    const found = caseList({ trials: packed, document }, new URLSearchParams(query));
    expect(found).toMatchObject(expected);
    expect(found.items).toEqual(expected.items);
    expect([found.next === null, found.total]).toEqual([next === null, total ?? towns.length]);
  });

  it.each([
    '',
    'outcome=fail',
    'variant={"model":"strong"}&outcome=pass',
    'text=WRONG',
    'text=strong',
    'text=model',
    'order=started',
    'order=started&direction=desc&limit=5',
    'direction=desc',
  ])('lists the trials that the server lists for %j', async (query) => {
    const { next, total, ...expected } = await served.get<TrialList>(`/api/runs/${runId}/trials?${query}`);
    const found = trialList({ trials: packed, document }, new URLSearchParams(query));
    expect(found).toMatchObject(expected);
    expect([found.next === null, found.total]).toEqual([next === null, total ?? found.total]);
  });

  it('lists the trials of a cluster, and pages that follow each other', () => {
    const data = { trials: packed, document };
    const listed = trialList(data, new URLSearchParams({ cluster: 'a cause' }));
    expect(listed.items.map(({ ordinal }) => ordinal)).toEqual([4]);
    const first = trialList(data, new URLSearchParams({ limit: '5' }));
    const second = trialList(data, new URLSearchParams({ limit: '5', cursor: first.next ?? '' }));
    expect(second.items.map(({ ordinal }) => ordinal)).toEqual([5, 6, 7, 8, 9]);
  });
});
