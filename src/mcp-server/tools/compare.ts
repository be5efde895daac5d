import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { summarizeRun } from '../../domain/run.ts';
import { variantSchema } from '../../domain/trial.ts';
import { wilson } from '../../stats/wilson.ts';
import type { Store } from '../../store/store.ts';
import { boundedAnswer, clipped, moreText } from '../bounded-text.ts';
import { type ComparedCase, compareRuns } from '../compare-runs.ts';
import { storeOf } from '../project-access.ts';
import { runFacts, runFactsSchema, runLine } from '../run-facts.ts';
import { pageOf } from '../scenario-choice.ts';
import { defineTool, onlyReads } from '../served-tool.ts';

const count = z.number();
const sideSchema = z.object({ pass: count, total: count, trialId: z.string(), reason: z.string() }).nullable();
const runSideSchema = runFactsSchema.extend({
  passRate: z
    .object({ value: z.number().nullable(), low: z.number(), high: z.number() })
    .describe('with 95 % interval'),
});
const maxTools = 100;

/** Two runs side by side. */
export const compare = defineTool({
  name: 'compare',
  title: 'Compare two runs',
  description:
    'Compare two stored runs case by case: which cases pass more often or less often in `b` than in `a`, which only one of them has, and which tools of MCP servers changed their definitions in between. Use it after a change, with the run from before as `a`. With few trials per case a difference may be chance: run with `repeat` to be sure.',
  annotations: onlyReads,
  inputSchema: z.strictObject({
    a: z.string().min(1).describe('id of the run from before, or an unambiguous beginning of it'),
    b: z.string().min(1).default('latest').describe('id of the run from after; `latest` is the newest'),
    acrossVariants: z
      .boolean()
      .default(false)
      .describe('pair cases whatever agent, model or wording they ran with, such as to compare two models'),
    ...pageOf(50, 200),
  }),
  outputSchema: z.object({
    a: runSideSchema,
    b: runSideSchema,
    counts: z.object({ better: count, worse: count, same: count, onlyA: count, onlyB: count }),
    changes: z.array(
      z.object({
        scenario: z.string(),
        caseId: z.string(),
        variant: variantSchema,
        change: z.enum(['better', 'worse', 'same', 'only-a', 'only-b']),
        a: sideSchema,
        b: sideSchema,
      }),
    ),
    changedTools: z.array(z.object({ scenario: z.string(), tool: z.string(), change: z.string() })),
    more: z.string().nullable(),
  }),
  async call({ a, b, acrossVariants, from, limit }, context) {
    await using store = await storeOf(context);
    const sides = { a: await sideOf(store, a), b: await sideOf(store, b) };
    const compared = await compareRuns(store, sides.a.runId, sides.b.runId, !acrossVariants);
    const changed = inOrderOfInterest(compared.cases);
    const changes = changed.slice(from, from + limit).map(bounded);
    const more = moreText({ from, count: changes.length, total: changed.length }, 'changed cases');
    const counts = countsOf(compared.cases);
    const changedTools = compared.changedTools.slice(0, maxTools);
    const lines = [
      `a  ${runLine(sides.a)}`,
      `b  ${runLine(sides.b)}`,
      `${counts.worse} worse, ${counts.better} better, ${counts.same} the same, ${counts.onlyA} only in a, ${counts.onlyB} only in b`,
      ...changes.map(changeLine),
      ...changedTools.map(({ tool, change, scenario }) => `tool ${clipped(tool)} ${change} (${clipped(scenario)})`),
      more ?? '',
    ];
    return { data: { ...sides, counts, changes, changedTools, more }, text: boundedAnswer(lines) };
  },
});

async function sideOf(store: Store, idOrPrefix: string) {
  const header = await store.findRun(idOrPrefix);
  if (!header) {
    const hint = 'Call list_runs for the ids of runs.';
    throw new AssayError('NOT_FOUND', `There is no run "${idOrPrefix}" in the store.`, { hint });
  }
  const facts = runFacts(summarizeRun(header, await store.countTrials(header.runId), Date.now()));
  const judged = facts.totals.pass + facts.totals.fail;
  const value = judged === 0 ? null : facts.totals.pass / judged;
  return { ...facts, passRate: { value, ...wilson(facts.totals.pass, judged) } };
}

const interest = ['worse', 'better', 'only-a', 'only-b'] as const;

function inOrderOfInterest(cases: readonly ComparedCase[]): ComparedCase[] {
  return interest.flatMap((change) => cases.filter((compared) => compared.change === change));
}

function countsOf(cases: readonly ComparedCase[]) {
  const of = (change: ComparedCase['change']) => cases.filter((compared) => compared.change === change).length;
  return { better: of('better'), worse: of('worse'), same: of('same'), onlyA: of('only-a'), onlyB: of('only-b') };
}

function bounded(compared: ComparedCase): ComparedCase {
  const { a, b } = compared;
  const short = (side: NonNullable<ComparedCase['a']>) => ({ ...side, reason: clipped(side.reason, 200) });
  return { ...compared, a: a && short(a), b: b && short(b) };
}

function changeLine({ scenario, caseId, change, a, b }: ComparedCase): string {
  const share = (side: ComparedCase['a']) => (side ? `${side.pass}/${side.total}` : 'none');
  const example = b ?? a;
  const why = example ? `  ${example.trialId}: ${example.reason}` : '';
  return `${change}  ${clipped(`${scenario} ${caseId}`)}  ${share(a)} → ${share(b)}${why}`;
}
