import * as z from 'zod';
import { requireRun } from '../../../keep/store/store.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { ChangedCase, ComparisonOfRows } from '../../../report/compare/comparison.ts';
import { rowText } from '../../../report/compare/figure-rows.ts';
import { collectSide } from '../../../report/compare/side-collector.ts';
import { changedTools } from '../../../report/compare/side-differences.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { countRows, firstRows } from '../../../shared/rows.ts';
import { intervalSchema, ratedRun, ratedRunSchema } from '../rated-run.ts';
import { defineTool, onlyReads, pageOf, storeOf } from '../served-tool.ts';
import { boundedAnswer, clipped, moreText, runLine } from '../text.ts';

const count = z.number();
const changes = ['broke', 'less-often', 'unjudged', 'fixed', 'more-often', 'only-in-a', 'only-in-b'] as const;
const maxTools = 100;
const maxMetrics = 50;

const outputSchema = z.object({
  a: ratedRunSchema,
  b: ratedRunSchema,
  answer: z
    .string()
    .describe(
      'for tasks like these: better, worse, no-difference, not-enough-data, not-comparable, nothing-to-compare',
    ),
  answerOnTheseTasks: z.string().nullable().describe('the same on exactly these cases, by which CI decides'),
  summary: z.string(),
  isForced: z.boolean(),
  differences: z.array(z.string()).describe('other differences between the runs'),
  metrics: z.array(
    z.object({
      name: z.string(),
      ...{ meanA: count, meanB: count, difference: count, answer: z.string(), interval: intervalSchema },
      level: count.describe('of the intervals: 0.05 for 95 %'),
      onTheseTasks: z.object({ answer: z.string(), difference: count, interval: intervalSchema, level: count }),
      text: z.string().describe('values and both answers in words'),
    }),
  ),
  counts: z.record(z.enum(changes), count),
  changes: z.array(
    z.object({
      scenario: z.string(),
      caseId: z.string(),
      variant: z.record(z.string(), z.string()),
      change: z.enum(changes),
      passedA: count,
      triedA: count,
      passedB: count,
      triedB: count,
      reason: z.string(),
      trialA: z.string().nullable(),
      trialB: z.string().nullable(),
    }),
  ),
  changedTools: z.array(z.object({ scenario: z.string(), tool: z.string(), change: z.string() })),
  notes: z.array(z.string()),
  more: z.string().nullable(),
});

/** Two runs side by side, by the comparison of `assay compare`. */
export const compare = defineTool({
  name: 'compare',
  title: 'Compare two runs',
  description:
    'Compare two stored runs, paired by case: is `b` better, worse, not different, or is there not enough data? Lists the cases that broke or were fixed, those that could not be judged, other figures such as cost, and tools of MCP servers whose definitions changed. Trials that could not be judged count for neither side. Runs that are not comparable are refused with the differences. Use it after a change, with the run from before as `a`; run with `repeat` when the answer is not-enough-data.',
  annotations: onlyReads,
  inputSchema: z.strictObject({
    a: z.string().min(1).describe('id of the "before" run, or an unambiguous beginning of it'),
    b: z.string().min(1).default('latest').describe('id of the "after" run; `latest` is the newest'),
    force: z.boolean().default(false).describe('show figures of runs that are not comparable, with what differs'),
    ...pageOf(50, 200),
  }),
  outputSchema,
  async call({ a, b, force, from, limit }, context) {
    await using store = await storeOf(context);
    const hint = 'Call list_runs for the ids of runs.';
    const [runA, runB] = [await requireRun(store, a, hint), await requireRun(store, b, hint)];
    const sides = {
      a: await collectSide(storedSource(runA, store, runB)),
      b: await collectSide(storedSource(runB, store, runA)),
    };
    const comparison = compareCollected(sides.a, sides.b, { force });
    const facts = { a: (await ratedRun(runA, store)).facts, b: (await ratedRun(runB, store)).facts };
    const listed = firstRows(comparison.changedCases, from + limit)
      .slice(from)
      .map(bounded);
    const more = moreText({ from, count: listed.length, total: comparison.changedCases.length }, 'changed cases');
    const { answer, answerOnTheseTasks, summary, isForced, notes } = comparison;
    const data: z.output<typeof outputSchema> = {
      ...facts,
      answer,
      answerOnTheseTasks,
      summary,
      isForced,
      differences: comparison.differences.map(({ message }) => message),
      metrics: metricsOf(comparison),
      counts: countsOf(comparison),
      changes: listed,
      changedTools: changedTools(sides.a, sides.b).slice(0, maxTools),
      notes: [...notes],
      more,
    };
    return { data, text: boundedAnswer(linesOf(data)) };
  },
});

function metricsOf({ metrics }: ComparisonOfRows) {
  return metrics.slice(0, maxMetrics).map((metric) => {
    const { name, meanA, meanB, difference, answer, interval, level, onTheseTasks: tasks } = metric;
    const values = { name, meanA, meanB, difference, answer, interval: interval ?? null, level };
    const { answer: onTasks, difference: change, interval: range, level: atLevel } = tasks;
    return {
      ...values,
      onTheseTasks: { answer: onTasks, difference: change, interval: range ?? null, level: atLevel },
      text: rowText(metric),
    };
  });
}

function countsOf({ changedCases }: ComparisonOfRows): Record<ChangedCase['change'], number> {
  const of = (change: ChangedCase['change']) => countRows(changedCases, (one) => one.change === change);
  return {
    broke: of('broke'),
    'less-often': of('less-often'),
    unjudged: of('unjudged'),
    fixed: of('fixed'),
    'more-often': of('more-often'),
    'only-in-a': of('only-in-a'),
    'only-in-b': of('only-in-b'),
  };
}

function bounded({ broken: _, ...changed }: ChangedCase) {
  const { reason, trialA, trialB } = changed;
  return { ...changed, reason: clipped(reason, 200), trialA: trialA ?? null, trialB: trialB ?? null };
}

function linesOf(data: z.output<typeof outputSchema>): string[] {
  const changed = Object.entries(data.counts).flatMap(([change, number]) =>
    number > 0 ? [`${number} ${change}`] : [],
  );
  return [
    `a  ${runLine(data.a)}`,
    `b  ${runLine(data.b)}`,
    data.summary,
    ...data.differences.map((difference) => `differs: ${clipped(difference)}`),
    ...data.metrics.map(({ text }) => text),
    changed.length > 0 ? `cases: ${changed.join(', ')}` : '',
    ...data.changes.map(changeLine),
    ...data.changedTools.map(({ tool, change, scenario }) => `tool ${clipped(tool)} ${change} (${clipped(scenario)})`),
    ...data.notes.map((note) => clipped(note)),
    data.more ?? '',
  ];
}

function changeLine(one: z.output<typeof outputSchema>['changes'][number]): string {
  const share = (passed: number, tried: number) => (tried === 0 ? 'none judged' : `${passed}/${tried}`);
  const sides = `${share(one.passedA, one.triedA)} → ${share(one.passedB, one.triedB)}`;
  const trial = one.trialB ?? one.trialA ?? '';
  return `${one.change}  ${clipped(`${one.scenario} ${one.caseId}`)}  ${sides}  ${trial}: ${one.reason}`;
}
