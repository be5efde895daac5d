import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startScriptedModel } from '../../../drive/models/scripted/index.ts';
import type { Comparison } from '../../../report/compare/comparison.ts';
import { checkAnswer } from '../../../testing/fakes/server/check-answer.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { Judging } from '../api/trials.ts';

const models = ['first', 'second', 'third'];
const cases = 8;
const tie = { reply: { json: { reasoning: 'alike', evidence: [], better: 'tie' } } };
const two = { a: 'r-1', by: 'model', valueA: 'first', valueB: 'second' };
const all = { a: 'r-1', by: 'model' };

async function keepRun({ context: { store } }: ServedProject): Promise<void> {
  const ended = { status: 'finished', finishedAt: 1_700_000_060_000 } as const;
  await store.createRun(runHeader('r-1', { planned: models.length * cases, ...ended }));
  await store.saveTrials(
    models.flatMap((model, variant) =>
      Array.from({ length: cases }, (_, index) => {
        const { record, trace } = finishedTrial('r-1', variant * cases + index, { outcome: 'pass' });
        return { record: { ...record, caseId: `case-${index}`, variant: { model } }, trace };
      }),
    ),
  );
}

describe('/api/compare/judge', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles({ 'assay.config.json': '{}' });
    await keepRun(served);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  /** From now on the judge is the model at this address. */
  const judgeAt = (address: string | undefined) =>
    writeFile(
      join(served.folder, 'assay.config.json'),
      JSON.stringify({
        models: { judge: 'openai/gpt-4o-mini', providers: { openai: { baseUrl: address, apiKey: 'sk-test' } } },
      }),
    );
  const send = async (method: 'POST' | 'DELETE', body: object): Promise<Judging> =>
    checkAnswer(method, '/api/compare/judge', await served.send(method, '/api/compare/judge', body));
  const look = (of: Record<string, string>) =>
    served.get<Judging>(`/api/compare/judge?${new URLSearchParams(of).toString()}`);
  const reached = (of: Record<string, string>, wanted: Partial<Judging>) =>
    vi.waitFor(async () => expect(await look(of)).toMatchObject(wanted), { timeout: 30_000, interval: 20 });

  let port = 0;

  it('says how far it is, is cancelled, and goes on with what was not judged', async () => {
    expect(await look(two)).toMatchObject({ state: 'none', judged: 0, ranking: null });
    const stuck = await startScriptedModel({
      rules: [
        { ...tie, times: 2 * 4 },
        { ...tie, delayMs: 600_000 },
      ],
    });
    await judgeAt(stuck.environment.OPENAI_BASE_URL);
    await send('POST', two);
    await reached(two, { state: 'running', judged: 4, total: cases });
    await send('DELETE', two);
    await reached(two, { state: 'incomplete', judged: 4, total: cases, problem: null });
    // Half of the pairs are no comparison.
    const before = await served.get<Comparison>(`/api/compare?${new URLSearchParams(two).toString()}`);
    expect(before.judged).toBeUndefined();
    // The same judge: a model on another server would be another one.
    port = Number(new URL(stuck.url).port);
    await stuck[Symbol.asyncDispose]();
    await using quick = await startScriptedModel({ rules: [tie] }, { port });
    await judgeAt(quick.environment.OPENAI_BASE_URL);
    await send('POST', two);
    await reached(two, { state: 'complete', judged: cases, total: cases });
    expect(quick.log()).toHaveLength(2 * 4);
    const { judged } = await served.get<Comparison>(`/api/compare?${new URLSearchParams(two).toString()}`);
    expect(judged).toMatchObject({ cases, ties: cases, shareB: 0.5, model: 'openai/gpt-4o-mini' });
  });

  it('ranks all variants, and judges no pair twice', async () => {
    await using quick = await startScriptedModel({ rules: [tie] }, { port });
    await judgeAt(quick.environment.OPENAI_BASE_URL);
    await send('POST', all);
    await reached(all, { state: 'complete', judged: 3 * cases });
    const { ranking } = await look(all);
    expect(ranking).toMatchObject({ answer: 'not-enough-data', leader: null, cases });
    // The first two variants were compared before.
    expect(quick.log()).toHaveLength(2 * 2 * cases);
    await send('POST', { ...all, isAfresh: true });
    await vi.waitFor(() => expect(quick.log()).toHaveLength(5 * 2 * cases), { timeout: 30_000 });
  });

  it('says why nothing was judged, and refuses what cannot be', async () => {
    await writeFile(join(served.folder, 'assay.config.json'), '{}');
    const others = { ...two, valueA: 'second', valueB: 'first' };
    await send('POST', others);
    await reached(others, {
      state: 'none',
      problem: expect.objectContaining({ message: 'No judge model is configured.' }),
    });
    const refused = await served.send('POST', '/api/compare/judge', { a: 'r-1', by: 'agent' });
    expect(refused.status).toBe(400);
    await served.context.store.createRun(runHeader('r-live', { status: 'running', finishedAt: null }));
    const live = await served.send('POST', '/api/compare/judge', { a: 'r-live', b: 'r-1' });
    expect(live.status).toBe(409);
  });
});
