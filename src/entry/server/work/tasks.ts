import { openProject, type Project } from '../../../compose/config/project.ts';
import { estimateRun, sumEstimates, type VariantEstimate } from '../../../compose/run/estimate-run.ts';
import { selectScenarios } from '../../../compose/run/prepare-run.ts';
import { concurrencyFor } from '../../../compose/run/run-project.ts';
import { removeRuns } from '../../../compose/store/clean-runs.ts';
import { countStored } from '../../../compose/summaries/count-run.ts';
import { summarize } from '../../../compose/summaries/summarize.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { openStore } from '../../../keep/store/open-store.ts';
import type { Store } from '../../../keep/store/store.ts';
import { type PackedSide, packedSide, unpackedSide } from '../../../report/compare/packed-side.ts';
import { readClusteredFailures } from '../../../report/reporters/failure-clusters.ts';
import { readRunBreakdown } from '../../../report/reporters/sections/breakdown.ts';
import { groupedBy } from '../../../shared/grouped-by.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { FileCheck } from '../api/project.ts';
import type { RunPlan, StartRun } from '../api/runs.ts';
import { readScenarioRun } from '../catalog/scenario-run.ts';
import { type CheckedText, checkText } from '../files/check-text.ts';
import { orderCases } from '../grid/case-order.ts';
import type { GridSelection } from '../grid/grid-query.ts';
import { orderTrials, type TrialSelection } from '../grid/trial-order.ts';
import { readJudgedTrials } from '../review/judged-trials.ts';
import type { CollectAside } from '../runs/compared-sides.ts';
import { type ComparedPart, reportPieces } from '../runs/report-pieces.ts';
import { optionsOf } from '../runs/run-request.ts';
import { readSide } from '../summaries/kept-sides.ts';
import {
  type ComparedRuns,
  type ComparedVariants,
  compareRuns,
  compareSeveral,
  compareVariants,
  type SeveralRuns,
} from './comparisons.ts';
import { WorkProcess } from './work-process.ts';

/** How a task says how far it is. */
export interface TaskSteps {
  /** So many further trials were read. */
  read(trials: number): void;
  /** Hands over a piece of a text; resolves when the next is wanted. */
  write(piece: Uint8Array): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The project that a task is about. */
interface TaskPlace {
  readonly folder: string;
  readonly storeUrl: string;
  readonly env: Environment;
}

export interface TaskParts extends TaskPlace {
  readonly store: Store;
  readonly steps: TaskSteps;
}

interface OfRun {
  readonly run: RunHeader;
}

/** Every kind of work that may take long, by what it is given: data that can be sent to another process. */
const tasks = {
  compare: ({ runs }: { readonly runs: ComparedRuns }, parts: TaskParts) =>
    compareRuns(parts.store, runs, sideAside(parts)),
  /** One side of a comparison, whose other side is read at the same time. */
  side: async ({ run, comparedWith }: OfRun & { readonly comparedWith: RunHeader }, { store }: TaskParts) =>
    packedSide(await readSide(run, store, comparedWith)),
  variants: (given: ComparedVariants, { store }: TaskParts) => compareVariants(store, given),
  'several-runs': (given: SeveralRuns, { store }: TaskParts) => compareSeveral(store, given),
  breakdown: ({ run }: OfRun, { store }: TaskParts) => readRunBreakdown(store, run),
  figures: ({ run }: OfRun, { store }: TaskParts) => countStored(run, store),
  clusters: ({ run }: OfRun, { store }: TaskParts) => readClusteredFailures(store, run.runId),
  scenario: ({ run, scenario }: OfRun & { readonly scenario: string }, { store }: TaskParts) =>
    readScenarioRun(run, scenario, store),
  judged: ({ run }: OfRun, { store }: TaskParts) => readJudgedTrials(store, run.runId),
  /** Reads a run that has ended for all of its pages; the results are kept in the store. */
  summarize: ({ run }: OfRun, { store }: TaskParts) => summarize(store, run),
  trials: ({ run, selection }: OfRun & { readonly selection: TrialSelection }, { store }: TaskParts) =>
    orderTrials(store, run, selection),
  grid: ({ run, selection }: OfRun & { readonly selection: GridSelection }, { store }: TaskParts) =>
    orderCases(store, run, selection),
  /** Its text is handed over in pieces. */
  async report({ run, format, compared }: OfRun & ReportWish, { store, env, folder, steps }: TaskParts) {
    const parts = { project: await openProject(folder, env), store, env };
    for await (const piece of reportPieces(run, format, parts, compared)) await steps.write(piece);
    return null;
  },
  remove: async ({ runIds }: { readonly runIds: readonly string[] }, { store, folder, env }: TaskParts) =>
    removeRuns(store, await openProject(folder, env), runIds),
  plan: async ({ wish }: { readonly wish: StartRun }, { store, folder, env }: TaskParts) =>
    planRun(wish, { project: await openProject(folder, env), store, env }),
};

interface ReportWish {
  /** Name of the reporter. */
  readonly format: string;
  readonly compared: ComparedPart;
}

/** A text to check, and the files of the scenarios of other files, by name. */
interface CheckWish {
  readonly written: CheckedText;
  readonly others: ReadonlyMap<string, string>;
}

/** The only work without a store. */
function check({ written, others }: CheckWish, { folder, env }: Pick<TaskPlace, 'folder' | 'env'>): Promise<FileCheck> {
  return checkText(written, { env, project: () => openProject(folder, env), scenariosBesides: async () => others });
}

type Tasks = typeof tasks & { readonly check: typeof check };

export type TaskKind = keyof Tasks;
export type TaskGiven<Kind extends TaskKind> = Parameters<Tasks[Kind]>[0];
export type TaskResult<Kind extends TaskKind> = Awaited<ReturnType<Tasks[Kind]>>;

/** Work as it is sent to another process. */
export interface HeavyTask<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  readonly given: TaskGiven<Kind>;
  readonly place: Omit<TaskPlace, 'storeUrl'> & Partial<TaskPlace>;
}

/** Does the work of a task in this process. */
export async function doTask({ kind, given, place }: HeavyTask, steps: TaskSteps): Promise<TaskResult<TaskKind>> {
  if (kind === 'check') return check(given as CheckWish, place);
  const { storeUrl = '' } = place;
  await using store = await openStore(storeUrl, place.folder, { mustExist: true });
  return await doHere(kind, given as TaskGiven<typeof kind>, {
    ...place,
    storeUrl,
    steps,
    store: countingReads(store, steps),
  });
}

/** The same in a store that is open. */
export function doHere<Kind extends keyof typeof tasks>(
  kind: Kind,
  given: TaskGiven<Kind>,
  parts: TaskParts,
): Promise<TaskResult<Kind>> {
  const work = tasks[kind] as unknown as (given: TaskGiven<Kind>, parts: TaskParts) => Promise<TaskResult<Kind>>;
  return work(given, parts);
}

/** Reads one side of a comparison in a further process, which ends with this one. */
function sideAside({ storeUrl, folder, env, steps: { read } }: TaskParts): CollectAside {
  return async (run, comparedWith) => {
    const worker = new WorkProcess();
    try {
      const task: HeavyTask<'side'> = { kind: 'side', given: { run, comparedWith }, place: { storeUrl, folder, env } };
      const answer = await worker.answer(task, { onRead: read }, new AbortController().signal);
      return 'result' in answer ? unpackedSide(answer.result as PackedSide) : undefined;
    } finally {
      await worker.end();
    }
  };
}

/** A store that says how many trials were read from it. */
function countingReads(store: Store, { read }: TaskSteps): Store {
  return {
    ...store,
    readTrials: async (...request) => {
      const page = await store.readTrials(...request);
      read(page.length);
      return page;
    },
  };
}

const mostVariants = 50;

/** Counts the trials of a run, and estimates its cost and time by earlier trials; nothing is run. */
async function planRun(
  wish: StartRun,
  { project, store, env }: { readonly project: Project; readonly store: Store; readonly env: Environment },
): Promise<RunPlan> {
  const options = await optionsOf(wish, project, store);
  const { scenarios } = await selectScenarios(options, project, { env });
  const estimates = await estimateRun(scenarios, { project, store, env, options });
  const sum = sumEstimates(estimates, options.concurrency ?? concurrencyFor(scenarios, project));
  const byVariant = groupedBy(estimates, ({ variant }) => canonicalJson(variant));
  return {
    scenarios: scenarios.length,
    cases: scenarios.reduce((total, { caseCount }) => total + caseCount, 0),
    trials: sum.trials,
    reused: sum.cached,
    costUsd: isCostKnown(estimates) ? sum.costUsd : null,
    isCostLowerBound: sum.isLowerBound,
    durationMs: sum.durationMs,
    earlierTrials: sum.earlierTrials,
    variantCount: byVariant.size,
    variants: [...byVariant.values()].slice(0, mostVariants).flatMap(variantPlan),
  };
}

function isCostKnown(estimates: readonly VariantEstimate[]): boolean {
  return estimates.some(({ costUsd }) => costUsd !== null);
}

function variantPlan(estimates: readonly VariantEstimate[]): RunPlan['variants'] {
  const [first] = estimates;
  if (!first) return [];
  const { trials, costUsd, isLowerBound, earlierTrials } = sumEstimates(estimates, 1);
  const cost = isCostKnown(estimates) ? costUsd : null;
  return [{ variant: first.variant, trials, costUsd: cost, isCostLowerBound: isLowerBound, earlierTrials }];
}
