import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JudgeResult } from '../../../domain/judge-result.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { Agreement, ReviewQueue } from '../api/review.ts';

function judged(state: JudgeResult['state'], rubricHash = 'one'): JudgeResult {
  const answer = state === 'pass' ? 'met' : 'not-met';
  return {
    state,
    mode: 'criteria',
    model: 'openai/judge',
    promptVersion: 'v1',
    rubricHash,
    reason: `REVEALING ${state}`,
    criteria: [{ id: 's', kind: 'success', text: 'It names Paris', answer, reason: 'REVEALING', evidence: [] }],
    warnings: [],
    usage: { inputTokens: 1, outputTokens: 1 },
    costUsd: 0,
  };
}

async function withJudgedTrials(
  states: readonly JudgeResult['state'][],
): Promise<{ served: ServedProject; ids: string[] }> {
  const served = await serveFiles();
  const { store } = served.context;
  await store.createRun(runHeader('r-1', { status: 'finished', finishedAt: 1 }));
  const trials = states.map((state, index) => {
    const { record, trace } = finishedTrial('r-1', index);
    return { trace, record: { ...record, judge: judged(state) } };
  });
  await store.saveTrials([...trials, finishedTrial('r-1', states.length)]);
  return { served, ids: trials.map(({ record }) => record.trialId) };
}

describe('the queue of a review', () => {
  it('has the judged trials without their verdicts', async () => {
    const { served, ids } = await withJudgedTrials(['pass', 'fail', 'error', 'pass']);
    await using _ = served;
    const queue = await served.get<ReviewQueue>('/api/review?rater=ann');
    expect(queue).toMatchObject({ labelled: 0, judged: 3, file: 'assay.labels.jsonl' });
    expect(queue.items.map(({ trialId }) => trialId).sort()).toEqual([ids[0], ids[1], ids[3]].sort());
    expect(queue.items[0]?.question).toContain('It names Paris');
    expect(JSON.stringify(queue)).not.toMatch(/REVEALING|not-met|"met"|openai/);
    expect((await served.request('/api/review?run=r-none')).status).toBe(404);
  });

  it('has a stable order, different for each rater', async () => {
    const { served } = await withJudgedTrials(Array<'pass'>(30).fill('pass'));
    await using _ = served;
    const order = async (rater: string) =>
      (await served.get<ReviewQueue>(`/api/review?rater=${rater}`)).items.map(({ caseId }) => caseId);
    const [ann, bob] = [await order('ann'), await order('bob')];
    expect(ann).not.toEqual(bob);
    expect(ann).toEqual(await order('ann'));
    expect(ann).not.toEqual([...ann].sort());
  });

  it('asks next what is not labelled', async () => {
    const { served } = await withJudgedTrials(['pass', 'fail', 'pass']);
    await using _ = served;
    const [first] = (await served.get<ReviewQueue>('/api/review')).items;
    const response = await served.send('PUT', '/api/labels', { trialId: first?.trialId, label: 'pass', note: 'sure' });
    expect(await response.json()).toMatchObject({ trialId: first?.trialId, label: 'pass', note: 'sure' });
    const after = await served.get<ReviewQueue>('/api/review');
    expect(after.labelled).toBe(1);
    expect(after.items.at(-1)).toMatchObject({ trialId: first?.trialId, label: 'pass' });
    expect((await served.get<ReviewQueue>('/api/review?rater=bob')).labelled).toBe(0);
  });
});

describe('labels', () => {
  it('are kept however many come at once, beside what stands there already', async () => {
    const { served, ids } = await withJudgedTrials(Array<'pass'>(20).fill('pass'));
    await using _ = served;
    const file = join(served.folder, 'assay.labels.jsonl');
    await writeFile(file, '{"trialId":"of another store","label":"pass"}\n');
    await Promise.all(
      ids.map((trialId) => served.send('PUT', '/api/labels', { trialId, label: 'fail', rater: 'ann' })),
    );
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines[0]).toContain('of another store');
    expect(
      lines
        .slice(1)
        .map((line) => JSON.parse(line).trialId)
        .sort(),
    ).toEqual([...ids].sort());
  });

  it('are given to judged trials of this store only', async () => {
    const { served } = await withJudgedTrials(['pass']);
    await using _ = served;
    const { record } = finishedTrial('r-1', 1);
    expect((await served.send('PUT', '/api/labels', { trialId: record.trialId, label: 'pass' })).status).toBe(400);
    expect((await served.send('PUT', '/api/labels', { trialId: 't-none', label: 'pass' })).status).toBe(404);
    expect((await served.send('PUT', '/api/labels', { trialId: record.trialId, label: 'good' })).status).toBe(400);
  });
});

describe('labels that were given beside the verdict', () => {
  it('are kept and not compared; a blind label that is repeated stays blind', async () => {
    const { served, ids } = await withJudgedTrials(['pass', 'fail']);
    await using _ = served;
    const [first, second] = ids;
    await served.send('PUT', '/api/labels', { trialId: first, label: 'pass' });
    await served.send('PUT', '/api/labels', { trialId: first, label: 'pass', note: 'yes', sawVerdict: true });
    await served.send('PUT', '/api/labels', { trialId: second, label: 'fail', sawVerdict: true });
    expect((await served.get<Agreement>('/api/review/agreement')).judges).toMatchObject([{ compared: 1 }]);
    const lines = (await readFile(join(served.folder, 'assay.labels.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { trialId: first, label: 'pass', note: 'yes' },
      { trialId: second, label: 'fail', sawVerdict: true },
    ]);
  });
});

describe('agreement', () => {
  it('compares labels with the judge, and saves the figures on request', async () => {
    const { served, ids } = await withJudgedTrials(['pass', 'pass', 'fail', 'fail']);
    await using _ = served;
    expect((await served.send('POST', '/api/review/calibrate')).status).toBe(400);
    const labels = ['pass', 'fail', 'fail', 'fail'];
    for (const [index, trialId] of ids.entries())
      await served.send('PUT', '/api/labels', { trialId, label: labels[index] });
    const [judge] = (await served.get<Agreement>('/api/review/agreement')).judges;
    expect(judge).toMatchObject({
      model: 'openai/judge',
      compared: 4,
      confusion: { bothPass: 1, bothFail: 2, judgePassHumanFail: 1, judgeFailHumanPass: 0 },
      agreement: { count: 3, of: 4 },
      isKept: false,
      isStale: false,
      disagreements: [{ trialId: ids[1], human: 'fail', judge: 'pass' }],
    });
    const kept = (await (await served.send('POST', '/api/review/calibrate')).json()) as Agreement;
    expect(kept.judges[0]).toMatchObject({ isKept: true, isStale: false });
    expect(await readFile(join(served.folder, 'assay.calibration.json'), 'utf8')).toContain('"bothFail": 2');
    await served.send('PUT', '/api/labels', { trialId: ids[1], label: null });
    expect((await served.get<Agreement>('/api/review/agreement')).judges[0]).toMatchObject({ isKept: false });
  });
});
