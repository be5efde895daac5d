import type {
  ArmLook,
  Experiment,
  ExperimentLook,
  ExperimentPlan,
  experimentEndings,
} from '../../domain/experiment.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Emit, RunHeader } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Round, RunFeature } from '../../engine/run-feature.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import type { MetricComparison } from '../../report/compare/comparison.ts';
import { errorRate, isSettled, placeInPlan, roundLevels } from '../../report/compare/experiment-rounds.ts';
import { lookSentence, onlyTheseTasks } from '../../report/compare/figure-words.ts';
import type { FigureOptions } from '../../report/compare/figures.ts';
import { collectSidesBy } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { counted } from '../../shared/format.ts';
import { fewestInformative } from '../../shared/stats/sign-test.ts';
import { armOf, caseKey, type ExperimentArms, findArms, type PlannedCase } from './plan-experiment.ts';

type Ending = (typeof experimentEndings)[number];

interface ExperimentParts {
  readonly header: RunHeader;
  readonly plan: ExperimentPlan;
  readonly scenarios: readonly Scenario[];
  readonly store: Store;
  readonly emit: Emit;
}

/**
 * The rounds of an experiment. Each adds repeats of every case under the reference and the variants that are not
 * decided; then all are compared, at a level that allows for the looks before and after. What a round includes follows
 * from the trials before it alone, so an experiment that was interrupted goes on as if nothing had happened.
 */
export class ExperimentRounds implements RunFeature {
  readonly #parts: ExperimentParts;
  readonly #cases: ReadonlyMap<string, PlannedCase>;
  readonly #levels: readonly number[];
  /** The variants that each round tries. */
  readonly #armsOf: ReadonlySet<string>[] = [];
  /** Variants that are tried no further, because no case was judged under them and the reference. */
  readonly #unjudged: string[] = [];
  #experiment: Experiment;
  #planned = 0;

  private constructor(parts: ExperimentParts, { cases, arms, reference }: ExperimentArms) {
    this.#parts = parts;
    this.#cases = cases;
    this.#levels = roundLevels(parts.plan.rounds, (parts.plan.errorRate ?? errorRate) / (arms.length - 1));
    this.#armsOf.push(new Set(arms));
    this.#experiment = { reference, looks: [], ending: null, reason: null };
  }

  static async open(parts: ExperimentParts): Promise<ExperimentRounds> {
    return new ExperimentRounds(parts, await findArms(parts.plan, parts.scenarios));
  }

  async nextRound(): Promise<Round | undefined> {
    const { plan: question, emit } = this.#parts;
    const round = this.#experiment.looks.length;
    const isBegun = this.#planned > 0;
    if (isBegun) await this.#look(round);
    if (this.#experiment.ending) return undefined;
    const next = isBegun ? round + 1 : 0;
    this.#planned += this.#trialsIn(next);
    await this.#keep();
    const { reference, looks } = this.#experiment;
    const rounds = question.rounds.length;
    emit({ type: 'round-started', round: next + 1, rounds, reference, planned: this.#planned, look: looks.at(-1) });
    return { planned: this.#planned, includes: (trial) => this.#includes(trial, next) };
  }

  #includes({ scenario, case: { caseId }, variant, repeat }: Trial, latest: number): boolean {
    const { by, rounds } = this.#parts.plan;
    const { round, place } = placeInPlan(repeat, rounds);
    if (round > latest || !this.#armsOf[round]?.has(armOf(variant, by))) return false;
    const planned = this.#cases.get(caseKey(scenario.name, caseId, variant, by));
    return planned !== undefined && (place === 0 || !planned.restedIn.has(round));
  }

  #trialsIn(round: number): number {
    const size = this.#parts.plan.rounds[round] ?? 0;
    const arms = this.#armsOf[round] ?? new Set();
    let trials = 0;
    for (const { arms: own, restedIn } of this.#cases.values()) {
      const tried = [...own].filter((arm) => arms.has(arm)).length;
      trials += tried * (restedIn.has(round) ? 1 : size);
    }
    return trials;
  }

  async #look(round: number): Promise<void> {
    const sides = await this.#sides(round);
    const { reference } = this.#experiment;
    const armsNow = [...(this.#armsOf[round] ?? [])].filter((arm) => arm !== reference);
    const level = this.#levels[round] ?? 0;
    const arms: ArmLook[] = [];
    const refusals: string[] = [];
    for (const arm of armsNow) {
      const compared = this.#compared(sides.get(reference), sides.get(arm), level);
      if (typeof compared === 'string') refusals.push(compared);
      else if (compared) arms.push(compared);
      else this.#unjudged.push(arm);
    }
    const look: ExperimentLook = { round: round + 1, trials: this.#planned, level, arms };
    const looks = [...this.#experiment.looks, look];
    this.#experiment = { ...this.#experiment, looks };
    if (refusals.length > 0) return this.#end('not-comparable', refusals.join(' '));
    const unjudged = this.#unjudgedText();
    if (arms.length === 0) return this.#end('nothing-to-compare', unjudged);
    const open = arms.filter(({ answer }) => answer === 'not-enough-data').map(({ arm }) => arm);
    if (open.length === 0) return this.#end(unjudged ? 'nothing-to-compare' : 'decided', unjudged);
    if (looks.length === this.#parts.plan.rounds.length) return this.#end('plan-used-up', unjudged);
    this.#armsOf[round + 1] = new Set([reference, ...open]);
    this.#letRest(sides, round + 1);
    const lack = await this.#lackOfBudget(round + 1);
    if (lack) await this.#end('budget-used-up', unjudged ? `${lack} ${unjudged}` : lack);
  }

  /** Null where every variant could be compared. */
  #unjudgedText(): string | null {
    if (this.#unjudged.length === 0) return null;
    const names = this.#unjudged.map((arm) => `"${arm}"`).join(' or ');
    const { metric } = this.#parts.plan;
    const missing = metric === 'pass-rate' ? 'No case was judged' : `No case has the figure ${metric}`;
    return `${missing} under both "${this.#experiment.reference}" and ${names}.`;
  }

  /** The trials of the rounds so far by variant. */
  #sides(round: number): Promise<ReadonlyMap<string, CollectedSide>> {
    const { header, store, plan: question } = this.#parts;
    const { by, rounds } = question;
    async function* soFar(): AsyncGenerator<TrialRecord, void> {
      for await (const record of eachTrial(store, header.runId)) {
        if (placeInPlan(record.repeat, rounds).round <= round) yield record;
      }
    }
    const source = { ...storedSource(header, store), trials: soFar() };
    return collectSidesBy(source, by, ({ scenario, caseId, variant, repeat }) => {
      const { round: of } = placeInPlan(repeat, rounds);
      const isRested = this.#cases.get(caseKey(scenario, caseId, variant, by))?.restedIn.has(of);
      return isRested ? (rounds[of] ?? 1) : 1;
    });
  }

  /** Undefined where nothing was judged on both sides; a text says why they cannot be compared. */
  #compared(a: CollectedSide | undefined, b: CollectedSide | undefined, level: number): ArmLook | string | undefined {
    if (!a || !b) return undefined;
    const { metric } = this.#parts.plan;
    const comparison = compareCollected(a, b, { ...figureOptions(this.#parts.plan), only: [metric], level });
    if (comparison.answer === 'not-comparable') return comparison.summary;
    const [figure] = comparison.metrics;
    return figure && armLook(b.label, figure);
  }

  /**
   * From the trials so far: cases that always ended alike go on with one trial a round, which stands for all. It is not
   * left out altogether, or cases that changed later would be missed and the mean would be too near to 0.
   */
  #letRest(sides: ReadonlyMap<string, CollectedSide>, round: number): void {
    const { by, metric, rounds } = this.#parts.plan;
    if ((rounds[round] ?? 1) < 2 || this.#cases.size < fewestInformative) return;
    const values = new Map<string, (readonly number[])[]>();
    for (const [arm, { cases }] of sides) {
      if (!this.#armsOf[round]?.has(arm)) continue;
      for (const { scenario, caseId, variant, unjudged, figures } of cases) {
        const key = caseKey(scenario, caseId, variant, by);
        const others = values.get(key) ?? [];
        values.set(key, others);
        others.push(unjudged > 0 ? [] : (figures.get(metric) ?? []));
      }
    }
    for (const [key, ofArms] of values) if (isSettled(ofArms)) this.#cases.get(key)?.restedIn.add(round);
  }

  /** Why the next round is not begun; undefined where it can be paid for, or costs nothing that is known. */
  async #lackOfBudget(next: number): Promise<string | undefined> {
    const { plan: question, store, header } = this.#parts;
    const { maxUsd, maxTrials } = question;
    const trials = this.#trialsIn(next);
    if (this.#planned + trials > maxTrials)
      return `The next round has ${counted(trials, 'trial')}, more than is left of the limit of ${maxTrials}.`;
    if (maxUsd === null) return undefined;
    const { cost, pass, fail, error } = await store.countTrials(header.runId);
    const spent = cost.knownUsd;
    const wanted = (spent / Math.max(1, pass + fail + error - cost.unknownTrials)) * trials;
    if (spent + wanted <= maxUsd) return undefined;
    return `The next round would cost about $${wanted.toFixed(2)}, and $${spent.toFixed(2)} of $${maxUsd} is spent.`;
  }

  async #end(ending: Ending, reason: string | null): Promise<void> {
    this.#experiment = { ...this.#experiment, ending, reason };
    await this.#keep();
  }

  async #keep(): Promise<void> {
    await this.#parts.store.setExperiment(this.#parts.header.runId, this.#planned, this.#experiment);
  }
}

/** Directions and margins of the question, as comparisons take them. */
function figureOptions({ metric, smallest, isHigherBetter }: ExperimentPlan): FigureOptions {
  return {
    ...(smallest && { smallest: new Map([[metric, smallest]]) }),
    ...(isHigherBetter === true && { higherIsBetter: [metric] }),
    ...(isHigherBetter === false && { lowerIsBetter: [metric] }),
  };
}

function armLook(arm: string, figure: MetricComparison): ArmLook {
  const { meanA, meanB, unit, smallestDifference, cases, typical, plan: needed } = figure;
  const within = onlyTheseTasks(figure);
  const answers = [figure.answer, typical?.answer, within?.answer];
  const answer = answers.find((each) => each !== undefined && each !== 'not-enough-data') ?? 'not-enough-data';
  const isOnTheseCases = within !== null && answers.indexOf(answer) === answers.length - 1;
  return {
    arm,
    answer,
    isOnTheseCases,
    summary: lookSentence(figure, isOnTheseCases),
    meanReference: meanA,
    mean: meanB,
    ...(isOnTheseCases ? withinDifference(figure, within) : differenceOf(figure)),
    unit,
    smallestDifference,
    cases,
    trialsToDecide: answer === 'not-enough-data' ? (needed?.trials ?? null) : null,
  };
}

type LookDifference = Pick<ArmLook, 'difference' | 'interval' | 'typical'>;

function differenceOf({ difference, interval, typical }: MetricComparison): LookDifference {
  const ratio = typical && { ratio: typical.ratio, interval: typical.interval ?? null };
  return { difference, interval: interval ?? null, typical: ratio };
}

/** On exactly these cases; the interval of a figure that is compared by ratios is one of ratios only. */
function withinDifference(
  figure: MetricComparison,
  { difference, interval, isRatio }: MetricComparison['onTheseTasks'],
): LookDifference {
  if (!isRatio) return { difference, interval: interval ?? null, typical: null };
  const ratios = interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) };
  return {
    difference: figure.difference,
    interval: null,
    typical: { ratio: Math.exp(difference), interval: ratios ?? null },
  };
}
