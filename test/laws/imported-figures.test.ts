import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comparison, FigureAnswer, MetricComparison } from '../../src/report/compare/comparison.ts';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

interface ImportedResult {
  readonly reward: number;
  readonly agent_cost: number;
  readonly duration: number;
}
/** The trials of each task of one side. */
type Side = readonly (readonly ImportedResult[])[];

const amount = fc.integer({ min: 1, max: 500 });
const result = fc.record({
  reward: fc.constantFrom(0, 1),
  agent_cost: amount.map((cents) => cents / 100),
  duration: amount,
});
const sides = fc.array(fc.array(result, { minLength: 3, maxLength: 3 }), { minLength: 8, maxLength: 8 });
const worlds = fc.sample(fc.tuple(sides, sides), { seed: 38, numRuns: repetitions({ usual: 1, inFull: 40 }) });
const eachWorld = worlds.map((world, index) => [index, world] as const);

const traj = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
];

function rows(tasks: Side, name = (task: number) => `task ${task}`): object[] {
  return tasks.flatMap((own, task) =>
    own.map((each, trial) => ({ task_id: name(task), trial, info: {}, traj, ...each })),
  );
}

/** Estimate, interval and answer of each question; of typical trials by the logarithm of their ratio. */
function estimatesOf(metric: MetricComparison) {
  const { typical, onTheseTasks } = metric;
  const likeThese = typical
    ? { ...typical, difference: Math.log(typical.ratio), interval: logsOf(typical.interval) }
    : metric;
  return [
    { ...onTheseTasks, place: `${metric.name} on these tasks`, isByCases: onTheseTasks.decidedBy !== undefined },
    { ...likeThese, level: metric.level, place: `${metric.name} for tasks like these`, isByCases: false },
  ];
}

function logsOf(interval: { readonly low: number; readonly high: number } | undefined) {
  return interval && { low: Math.log(interval.low), high: Math.log(interval.high) };
}

const opposite: Partial<Record<FigureAnswer, FigureAnswer>> = {
  better: 'worse',
  worse: 'better',
  higher: 'lower',
  lower: 'higher',
};
const isChange = (answer: FigureAnswer): boolean => opposite[answer] !== undefined;

/** Without an interval, all that can be. */
function widthOf(interval: { readonly low: number; readonly high: number } | undefined): number {
  return interval ? interval.high - interval.low : Number.POSITIVE_INFINITY;
}

/** The same figures; sums that are added up in another order differ in their last digits. */
function alike(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 6 - Math.ceil(Math.log10(1 + Math.abs(value))));
  if (Array.isArray(value)) return value.map(alike);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, alike(each)]));
}

describe('figures of imported files', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-imported-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The files of one run, imported together. */
  async function imported(name: string, ...files: readonly (readonly object[])[]): Promise<string> {
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

  async function comparedSides([before, after]: readonly [Side, Side], rowsOf: (tasks: Side) => object[]) {
    const name = `w${runs++}`;
    return compared(await imported(`${name}-a`, rowsOf(before)), await imported(`${name}-b`, rowsOf(after)));
  }
  let runs = 0;

  it.each(eachWorld)(
    'are mirrored by swapping the sides, and the same for other names, orders and files: world %i',
    async (index, [before, after]) => {
      const a = await imported(`a${index}`, rows(before));
      const b = await imported(`b${index}`, rows(after));
      const usual = await compared(a, b);
      expect(usual.metrics.map(({ name }) => name)).toEqual(['pass-rate', 'cost-usd', 'duration-ms', 'reward']);

      const mirrored = (await compared(b, a)).metrics.flatMap(estimatesOf);
      for (const [place, one] of usual.metrics.flatMap(estimatesOf).entries()) {
        const other = mirrored[place];
        expect(other?.answer, one.place).toBe(opposite[one.answer] ?? one.answer);
        expect(other?.difference, one.place).toBeCloseTo(-one.difference, 9);
        expect(other?.interval?.low ?? 0, one.place).toBeCloseTo(-(one.interval?.high ?? 0), 6);
      }

      const turned = rows(before).toReversed();
      const split = await imported(`c${index}`, turned.slice(0, 11), turned.slice(11));
      expect((await compared(split, b)).metrics).toEqual(alike(usual.metrics));
      const renamed = await comparedSides([before, after], (tasks) => rows(tasks, (task) => `other ${task}`));
      expect(renamed.metrics).toEqual(alike(usual.metrics));

      const same = await compared(a, a);
      for (const one of same.metrics.flatMap(estimatesOf)) expect(isChange(one.answer), one.place).toBe(false);
    },
  );

  it.each(eachWorld)(
    'lie inside their intervals, which decide the answer, and which more trials or tasks do not widen: world %i',
    async (_, world) => {
      const usual = (await comparedSides(world, rows)).metrics.flatMap(estimatesOf);
      for (const { place, answer, difference, interval, isByCases } of usual) {
        if (!interval) {
          expect(isChange(answer), place).toBe(isByCases);
          continue;
        }
        expect(difference, place).toBeGreaterThanOrEqual(interval.low - 1e-9);
        expect(difference, place).toBeLessThanOrEqual(interval.high + 1e-9);
        const isBeyond = interval.low > 0 || interval.high < 0;
        expect(isChange(answer), place).toBe(isBeyond || isByCases);
      }
      const moreTrials = await comparedSides(world, (tasks) => rows(tasks.map((own) => [...own, ...own])));
      const moreTasks = await comparedSides(world, (tasks) => rows([...tasks, ...tasks]));
      for (const more of [moreTrials, moreTasks]) {
        for (const [place, one] of more.metrics.flatMap(estimatesOf).entries()) {
          expect(widthOf(one.interval), one.place).toBeLessThanOrEqual(widthOf(usual[place]?.interval) + 1e-9);
        }
      }
    },
  );

  it('of two sides that are alike differ as rarely as the level allows', { timeout: 600_000 }, async () => {
    const random = seededRandom(38);
    const count = repetitions({ usual: 2, inFull: 200 });
    const counts = { onTheseTasks: 0, likeThese: 0, other: 0 };
    for (let world = 0; world < count; world++) {
      const chances = Array.from({ length: 12 }, () => Math.min(1, 1.5 * random()));
      const side = (): Side =>
        chances.map((chance) =>
          Array.from({ length: 3 }, () => ({
            reward: random() < chance ? 1 : 0,
            agent_cost: 0.02 * Math.exp(random()),
            duration: 10 * Math.exp(random()),
          })),
        );
      const { metrics } = await comparedSides([side(), side()], rows);
      const [onTasks, likeThese, ...others] = metrics.slice(0, 3).flatMap(estimatesOf);
      if (onTasks && isChange(onTasks.answer)) counts.onTheseTasks++;
      if (likeThese && isChange(likeThese.answer)) counts.likeThese++;
      if (others.some(({ answer }) => isChange(answer))) counts.other++;
    }
    // Five of a hundred for each question, and one for all other figures, with three deviations of chance.
    const most = (rate: number) => rate * count + 3 * Math.sqrt(rate * count);
    expect(counts.onTheseTasks).toBeLessThanOrEqual(most(0.05));
    expect(counts.likeThese).toBeLessThanOrEqual(most(0.05));
    expect(counts.other).toBeLessThanOrEqual(most(0.02));
  });
});
