import { Option } from 'commander';
import type { FoundSide, SidePlaces } from '../../../compose/compare/find-side.ts';
import { collected, findSide } from '../../../compose/compare/find-side.ts';
import type { TwoSides } from '../../../compose/compare/two-sides.ts';
import { twoSides } from '../../../compose/compare/two-sides.ts';
import type { Project } from '../../../compose/config/project.ts';
import { openProject } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Variant } from '../../../domain/variant.ts';
import { casesBeyondChance } from '../../../report/compare/changed-cases.ts';
import type { CollectedSide } from '../../../report/compare/collected-side.ts';
import { compareCollected } from '../../../report/compare/compare-sides.ts';
import type { ComparisonOfRows, Question } from '../../../report/compare/comparison.ts';
import type { JudgeCorrection } from '../../../report/compare/corrected-pass-rate.ts';
import { answerTo, isChange } from '../../../report/compare/figure-words.ts';
import { collectSidesBy } from '../../../report/compare/side-collector.ts';
import { someRow } from '../../../shared/rows.ts';
import type { CliCommand, Invocation } from '../command.ts';
import type { CliContext } from '../context.ts';
import { write } from '../context.ts';
import type { FigureFlags } from '../options/figures.ts';
import { addFigureOptions, figureChoice, questionOption } from '../options/figures.ts';
import { listOption, numberOption, textOption } from '../options/values.ts';
import { byOption } from '../options/variant-part.ts';
import type { OpenPlaces } from '../project-store.ts';
import { sidePlaces, storeOption } from '../project-store.ts';
import { checkMetrics, compareAllVariants, type VariantsOfRun, variantsOf } from '../variant-table.ts';
import { type DocumentFlags, formatsOf, wantsPage, writeDocument, writePage } from '../write-document.ts';

interface CompareFlags extends FigureFlags, DocumentFlags {
  readonly by?: keyof Variant;
  readonly a?: string;
  readonly b?: string;
  readonly reference?: string;
  readonly force?: boolean;
  readonly judge?: boolean;
  readonly judgeModel?: readonly string[];
  readonly maxUsd?: number;
  readonly correctJudge?: boolean;
  readonly failOn?: 'worse' | 'not-better' | 'changed';
  readonly question?: Question;
  readonly store?: string;
}

/** More than two variants of which none were named are compared in one table. */
function isTable({ sides }: VariantsOfRun, { a, b, reference }: CompareFlags): boolean {
  return reference !== undefined || (sides.length > 2 && a === undefined && b === undefined);
}

/** Compares what the command line names, writes it down and gives the exit code. */
async function compareRuns({ args: named, options: given, context }: Invocation): Promise<number> {
  const options = given as CompareFlags;
  const args = sidesOf(named, options);
  formatsOf(options);
  checkSides(args, options);
  const project = await openProject(context.cwd, context.env);
  await using places = sidePlaces(context, options.store, project);
  if (args.length > 2) return await compareSeveralRuns(args, options, places, context);
  const ranked = await rankedVariants(args, options, { project, context, places });
  if (ranked !== undefined) return ranked;
  const variants = options.by && (await variantsOf(args[0] ?? '', options.by, places));
  if (options.by && variants && isTable(variants, options)) {
    return await compareAllVariants(variants, { ...options, by: options.by }, context);
  }
  const { a, b, pairsOfVariants } =
    options.by && variants ? twoSides(variants.sides, options.by, options) : await twoRuns(args, places);
  if (named[1] === undefined && a.label === b.label && !options.by) throw onlyOneRun(a.label);
  const judgeErrors = options.correctJudge ? await judgeErrorsIn(project.folder, [a, b]) : undefined;
  const withDetails = wantsPage(options);
  const choice = {
    ...figureChoice(options),
    force: options.force,
    pairsOfVariants,
    judgeErrors,
    withDetails,
  };
  const compared = compareCollected(a, b, choice);
  const asking = { project, options, context, places };
  const comparison = isJudged(compared, options)
    ? compareCollected(a, b, { ...choice, judged: await judged(args, a, b, asking) })
    : compared;
  if (comparison.answer !== 'not-comparable') checkMetrics(options, [a, b], comparison.metrics);
  const { details: _, ...plain } = comparison;
  await writeDocument({ name: 'comparison', content: plain }, options, context);
  if (withDetails) await writePage('comparison', await storedB(comparison, places), { comparison }, options, context);
  if (comparison.answer === 'not-comparable') {
    await write(
      context.stderr,
      'error: A and B are not comparable.\n  Run the same files on both sides, or add --force to see the figures anyway.\n',
    );
  }
  return exitCodeOf(comparison, options);
}

/** The exit code of a ranking: with --judge, more than two variants of which none was named are ranked. */
async function rankedVariants(
  [run = '']: readonly string[],
  options: CompareFlags,
  { project, context, places }: Omit<PairAsking, 'options'>,
): Promise<number | undefined> {
  const { by, a, b, judge, failOn } = options;
  if (by === undefined || !judge || (a ?? b) !== undefined) return undefined;
  const sides = [...(await collectSidesBy((await runOf(run, places)).source, by)).values()];
  if (sides.length <= 2) return undefined;
  if (failOn !== undefined) {
    throw new AssayError('USAGE', `--fail-on needs two sides, and the run has ${sides.length} variants by ${by}.`, {
      hint: 'Name two with --a and --b.',
    });
  }
  const { rankVariants } = await import('../rank-variants.ts');
  const flags = { judgeModels: options.judgeModel, maxUsd: options.maxUsd, isForced: options.force === true };
  // Its trials are read once more.
  const found = await runOf(run, places);
  const request = {
    project,
    by,
    sides,
    source: found.source,
    stored: found.stored,
    kept: await keptJudgings({ project, env: context.env }, found, found, by),
    ...flags,
    document: options,
  };
  return rankVariants(request, context);
}

async function judgeErrorsIn(folder: string, sides: readonly CollectedSide[]): Promise<JudgeCorrection> {
  const { judgeCorrection } = await import('../../../compose/judge/judge-correction.ts');
  return judgeCorrection(folder, sides);
}

function isJudged({ answer }: ComparisonOfRows, { judge }: CompareFlags): boolean {
  return judge === true && answer !== 'not-comparable';
}

interface PairAsking {
  readonly project: Project;
  readonly options: CompareFlags;
  readonly context: CliContext;
  readonly places: SidePlaces;
}

/** The sides are read once more: their trials were counted as they went by. */
async function judged(args: readonly string[], a: CollectedSide, b: CollectedSide, asking: PairAsking) {
  const { project, options, context, places } = asking;
  const [first = '', second = first] = args;
  const [runA, runB] = [await runOf(first, places), await runOf(second, places)];
  const flags = { judgeModels: options.judgeModel, maxUsd: options.maxUsd };
  const { judgePairs } = await import('../../../compose/judge/judge-pairs.ts');
  const kept = await keptJudgings({ project, env: context.env }, runA, runB, options.by);
  return judgePairs(
    { a, b, sourceA: runA.source, sourceB: runB.source },
    { project, flags, kept, env: context.env, signal: new AbortController().signal },
  );
}

/** Undefined for runs that come from files. */
async function keptJudgings(
  { project, env }: { readonly project: Project; readonly env: CliContext['env'] },
  { stored: a }: FoundRun,
  { stored: b }: FoundRun,
  by: string | undefined,
) {
  const { KeptJudgings } = await import('../../../compose/judge/kept-judgings.ts');
  return a && b && KeptJudgings.of(project.folder, { a: a.run, b: b.run, by }, projectRedaction(project, env));
}

type FoundRun = Extract<FoundSide, { readonly kind: 'run' }>;

async function runOf(what: string, places: SidePlaces): Promise<FoundRun> {
  const found = await findSide(what, places);
  if (found.kind === 'run') return found;
  throw new AssayError('USAGE', `"${what}" is a baseline, which contains no answers for a judge to compare.`, {
    hint: 'Name a run of the store.',
  });
}

/** The newer run; undefined where it is not in the store. */
async function storedB({ b }: ComparisonOfRows, places: OpenPlaces) {
  const store = await places.openStore();
  const run = await store.findRun(b.runId);
  return run ? { run, store } : undefined;
}

/** The usual question is about the last change: the run before the latest, and the latest. */
function sidesOf([a, b, ...more]: readonly string[], { by }: CompareFlags): readonly string[] {
  if (by === undefined) return [a ?? 'latest~1', b ?? 'latest', ...more];
  return [a ?? 'latest', ...(b === undefined ? [] : [b]), ...more];
}

function onlyOneRun(runId: string): AssayError {
  return new AssayError('USAGE', `Both runs to compare are ${runId}, the latest.`, {
    hint: 'Name another one, or say with --by which variants of the run to compare.',
  });
}

function checkSides(args: readonly string[], { by, a, b, reference, judge, correctJudge }: CompareFlags): void {
  if (by !== undefined && args[1] !== undefined) {
    throw new AssayError('USAGE', '--by compares variants of one run, but a second run was named.');
  }
  if (args.length > 2 && (judge || correctJudge)) {
    const flag = judge ? '--judge' : '--correct-judge';
    throw new AssayError('USAGE', `${flag} compares two runs, and ${args.length} were named.`, {
      hint: 'Name two of them.',
    });
  }
  if (by === undefined && reference !== undefined) throw new AssayError('USAGE', '--reference requires --by.');
  if (reference !== undefined && judge) {
    throw new AssayError('USAGE', '--judge ranks all variants at once, without a reference.');
  }
  if (reference !== undefined && (a ?? b) !== undefined) {
    throw new AssayError('USAGE', '--reference compares all variants, but --a and --b name two of them.');
  }
  if (by === undefined && (a ?? b) !== undefined) {
    throw new AssayError('USAGE', '--a and --b name variants and require --by.');
  }
}

/** The page of the table is that of the last run. */
async function compareSeveralRuns(
  args: readonly string[],
  options: CompareFlags,
  places: SidePlaces,
  context: CliContext,
): Promise<number> {
  const [sides, ids] = [[] as CollectedSide[], new Set<string>()];
  let stored: VariantsOfRun['stored'];
  for (const name of args) {
    const found = await findSide(name, places);
    const side = await collected(found);
    if (ids.has(side.label)) throw new AssayError('USAGE', `The run ${side.label} was named twice.`);
    ids.add(side.label);
    sides.push(side);
    stored = found.kind === 'baseline' ? undefined : found.stored;
  }
  return compareAllVariants({ sides, stored }, { ...options, by: 'run' }, context);
}

async function twoRuns(args: readonly string[], places: SidePlaces): Promise<TwoSides> {
  const [first = '', second = ''] = args;
  const [a, b] = [await findSide(first, places), await findSide(second, places)];
  return { a: await collected(a, b), b: await collected(b, a), pairsOfVariants: 1 };
}

/** A comparison of runs that lack trials is one of their parts, unless it found what it looks for. */
function exitCodeOf(comparison: ComparisonOfRows, flags: CompareFlags): number {
  const { answer, judged, a, b } = comparison;
  if (answer === 'not-comparable') return 2;
  if (answer === 'nothing-to-compare') return 3;
  if (judged && judged.notJudged === judged.cases) return 3;
  const exitCode = exitCodeOfAnswers(comparison, flags);
  return exitCode === 0 && (a.absent ?? b.absent) !== undefined ? 3 : exitCode;
}

/** The pass rate decides, or each figure of --metric; on these tasks also every case that broke. */
function exitCodeOfAnswers(
  { metrics, changedCases }: ComparisonOfRows,
  { failOn, metric, question = 'these-tasks' }: CompareFlags,
): number {
  const deciding = metric ? metrics : metrics.slice(0, 1);
  const answers = deciding.map((each) => answerTo(each, question));
  const isByCase = question === 'these-tasks' && deciding.some(({ name }) => name === 'pass-rate');
  const hasBroken = isByCase && casesBeyondChance(changedCases, 'broke').length > 0;
  switch (failOn) {
    case 'worse':
      return answers.includes('worse') || hasBroken ? 1 : 0;
    case 'not-better':
      return answers.every((each) => each === 'better') && !hasBroken ? 0 : 1;
    case 'changed':
      return answers.some(isChange) || someRow(changedCases, ({ change }) => change === 'broke' || change === 'fixed')
        ? 1
        : 0;
    default:
      return 0;
  }
}

/** `assay compare`: is B better than A? */
export const compare: CliCommand = {
  configure(command) {
    command
      .argument(
        '[a]',
        'the "before" run: an id or the beginning of one, `latest`, `latest~1`, a baseline, or a file (default: `latest~1`, with --by `latest`)',
      )
      .argument('[b]', 'the "after" run, in the same forms (default: `latest`); omit it with --by')
      .argument('[more...]', 'further runs: all of them are compared with the first in one table')
      .addOption(byOption('compare the variants of one run by this part'))
      .option('--a <variant>', 'with --by: the "before" variant', textOption)
      .option('--b <variant>', 'with --by: the "after" variant', textOption)
      .option('--reference <variant>', 'with --by: compare all variants with this one', textOption);
    addFigureOptions(command);
    command
      .option(
        '--judge',
        'let a judge compare the answers of each case in both orders; ranks more than two variants of --by',
      )
      .option('--judge-model <models>', 'with --judge: judge model, as provider/model', listOption)
      .option(
        '--max-usd <x>',
        'with --judge: spending limit in USD; model calls that could exceed it are refused',
        numberOption(0, 1_000_000),
      )
      .option(
        '--correct-judge',
        'correct the pass rate for the errors of the judge that `assay score calibrate` measured',
      )
      .option('--force', 'compare although the runs are not comparable')
      .addOption(
        new Option('--fail-on <answer>', 'exit 1 if the pass rate, or a figure of --metric, is').choices([
          'worse',
          'not-better',
          'changed',
        ]),
      )
      .addOption(questionOption())
      .option('--format <names>', 'console, markdown, json, html', listOption)
      .option('-o, --output <dir>', 'folder for the files', textOption)
      .option(...storeOption)
      .option('--json', 'print one JSON document (assay.compare/1; assay.variants/1 for more than two variants)')
      .addHelpText(
        'after',
        '\nExit codes: 0 compared, 1 what --fail-on names, 2 not comparable or wrong request,\n3 a run lacks trials, nothing on both sides could be compared, or --judge could judge no case.\n',
      );
  },
  async run(invocation) {
    return compareRuns(invocation);
  },
};
