import { identityOf, readCalibrations } from '../../../compose/judge/calibrations.ts';
import type { Store } from '../../../keep/store/store.ts';
import {
  type Calibration,
  type CalibrationLabel,
  calibrate,
  calibrationWarning,
  type JudgeIdentity,
  type LabelledAnswer,
} from '../../../score/judge/calibration.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { Agreement } from '../api/review.ts';

type Judge = Agreement['judges'][number];

interface LabelledTrial extends LabelledAnswer {
  readonly trialId: string;
}

const mostDisagreements = 200;

/** Labels beside the judge's verdicts; those of unknown trials and of trials without a verdict are left out. */
export async function labelledTrials(labels: readonly CalibrationLabel[], store: Store): Promise<LabelledTrial[]> {
  const found: LabelledTrial[] = [];
  for (const { trialId, label } of labels) {
    const judge = (await store.findTrial(trialId))?.judge;
    const identity = judge ? identityOf(judge) : undefined;
    if (judge && identity) found.push({ trialId, human: label, judge: judge.state, identity });
  }
  return found;
}

/** How far each judge agrees with people, and whether that is what the project keeps. */
export async function agreementOf(trials: readonly LabelledTrial[], folder: string): Promise<Agreement> {
  const kept = await readCalibrations(folder);
  return { judges: calibrate(trials).map((calibration) => judgeOf(calibration, trials, kept)) };
}

function judgeOf(
  calibration: Calibration,
  trials: readonly LabelledTrial[],
  kept: Awaited<ReturnType<typeof readCalibrations>>,
): Judge {
  const { identity, compared, unanswered, confusion, agreement, falsePasses, falseFails, kappa } = calibration;
  const same = kept?.find((each) => isSame(each.identity, identity));
  const isKnown = (kept ?? []).map((each) => each.identity);
  return {
    ...identity,
    compared,
    unanswered,
    confusion: { ...confusion },
    agreement: rateOf(agreement),
    falsePasses: rateOf(falsePasses),
    falseFails: rateOf(falseFails),
    kappa: kappa ? { value: kappa.kappa, low: kappa.interval.low, high: kappa.interval.high } : null,
    isKept: same !== undefined && canonicalJson(same.confusion) === canonicalJson(confusion),
    isStale: kept !== undefined && calibrationWarning(isKnown, identity) !== undefined,
    disagreements: disagreementsOf(identity, trials),
  };
}

function disagreementsOf(identity: JudgeIdentity, trials: readonly LabelledTrial[]): Judge['disagreements'] {
  return trials
    .filter((each) => isSame(each.identity, identity) && each.judge !== each.human)
    .slice(0, mostDisagreements)
    .map(({ trialId, human, judge }) => ({ trialId, human, judge }));
}

function isSame(a: JudgeIdentity, b: JudgeIdentity): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function rateOf({ count, of, interval }: Calibration['agreement']): Judge['agreement'] {
  return { count, of, low: interval.low, high: interval.high };
}
