import * as z from 'zod';
import type { JudgeAnswer } from '../../domain/judge-result.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { cohenKappa, type Kappa } from '../../shared/stats/kappa.ts';
import { type Alpha, krippendorffAlpha } from '../../shared/stats/krippendorff-alpha.ts';
import { type Interval, wilson } from '../../shared/stats/pass-rate.ts';
import type { Judge } from './judge.ts';

/** One line of a file of labels: what a person says of a trial. */
export const calibrationLabelSchema = lazySchema(() =>
  z.strictObject({
    trialId: z.string().min(1),
    label: z.enum(['pass', 'fail']),
    rater: z.string().optional(),
    note: z.string().optional(),
    sawVerdict: z
      .literal(true)
      .optional()
      .describe('given beside the verdict: it is kept, and is not evidence about the judge'),
  }),
);
export type CalibrationLabel = z.infer<typeof calibrationLabelSchema>;

/** Everything that makes a judge the judge it is; when one of these changes, its calibration is void. */
export interface JudgeIdentity {
  readonly mode: string;
  readonly model: string;
  readonly promptVersion: string;
  /** Of the criteria, rubric and thresholds. */
  readonly rubricHash: string;
}

/** A person's label beside the judge's answer to the same trial. */
export interface LabelledAnswer {
  readonly human: CalibrationLabel['label'];
  readonly judge: JudgeAnswer['state'];
  readonly identity: JudgeIdentity;
  /** Several people may label a trial, and several judges may vote on it. */
  readonly trialId: string;
  /** All labels without one are those of the same person. */
  readonly rater?: string | undefined;
  readonly panel: readonly JudgeAnswer['state'][];
}

/** Agreement of several raters on passes and fails (Krippendorff's alpha); null where it says nothing. */
interface RaterAgreement {
  readonly people: Alpha | null;
  /** Members of the panel among themselves. */
  readonly judges: Alpha | null;
  /** People and judges together. */
  readonly all: Alpha | null;
}

/** Two raters of the same trials. */
interface RaterPair {
  /** `judge` is the judge; a person without a name is `unnamed`. */
  readonly raters: readonly [string, string];
  /** Trials that both rated. */
  readonly trials: number;
  readonly agreed: number;
  /** Absent when both gave one and the same label throughout. */
  readonly kappa?: Kappa;
}

/** A share of trials. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  readonly interval: Interval;
}

/** How far one judge can be relied on, measured against people. Answers that are no verdict are counted apart. */
export interface Calibration {
  readonly identity: JudgeIdentity;
  /** Trials with a verdict and a label that more than half of the people gave. */
  readonly compared: number;
  /** Trials that as many people pass as fail. */
  readonly disputed: number;
  readonly unanswered: number;
  readonly confusion: {
    readonly bothPass: number;
    readonly bothFail: number;
    readonly judgePassHumanFail: number;
    readonly judgeFailHumanPass: number;
  };
  readonly agreement: Rate;
  /** Of what people failed, what the judge passed: the error that lets bad work through. */
  readonly falsePasses: Rate;
  readonly falseFails: Rate;
  /** Absent when people and judge gave one and the same label throughout. */
  readonly kappa?: Kappa;
  readonly alpha: RaterAgreement;
  /** Every two people, and each of them with the judge; empty where one person labelled. */
  readonly raterPairs: readonly RaterPair[];
}

/** Identity of a judge: mode, config, prompt version and model. */
export function judgeIdentity(
  judge: Pick<Judge, 'mode' | 'promptVersion'>,
  config: unknown,
  model: string,
): JudgeIdentity {
  return { mode: judge.mode, model, promptVersion: judge.promptVersion, rubricHash: sha256(canonicalJson(config)) };
}

/** One calibration for each judge that occurs among the answers, in the order of their first appearance. */
export function calibrate(answers: readonly LabelledAnswer[]): Calibration[] {
  const byJudge = new Map<string, LabelledAnswer[]>();
  for (const answer of answers) {
    const key = canonicalJson(answer.identity);
    byJudge.set(key, [...(byJudge.get(key) ?? []), answer]);
  }
  return [...byJudge.values()].flatMap((group) => (group[0] ? [calibrateOne(group[0].identity, group)] : []));
}

/** Describes changes since a judge was calibrated; undefined when there are none. */
export function calibrationWarning(calibrated: readonly JudgeIdentity[], current: JudgeIdentity): string | undefined {
  const changes = calibrated.map((identity) => changedParts(identity, current));
  if (changes.some((parts) => parts.length === 0)) return undefined;
  const closest = changes.toSorted((a, b) => a.length - b.length)[0];
  if (closest === undefined) return 'The judge is uncalibrated: it was never compared with human labels';
  return `The judge is uncalibrated: its ${closest.join(' and ')} changed since it was compared with human labels`;
}

function changedParts(before: JudgeIdentity, now: JudgeIdentity): string[] {
  const parts = { mode: 'mode', model: 'model', promptVersion: 'prompt', rubricHash: 'rubric' } as const;
  return (Object.keys(parts) as (keyof typeof parts)[])
    .filter((key) => before[key] !== now[key])
    .map((key) => parts[key]);
}

function calibrateOne(identity: JudgeIdentity, answers: readonly LabelledAnswer[]): Calibration {
  const trials = ratedTrials(answers);
  const labelled = trials.map(({ judge, labels }) => ({ judge, human: majority([...labels.values()]) }));
  const count = (judge: 'pass' | 'fail', human: 'pass' | 'fail') =>
    labelled.filter((trial) => trial.judge === judge && trial.human === human).length;
  const confusion = {
    bothPass: count('pass', 'pass'),
    bothFail: count('fail', 'fail'),
    judgePassHumanFail: count('pass', 'fail'),
    judgeFailHumanPass: count('fail', 'pass'),
  };
  const { bothPass, bothFail, judgePassHumanFail, judgeFailHumanPass } = confusion;
  const compared = bothPass + bothFail + judgePassHumanFail + judgeFailHumanPass;
  const kappa = cohenKappa([
    [bothPass, judgePassHumanFail],
    [judgeFailHumanPass, bothFail],
  ]);
  return {
    identity,
    compared,
    disputed: labelled.filter(({ human }) => human === 'disputed').length,
    unanswered: labelled.filter(({ judge, human }) => human !== 'disputed' && judge !== 'pass' && judge !== 'fail')
      .length,
    confusion,
    agreement: rate(bothPass + bothFail, compared),
    falsePasses: rate(judgePassHumanFail, judgePassHumanFail + bothFail),
    falseFails: rate(judgeFailHumanPass, judgeFailHumanPass + bothPass),
    ...(kappa === undefined ? {} : { kappa }),
    alpha: raterAgreement(trials),
    raterPairs: raterPairs(trials),
  };
}

/** A trial with the last label of each person. */
interface RatedTrial {
  readonly judge: JudgeAnswer['state'];
  readonly panel: readonly JudgeAnswer['state'][];
  readonly labels: Map<string, CalibrationLabel['label']>;
}

function ratedTrials(answers: readonly LabelledAnswer[]): RatedTrial[] {
  const trials = new Map<string, RatedTrial>();
  for (const { trialId, rater = 'unnamed', human, judge, panel } of answers) {
    const trial = trials.get(trialId) ?? { judge, panel, labels: new Map() };
    trial.labels.set(rater, human);
    trials.set(trialId, trial);
  }
  return [...trials.values()];
}

function majority(labels: readonly CalibrationLabel['label'][]): CalibrationLabel['label'] | 'disputed' {
  const lead = labels.reduce((sum, label) => sum + (label === 'pass' ? 1 : -1), 0);
  return lead === 0 ? 'disputed' : lead > 0 ? 'pass' : 'fail';
}

const judgeName = 'judge';

function raterPairs(trials: readonly RatedTrial[]): RaterPair[] {
  const people = [...new Set(trials.flatMap(({ labels }) => [...labels.keys()]))].sort();
  if (people.length < 2) return [];
  const verdictOf = ({ judge, labels }: RatedTrial, rater: string | null): JudgeAnswer['state'] | undefined =>
    rater === null ? judge : labels.get(rater);
  const pairs: [string, string | null][] = people.flatMap((first, place) =>
    [...people.slice(place + 1), null].map((second): [string, string | null] => [first, second]),
  );
  return pairs.map(([first, second]) => {
    const count = (one: 'pass' | 'fail', other: 'pass' | 'fail'): number =>
      trials.filter((trial) => verdictOf(trial, first) === one && verdictOf(trial, second) === other).length;
    const table = [
      [count('pass', 'pass'), count('pass', 'fail')],
      [count('fail', 'pass'), count('fail', 'fail')],
    ];
    const agreed = count('pass', 'pass') + count('fail', 'fail');
    const kappa = cohenKappa(table);
    const rated = agreed + count('pass', 'fail') + count('fail', 'pass');
    return { raters: [first, second ?? judgeName], trials: rated, agreed, ...(kappa && { kappa }) };
  });
}

function raterAgreement(trials: readonly RatedTrial[]): RaterAgreement {
  const units = trials.map(({ labels, judge, panel }) => ({
    people: verdictsIn([...labels.values()]),
    judges: verdictsIn(panel.length > 0 ? panel : [judge]),
  }));
  const alphaOf = (ratings: readonly (readonly number[])[]): Alpha | null =>
    krippendorffAlpha(ratings, 'nominal') ?? null;
  return {
    people: alphaOf(units.map(({ people }) => people)),
    judges: alphaOf(units.map(({ judges }) => judges)),
    all: alphaOf(units.map(({ people, judges }) => [...people, ...judges])),
  };
}

/** Answers that are not a verdict are missing ratings. */
export function verdictsIn(states: readonly JudgeAnswer['state'][]): number[] {
  return states.flatMap((state) => (state === 'pass' ? [1] : state === 'fail' ? [0] : []));
}

/** A share with its interval. */
export function rate(count: number, of: number): Rate {
  return { count, of, interval: wilson(count, of) };
}
