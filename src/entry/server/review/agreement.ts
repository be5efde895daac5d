import { identityOf, readCalibrations, verdictOf } from '../../../compose/judge/calibrations.ts';
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
import type { Alpha } from '../../../shared/stats/krippendorff-alpha.ts';
import type { Agreement } from '../api/review.ts';

type Judge = Agreement['judges'][number];

const mostDisagreements = 200;

/**
 * Labels beside the judge's verdicts. Those of unknown trials, of trials without a verdict, and of people who saw the
 * verdict are left out.
 */
export async function labelledTrials(labels: readonly CalibrationLabel[], store: Store): Promise<LabelledAnswer[]> {
  const found: LabelledAnswer[] = [];
  for (const { trialId, label, rater, sawVerdict } of labels) {
    if (sawVerdict) continue;
    const judge = (await store.findTrial(trialId))?.judge;
    const identity = judge ? identityOf(judge) : undefined;
    if (judge && identity) found.push({ trialId, rater, human: label, ...verdictOf(judge), identity });
  }
  return found;
}

/** How far each judge agrees with people, and whether that is what the project keeps. */
export async function agreementOf(trials: readonly LabelledAnswer[], folder: string): Promise<Agreement> {
  const kept = await readCalibrations(folder);
  return { judges: calibrate(trials).map((calibration) => judgeOf(calibration, trials, kept)) };
}

function judgeOf(
  calibration: Calibration,
  trials: readonly LabelledAnswer[],
  kept: Awaited<ReturnType<typeof readCalibrations>>,
): Judge {
  const { identity, compared, unanswered, confusion, agreement, falsePasses, falseFails, kappa, alpha } = calibration;
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
    alpha: { people: alphaOf(alpha.people), judges: alphaOf(alpha.judges), all: alphaOf(alpha.all) },
    isKept: same !== undefined && canonicalJson(same.confusion) === canonicalJson(confusion),
    isStale: kept !== undefined && calibrationWarning(isKnown, identity) !== undefined,
    disagreements: disagreementsOf(identity, trials),
  };
}

function disagreementsOf(identity: JudgeIdentity, trials: readonly LabelledAnswer[]): Judge['disagreements'] {
  return trials
    .filter((each) => isSame(each.identity, identity) && each.judge !== each.human)
    .slice(0, mostDisagreements)
    .map(({ trialId, human, judge }) => ({ trialId, human, judge }));
}

function isSame(a: JudgeIdentity, b: JudgeIdentity): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function alphaOf(found: Alpha | null): Judge['alpha']['all'] {
  return found && { value: found.alpha, low: found.interval.low, high: found.interval.high, units: found.units };
}

function rateOf({ count, of, interval }: Calibration['agreement']): Judge['agreement'] {
  return { count, of, low: interval.low, high: interval.high };
}
