import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comparison, FigureAnswer } from '../../src/report/compare/comparison.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Rewards of the trials of each task. */
type Rewards = readonly (readonly number[])[];

const rewards = fc.array(fc.array(fc.constantFrom(0, 1), { minLength: 3, maxLength: 3 }), {
  minLength: 8,
  maxLength: 8,
});
const worlds = fc.sample(fc.tuple(rewards, rewards), { seed: 38, numRuns: repetitions({ usual: 2, inFull: 40 }) });
const flipped: Partial<Record<FigureAnswer, FigureAnswer>> = { better: 'worse', worse: 'better' };
const traj = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
];

function rows(tasks: Rewards) {
  return tasks.flatMap((own, task) => own.map((reward, trial) => ({ task_id: task, trial, reward, info: {}, traj })));
}

/** Without an interval, all that can be. */
function widthOf(interval: { readonly low: number; readonly high: number } | undefined): number {
  return interval ? interval.high - interval.low : 2;
}

describe('figures of imported files', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-imported-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The files of one run, imported together. */
  async function imported(name: string, files: readonly object[][]): Promise<string> {
    const texts = files.map((content, index) => [`${name}/${index}.json`, JSON.stringify(content)] as const);
    await writeFiles(folder, Object.fromEntries(texts));
    const names = texts.map(([path]) => path);
    const { stdout, stderr } = await assay(['import', ...names, '--name', name, '--json'], { cwd: folder });
    expect(stderr, stdout).not.toContain('error');
    return JSON.parse(stdout).runId;
  }

  async function compared(a: string, b: string): Promise<Comparison> {
    return JSON.parse((await assay(['compare', a, b, '--json'], { cwd: folder })).stdout);
  }

  it.each(worlds.map((world, index) => [index, world] as const))(
    'are mirrored by swapping, and the same reordered: world %i',
    async (index, [before, after]) => {
      const a = await imported(`a${index}`, [rows(before)]);
      const b = await imported(`b${index}`, [rows(after)]);
      const usual = await compared(a, b);
      const [metric] = usual.metrics;
      const mirrored = await compared(b, a);
      expect(mirrored.answerOnTheseTasks).toBe(
        flipped[usual.answerOnTheseTasks ?? 'better'] ?? usual.answerOnTheseTasks,
      );
      expect(mirrored.metrics[0]?.difference).toBeCloseTo(-(metric?.difference ?? 0), 9);
      expect(mirrored.metrics[0]?.onTheseTasks.interval?.low).toBeCloseTo(
        -(metric?.onTheseTasks.interval?.high ?? 0),
        9,
      );
      const reordered = await compared(await imported(`c${index}`, [rows(before).toReversed()]), b);
      expect(reordered.metrics[0]).toMatchObject({
        answer: metric?.answer,
        meanA: metric?.meanA,
        onTheseTasks: { answer: metric?.onTheseTasks.answer },
      });
      expect((await compared(a, a)).answerOnTheseTasks).not.toMatch(/better|worse/);
    },
  );

  it.each(worlds.map((world, index) => [index, world] as const))(
    'agree with their intervals, which more trials do not widen, and do not depend on names or files: world %i',
    async (index, [before, after]) => {
      const sides = (of: (tasks: Rewards) => object[][], name: string) =>
        Promise.all([imported(`${name}-a${index}`, of(before)), imported(`${name}-b${index}`, of(after))]);
      const metricOf = async (ids: readonly string[]) => (await compared(ids[0] ?? '', ids[1] ?? '')).metrics[0];
      const usual = await metricOf(await sides((tasks) => [rows(tasks)], 'usual'));
      for (const one of [usual, usual?.onTheseTasks]) {
        const { answer, difference = 0, interval } = one ?? {};
        if (!interval) continue;
        expect(difference).toBeGreaterThanOrEqual(interval.low - 1e-9);
        expect(difference).toBeLessThanOrEqual(interval.high + 1e-9);
        const isByCases = one === usual?.onTheseTasks && usual?.onTheseTasks.decidedBy !== undefined;
        const isBeyond = interval.low > 0 || interval.high < 0;
        expect(answer === 'better' || answer === 'worse').toBe(isBeyond || isByCases);
      }
      const doubled = await metricOf(await sides((tasks) => [rows(tasks.map((own) => [...own, ...own]))], 'doubled'));
      expect(widthOf(doubled?.interval)).toBeLessThanOrEqual(widthOf(usual?.interval) + 1e-9);
      expect(widthOf(doubled?.onTheseTasks.interval)).toBeLessThanOrEqual(widthOf(usual?.onTheseTasks.interval) + 1e-9);
      const halves = (tasks: Rewards) => [rows(tasks).slice(0, 12), rows(tasks).slice(12)];
      expect(await metricOf(await sides(halves, 'split'))).toEqual(usual);
    },
  );
});
