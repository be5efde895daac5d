import { CaseCountTable } from '../../domain/case-count-table.ts';
import { wholeCost } from '../../domain/cost-sum.ts';
import { addJudge, type JudgeShare } from '../../domain/judge-share.ts';
import { marksOf } from '../../domain/marks.ts';
import { type CaseCounts, isLiveStatus, type RunHeader } from '../../domain/run.ts';
import { variantLabel } from '../../domain/variant-text.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { Rows } from '../../shared/rows.ts';
import type { PassOfK } from '../../shared/stats/repeated-passes.ts';
import { templatesOf } from '../compare/case-rates.ts';
import { type CiVerdict, ciVerdict, hasCiRules } from '../compare/ci-verdict.ts';
import { evidenceOf, wholeCounts } from '../compare/evidence.ts';
import {
  figuresOfSingles,
  type PlacedRate,
  placedRates,
  placedRatesOfSingles,
  type RunFigures,
  runFigures,
} from '../compare/run-figures.ts';
import type { StoredRun } from './reporter.ts';

type ReadRun = Pick<StoredRun, 'store' | 'summary' | 'judgeShare'>;

/** The figures of a stored run: the one place that reads what they are computed from. */
export async function readRunFigures(run: ReadRun): Promise<RunFigures> {
  const figures = await readCountedFigures(run);
  const judge = run.judgeShare === undefined ? await readJudgeShare(run) : run.judgeShare;
  return judge ? { ...figures, judge } : figures;
}

/** Only records have the judge's spending apart from the target's, so they are read once, when the run has ended. */
async function readJudgeShare({ store, summary: { run, cost, tokens } }: ReadRun): Promise<JudgeShare | undefined> {
  const isFree = wholeCost(cost) === 0 && tokens.knownInput + tokens.unknownTrials === 0;
  if (isFree || isLiveStatus(run.status)) return undefined;
  let share: JudgeShare | undefined;
  for await (const record of eachTrial(store, run.runId)) share = addJudge(share, record);
  return share?.trials === 0 ? undefined : share;
}

async function readCountedFigures({ store, summary }: ReadRun): Promise<RunFigures> {
  const { runId } = summary.run;
  const isFaulty = (await store.countByCell(runId)).some(({ variant }) => variant.faults !== undefined);
  const singles = isFaulty ? undefined : figuresOfSingles(summary);
  if (singles) return singles;
  const counts = await countCases(store, summary.run);
  return runFigures(summary, counts, isFaulty ? await readResilience(store, summary.run) : null);
}

/** Where each case has one trial, the store has counted by scenario; there is one variant then. */
export async function readPlacedRates({ store, summary }: StoredRun): Promise<PlacedRate[]> {
  const { run } = summary;
  if (!figuresOfSingles(summary)) return placedRates(run, await countCases(store, run));
  return placedRatesOfSingles(await store.countByScenario(run.runId));
}

/** Only records say which calls were broken. */
async function readResilience(store: Store, run: RunHeader): Promise<RunFigures['resilience']> {
  const { ResilienceTally } = await import('../compare/resilience.ts');
  const tally = new ResilienceTally(templatesOf(run));
  for await (const record of eachTrial(store, run.runId)) tally.add(record);
  return tally.tables();
}

/** How a stored run ends. Its cases are counted only where a rule needs them: without any, every trial must pass. */
export async function readRunOutcome(run: StoredRun): Promise<Pick<CiVerdict, 'outcome'>> {
  const { check, minPassRate } = run.demands ?? {};
  return hasCiRules(run.summary.run) || check || minPassRate !== undefined ? readCiVerdict(run) : run.summary;
}

/** Whether a stored run passes by the rules of its files, its request and a baseline. */
async function readCiVerdict({ store, summary, demands = {} }: StoredRun): Promise<CiVerdict> {
  const counts = await store.countByCase(summary.run.runId);
  return ciVerdict({ summary, counts: [...wholeCounts(counts)], evidence: [...evidenceOf(counts)], ...demands });
}

/** The same where it says more than the outcomes of the trials. */
export async function readCiReport(run: StoredRun): Promise<CiVerdict | undefined> {
  return hasCiRules(run.summary.run) || run.demands?.check ? readCiVerdict(run) : undefined;
}

/** How the trials of each case ended, with their marks. Only records have clusters; otherwise the store counts. */
export function countCases(
  store: Store,
  { runId, scenarios }: RunHeader,
  scenario?: string,
): Promise<Rows<CaseCounts>> {
  const isClustered = scenarios.some(({ identity }) => identity?.clusters);
  return isClustered ? countClustered(store, runId, scenario) : store.countByCase(runId, scenario);
}

async function countClustered(store: Store, runId: string, wanted: string | undefined): Promise<Rows<CaseCounts>> {
  const counts = new CaseCountTable();
  for await (const record of eachTrial(store, runId)) {
    const { file, scenario, caseId, variant, cluster, outcome } = record;
    if (wanted !== undefined && scenario !== wanted) continue;
    const ending = outcome === 'pass' || outcome === 'fail' ? outcome : 'unjudged';
    const place = { file, scenario, caseId, variant, cluster, marks: marksOf(record) };
    counts.add({ ...place, pass: 0, fail: 0, unjudged: 0, [ending]: 1 });
  }
  return counts;
}

/** The figures of a run as flat names and values, for formats that have no other place for them; absent ones are left out. */
export function runProperties(figures: RunFigures): (readonly [name: string, value: number])[] {
  const { totals, passRate, cases, repeats, cost, costUsd, notJudged, judge } = figures;
  const values: (readonly [string, number | null | undefined])[] = [
    ['planned', totals.planned],
    ['passed', totals.pass],
    ['failed', totals.fail],
    ['errors', totals.error],
    ['skipped', totals.skipped],
    ['not_run', totals.notRun],
    ['not_judged', notJudged],
    ...Object.entries({ reused: 0, ...figures.marks }),
    ['timed_out', figures.timedOut],
    ['cost_usd', costUsd],
    ['known_cost_usd', cost.knownUsd],
    ['trials_without_cost', cost.unknownTrials],
    ['judge.known_cost_usd', judge?.cost.knownUsd],
    ['judge.known_input_tokens', judge?.tokens.knownInput],
    ['judge.known_output_tokens', judge?.tokens.knownOutput],
    ['pass_rate', passRate.rate],
    ['pass_rate.low', passRate.interval?.low],
    ['pass_rate.high', passRate.interval?.high],
    ['judged_trials', passRate.trials],
    ['judged_trials.passed', passRate.passed],
    ['cases', cases.judged],
    ['cases.passed', cases.passed],
    ['flaky_cases', repeats?.flaky],
    ...(repeats?.passOfK ?? []).flatMap(({ variant, passAtK, passHatK }, _, { length }) => {
      const of = length > 1 ? `${variantLabel(variant)}: ` : '';
      return [
        ...passAtK.flatMap((one) => chance(`${of}pass@`, one)),
        ...passHatK.flatMap((one) => chance(`${of}pass^`, one)),
      ];
    }),
  ];
  return values.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]));
}

function chance(name: string, { k, value, interval }: PassOfK): (readonly [string, number])[] {
  return [
    [`${name}${k}`, value],
    [`${name}${k}.low`, interval.low],
    [`${name}${k}.high`, interval.high],
  ];
}
