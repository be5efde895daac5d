import { Option } from 'commander';
import { knownVariant, onlyVariant, twoVariants } from '../../../compose/compare/two-sides.ts';
import { AssayError } from '../../../domain/errors.ts';
import { type Mark, marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import { type Store, tooFewRuns } from '../../../keep/store/store.ts';
import { stepsOf } from '../../../report/compare/trajectory/steps.ts';
import { diffRepeats, diffTrials, type UsualSide } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import { UsualSteps } from '../../../report/compare/trajectory/usual-steps.ts';
import type { Diff } from '../../../report/presentation/diff-text.ts';
import { drawMarkdown } from '../../../shared/blocks/draw-markdown.ts';
import { drawText } from '../../../shared/blocks/draw-text.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, hasColor, write } from '../context.ts';
import { textOption } from '../options/values.ts';
import { byOption } from '../options/variant-part.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

/** Which trials of a run are looked at. */
interface ChosenTrials {
  readonly runId: string;
  readonly scenario: string;
  readonly caseId?: string | undefined;
  readonly variant?: { readonly part: keyof Variant; readonly value: string };
}

/** More traces than this add nothing to the usual steps. */
const mostTraces = 200;
const pageSize = 200;

/** The scenario that was named, or the only one that both runs have. */
async function scenarioOf(
  named: string | undefined,
  [runA, runB]: readonly [RunHeader, RunHeader],
  store: Store,
): Promise<string> {
  const namesIn = async ({ runId }: RunHeader) => (await store.countByScenario(runId)).map(({ scenario }) => scenario);
  const [namesA, namesB] = [await namesIn(runA), new Set(await namesIn(runB))];
  const shared = [...new Set(namesA)].filter((name) => namesB.has(name));
  if (named !== undefined && shared.includes(named)) return named;
  const [only, another] = shared;
  if (named !== undefined && only !== undefined) {
    throw new AssayError('NOT_FOUND', `There are no trials of a scenario "${named}" on both sides.`, {
      hint: suggestion(named, shared),
    });
  }
  if (only === undefined) {
    throw new AssayError('NOT_FOUND', 'There is no scenario of which both sides have trials.');
  }
  if (another === undefined) return only;
  throw new AssayError('USAGE', `There are ${shared.length} scenarios: name one with --scenario.`, {
    hint: suggestion('', shared),
  });
}

/** The variants of the chosen trials by one of their parts, in plan order. */
async function variantValues(chosen: ChosenTrials, part: keyof Variant, store: Store): Promise<string[]> {
  const values = new Set<string>();
  for await (const { variant } of trialsOf(chosen, store)) values.add(namedPart(variant, part));
  return [...values];
}

/** Reads the chosen trials and what they usually do. */
async function usualSide(chosen: ChosenTrials, store: Store): Promise<UsualSide> {
  const usual = new UsualSteps();
  const cases = new Set<string>();
  let [unread, passed] = [0, 0];
  const marks: Partial<Record<Mark, number>> = {};
  for await (const record of trialsOf(chosen, store)) {
    if (usual.trials >= mostTraces) {
      unread += 1;
      continue;
    }
    cases.add(record.caseId);
    passed += record.outcome === 'pass' ? 1 : 0;
    for (const mark of marksOf(record)) marks[mark] = (marks[mark] ?? 0) + 1;
    usual.add(stepsOf((await store.readTrace(record.trialId)) ?? []));
  }
  if (usual.trials === 0) {
    const where = chosen.caseId === undefined ? chosen.scenario : `${chosen.scenario} › ${chosen.caseId}`;
    throw new AssayError('NOT_FOUND', `Run ${chosen.runId} has no such trials of "${where}".`);
  }
  const { runId, variant } = chosen;
  const label = variant ? `${variant.part} ${variant.value}` : runId;
  return { side: { label, runId, trials: usual.trials, passed, marks }, usual, cases, unread };
}

/** The trials of a scenario lie side by side in the plan, so nothing else need be read. */
async function* trialsOf(
  { runId, scenario, caseId, variant }: ChosenTrials,
  store: Store,
): AsyncGenerator<TrialRecord> {
  const isChosen = (record: TrialRecord): boolean =>
    record.scenario === scenario &&
    (caseId === undefined || record.caseId === caseId) &&
    (variant === undefined || namedPart(record.variant, variant.part) === variant.value);
  for (const counts of await store.countByScenario(runId)) {
    if (counts.scenario !== scenario) continue;
    let after = counts.firstOrdinal - 1;
    while (after < counts.lastOrdinal) {
      const page = await store.readTrials(runId, { limit: pageSize, after });
      yield* page.filter((record) => record.ordinal <= counts.lastOrdinal && isChosen(record));
      if (page.length < pageSize) break;
      after = page.at(-1)?.ordinal ?? counts.lastOrdinal;
    }
  }
}

function namedPart(variant: Variant, part: keyof Variant): string {
  return variant[part] ?? `(no ${part})`;
}

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
async function diffStored({ args, options, context }: Invocation): Promise<number> {
  const flags = options as DiffFlags;
  checkFlags(args, flags);
  await using store = await openProjectStore(context, flags.store);
  const diff = (await trialsDiff(args, flags, store)) ?? (await repeatsDiff(args, flags, store));
  await write(context.stdout, await rendered(diff, flags, context));
  return 0;
}

function checkFlags([, second]: readonly string[], { by, a, b }: DiffFlags): void {
  if (by === undefined && second === undefined) {
    throw new AssayError('USAGE', 'No second trial or run was given.', {
      hint: 'Name a second trial or run, or say with --by which variants of the run to compare.',
    });
  }
  if (by === undefined && (a ?? b) !== undefined) {
    throw new AssayError('USAGE', '--a and --b name variants and require --by.');
  }
}

/** Undefined where the first argument is not a trial. */
async function trialsDiff(args: readonly string[], flags: DiffFlags, store: Store): Promise<Diff | undefined> {
  const [first = '', second = ''] = args;
  const a = await store.findTrial(first);
  if (!a) return undefined;
  const misplaced = (['scenario', 'case', 'by'] as const).find((flag) => flags[flag] !== undefined);
  if (misplaced) throw new AssayError('USAGE', `--${misplaced} is for runs; "${first}" is a trial.`);
  const b = await store.findTrial(second);
  if (!b) {
    const hint = (await store.findRun(second))
      ? 'Compare trials with trials, and runs with runs.'
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
  const run = await store.findRun(what);
  if (run) return run;
  if (await store.findTrial(what)) {
    throw new AssayError('USAGE', `"${what}" is a trial, and the other side is a run.`);
  }
  const tooFew = tooFewRuns(what);
  if (tooFew) throw tooFew;
  throw new AssayError('NOT_FOUND', `No run or trial in the store, or more than one, begins with "${what}".`);
}

const defaultWidth = 80;
/** From this width on, both sides fit beside each other. */
const sideBySideWidth = 100;

async function rendered(diff: Diff, { format, json, all }: DiffFlags, { stdout, env }: CliContext): Promise<string> {
  if (json || format === 'json') return `${JSON.stringify(diff, null, 2)}\n`;
  const { diffSections } = await import('../../../report/presentation/diff-text.ts');
  const showsAll = all === true;
  if (format === 'markdown') return drawMarkdown(diffSections(diff, { isBeside: true, showsAll }));
  const width = stdout.columns ?? (Number(env.COLUMNS) || defaultWidth);
  const sections = diffSections(diff, { isBeside: width >= sideBySideWidth, showsAll });
  return drawText(sections, { color: hasColor(stdout, env), width });
}

/** `assay diff`: what was done differently in two trials, or usually is in two runs or variants. */
export const diff: CliCommand = {
  configure(command) {
    command
      .argument('<a>', 'a trial, or a run: an id, the beginning of one, `latest` or `latest~1`')
      .argument('[b]', 'another trial or run; left out with --by')
      .option('--scenario <name>', 'of runs: compare only the trials of this scenario', textOption)
      .option('--case <id>', 'of runs: only this case of the scenario', textOption)
      .addOption(byOption('of runs: compare two variants that differ in this part'))
      .option('--a <variant>', 'with --by: the "before" variant', textOption)
      .option('--b <variant>', 'with --by: the "after" variant', textOption)
      .option('--all', 'show equal steps too, in full')
      .addOption(new Option('--format <name>', 'output format').choices(['console', 'markdown', 'json']))
      .option(...storeOption)
      .option('--json', 'print one JSON document (assay.diff/1)')
      .addHelpText(
        'after',
        '\nExamples:\n  assay diff t-0f3a t-91bc\n  assay diff latest~1 latest --scenario "Search orders"\n  assay diff latest --by guidance --a v1 --b v2\n',
      );
  },
  async run(invocation) {
    return diffStored(invocation);
  },
};
