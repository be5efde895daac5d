import { knownVariant, onlyVariant, twoVariants } from '../../compose/compare/two-sides.ts';
import { AssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/trial.ts';
import type { Store } from '../../keep/store/store.ts';
import { diffRepeats, diffTrials } from '../../report/compare/trajectory/trajectory-comparison.ts';
import type { Diff } from '../../report/presentation/diff-words.ts';
import type { Invocation } from './command.ts';
import { type CliContext, hasColor, write } from './context.ts';
import { openProjectStore } from './open-project-store.ts';
import { type ChosenTrials, scenarioOf, usualSide, variantValues } from './usual-side.ts';

interface DiffFlags {
  readonly scenario?: string;
  readonly case?: string;
  readonly by?: keyof Variant;
  readonly a?: string;
  readonly b?: string;
  readonly all?: boolean;
  readonly format?: 'console' | 'markdown' | 'json';
  readonly store?: string;
  readonly json?: boolean;
}

/** Compares the trajectories that the command line names, and writes the comparison down. */
export async function diffStored({ args, options, context }: Invocation): Promise<number> {
  const flags = options as DiffFlags;
  checkFlags(args, flags);
  await using store = await openProjectStore(context, flags.store);
  const diff = (await trialsDiff(args, flags, store)) ?? (await repeatsDiff(args, flags, store));
  await write(context.stdout, await rendered(diff, flags, context));
  return 0;
}

function checkFlags([, second]: readonly string[], { by, a, b }: DiffFlags): void {
  if (by === undefined && second === undefined) {
    throw new AssayError('USAGE', 'There is nothing to compare it with.', {
      hint: 'Name a second trial or run, or say with --by which variants of the run to compare.',
    });
  }
  if (by === undefined && (a ?? b) !== undefined) {
    throw new AssayError('USAGE', '--a and --b name variants, and need --by.');
  }
}

/** Undefined where the first thing that is named is no trial. */
async function trialsDiff(args: readonly string[], flags: DiffFlags, store: Store): Promise<Diff | undefined> {
  const [first = '', second = ''] = args;
  const a = await store.findTrial(first);
  if (!a) return undefined;
  const misplaced = (['scenario', 'case', 'by'] as const).find((flag) => flags[flag] !== undefined);
  if (misplaced) throw new AssayError('USAGE', `--${misplaced} is for runs; "${first}" is a trial.`);
  const b = await store.findTrial(second);
  if (!b) {
    const hint = (await findRun(store, second))
      ? 'It is a run: compare trials with trials, and runs with runs.'
      : 'List the trials of a run with `assay show <run> --json`.';
    throw new AssayError('NOT_FOUND', `There is no trial "${second}" in the store.`, { hint });
  }
  const traced = async (record: typeof a) => ({ record, trace: await store.readTrace(record.trialId) });
  return diffTrials(await traced(a), await traced(b));
}

async function repeatsDiff(args: readonly string[], flags: DiffFlags, store: Store): Promise<Diff> {
  const runA = await requiredRun(args[0] ?? '', store);
  const runB = args[1] === undefined ? runA : await requiredRun(args[1], store);
  const scenario = await scenarioOf(flags.scenario, [runA, runB], store);
  const [choiceA, choiceB] = await choicesOf(runA, runB, scenario, flags, store);
  return diffRepeats(scenario, await usualSide(choiceA, store), await usualSide(choiceB, store));
}

async function choicesOf(
  runA: RunHeader,
  runB: RunHeader,
  scenario: string,
  { by, a, b, case: caseId }: DiffFlags,
  store: Store,
): Promise<readonly [ChosenTrials, ChosenTrials]> {
  const base = { scenario, caseId };
  if (by === undefined)
    return [
      { ...base, runId: runA.runId },
      { ...base, runId: runB.runId },
    ];
  const valuesA = await variantValues({ ...base, runId: runA.runId }, by, store);
  const valuesB = runB === runA ? valuesA : await variantValues({ ...base, runId: runB.runId }, by, store);
  const [valueA, valueB] =
    runA === runB
      ? twoVariants(valuesA, by, a, b)
      : [a ?? onlyVariant(valuesA, by, 'a'), b ?? onlyVariant(valuesB, by, 'b')];
  return [
    { ...base, runId: runA.runId, variant: { part: by, value: knownVariant(valueA, valuesA, by) } },
    { ...base, runId: runB.runId, variant: { part: by, value: knownVariant(valueB, valuesB, by) } },
  ];
}

async function requiredRun(what: string, store: Store): Promise<RunHeader> {
  const run = await findRun(store, what);
  if (run) return run;
  if (await store.findTrial(what)) {
    throw new AssayError('USAGE', `"${what}" is a trial: compare trials with trials, and runs with runs.`);
  }
  throw new AssayError('NOT_FOUND', `There is no run or trial "${what}" in the store, or several begin with it.`);
}

async function findRun(store: Store, what: string): Promise<RunHeader | undefined> {
  const back = /^latest~(\d{1,4})$/.exec(what)?.[1];
  return back === undefined ? store.findRun(what) : (await store.listRuns(Number(back) + 1))[Number(back)];
}

const defaultWidth = 80;

async function rendered(diff: Diff, { format, json, all }: DiffFlags, { stdout, env }: CliContext): Promise<string> {
  if (json || format === 'json') return `${JSON.stringify(diff, null, 2)}\n`;
  if (format === 'markdown') return (await import('../../report/reporters/diff/markdown.ts')).diffMarkdown(diff);
  const { diffText } = await import('../../report/reporters/diff/console.ts');
  const width = stdout.columns ?? (Number(env.COLUMNS) || defaultWidth);
  return diffText(diff, { color: hasColor(stdout, env), width, showsAll: all === true });
}
