import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summarizeRun } from '../../domain/run.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import { jsonReporter } from '../../report/reporters/json.ts';
import { redactionOf } from '../../shared/redaction/redaction.ts';
import { recordsOf } from '../../testing/fakes/compare/compared-sides.ts';
import { runHeader } from '../../testing/samples.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { writeBaseline } from './baseline-file.ts';
import { collected, findSide, type SidePlaces } from './find-side.ts';

const metrics = { words: 12.345678901234567 };
const gates = [{ gate_type: 'file_exists', passed: true, message: 'there' }];

async function storedRun(store: Store, runId: string, startedAt: number): Promise<void> {
  const records = recordsOf({ one: '++-', two: '+!' }, ({ repeat, trialId }) => ({
    runId,
    trialId: `${runId}-${trialId}`,
    variant: { agent: 'codex', guidance: 'v1' },
    durationMs: 100 + repeat / 3,
    usage: { inputTokens: 10 * repeat, outputTokens: 1 },
    toolPins: { search: 'abc' },
    control: { mock: repeat },
    compositeScore: 0.5,
    workflow: [{ metric: 'success', passed: true, score: 1, details: '' }],
    workflowScore: 1,
    metrics,
    gates,
  }));
  await store.createRun(runHeader(runId, { startedAt, planned: 5, status: 'finished', finishedAt: startedAt + 1 }));
  await store.saveTrials(records.map((record) => ({ record, trace: [] })));
}

async function project(): Promise<SidePlaces & AsyncDisposable & { store: Store }> {
  const folder = await temporaryFolder({});
  const store = await openStore('sqlite::memory:', '/');
  for (const [index, runId] of ['r-one', 'r-two', 'r-three'].entries()) await storedRun(store, runId, 1_000 + index);
  const close = () => store[Symbol.asyncDispose]();
  return { cwd: folder, folder, store, openStore: async () => store, [Symbol.asyncDispose]: close };
}

async function sideOf(what: string, places: SidePlaces): Promise<CollectedSide> {
  return collected(await findSide(what, places));
}

describe('a side is found', () => {
  it.each([
    { what: 'latest', runId: 'r-three' },
    { what: 'latest~0', runId: 'r-three' },
    { what: 'latest~2', runId: 'r-one' },
    { what: 'r-tw', runId: 'r-two' },
  ])('$what is $runId', async ({ what, runId }) => {
    await using places = await project();
    expect((await sideOf(what, places)).run.runId).toBe(runId);
  });

  it('in a document of `assay run --json`, with nothing lost that is compared', async () => {
    await using places = await project();
    const run = await places.store.findRun('r-two');
    if (!run) throw new Error('stored above');
    const summary = summarizeRun(run, await places.store.countTrials('r-two'), 2_000);
    const pieces: string[] = [];
    for await (const piece of jsonReporter.render({ summary, store: places.store }, { color: false }))
      pieces.push(piece);
    await writeFile(join(places.folder, 'run.json'), pieces.join(''));
    const [stored, read] = [await sideOf('r-two', places), await sideOf('run.json', places)];
    const { origin: _, ...kept } = stored.run;
    expect(read.run).toMatchObject({ ...kept, scenarios: [{ name: 'sample', contentHash: 'abc' }] });
    expect({ ...read, run: null }).toEqual({ ...stored, run: null });
  });

  it('in a baseline, by its name and by its file', async () => {
    await using places = await project();
    const stored = await sideOf('r-two', places);
    await writeBaseline(places.folder, 'default', stored, redactionOf([]));
    const path = await writeBaseline(places.folder, 'nightly', stored, redactionOf([]));
    expect(path.endsWith('assay.baseline.nightly.json')).toBe(true);
    for (const what of ['default', 'nightly', 'assay.baseline.json']) {
      const comparison = compareCollected(stored, await sideOf(what, places));
      expect([...comparison.changedCases]).toEqual([]);
      expect(comparison.differences).toEqual([]);
      expect(comparison.metrics.map(({ difference }) => difference)).toEqual(comparison.metrics.map(() => 0));
      expect(comparison.metrics.map(({ name }) => name)).toContain('words');
    }
  });
});

describe('a side is refused', () => {
  it.each([
    { text: '{', message: 'file.json is not JSON' },
    { text: '{"trials": ', message: 'file.json is not JSON' },
    { text: '[]', message: 'file.json is not a run' },
    { text: '{"schema": "assay.run/1"}', message: 'file.json is not a run: runId' },
    { text: '{"schema": "assay.run/2", "runId": "r"}', message: 'file.json is not a run: schema' },
    { text: '{"schema": "assay.baseline/1"}', message: 'file.json is not a baseline: name' },
  ])('for $text', async ({ text, message }) => {
    await using places = await project();
    await writeFile(join(places.folder, 'file.json'), text);
    await expect(findSide('file.json', places)).rejects.toMatchObject({
      code: 'FILE_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it('when there is nothing of that name, with what was probably meant', async () => {
    await using places = await project();
    await writeBaseline(places.folder, 'nightly', await sideOf('r-two', places), redactionOf([]));
    await expect(findSide('nightli', places)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: 'Did you mean `nightly`?',
    });
    await expect(findSide('latest~3', places)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(findSide('../../etc', places)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('beside a run that ran only some cases again', () => {
  it('the trials of other cases are left out, which is said, and what is compared stays the same', async () => {
    await using places = await project();
    const { store } = places;
    const cases = [{ file: 'sample.yaml', scenario: 'sample', caseId: 'one', variant: {} }];
    const { request, ...header } = runHeader('r-again', { planned: 3, status: 'finished', startedAt: 2_000 });
    await store.createRun({ ...header, request: { ...request, only: { runId: 'r-three', cases } } });
    const again = recordsOf({ one: '---' }, ({ trialId }) => ({ runId: 'r-again', trialId: `r-again-${trialId}` }));
    await store.saveTrials(again.map((record) => ({ record, trace: [] })));
    const [before, after] = [await findSide('r-three', places), await findSide('r-again', places)];
    const part = compareCollected(await collected(before, after), await collected(after, before), { force: true });
    const whole = compareCollected(await collected(before), await collected(after), { force: true });
    expect(part.a.trials).toBe(3);
    expect(whole.a.trials).toBe(5);
    expect(part.differences.map(({ message }) => message)).toContain(
      'B ran only some of the cases again; the other 2 trials of A are not compared',
    );
    // The plan speaks of trials of the compared cases.
    const plan = expect.anything();
    expect(part.metrics[0]).toEqual({ ...whole.metrics[0], plan });
    expect(Array.from(part.changedCases, ({ caseId }) => caseId)).toEqual(['one']);
  });
});
