import { canonicalJson } from '../../shared/json.ts';
import { type JudgeIdentity, type LabelledAnswer, type Rate, rate, verdictsIn } from './calibration.ts';

/** How often two judges gave the same verdict on the same trials, right or wrong. */
export interface JudgeAgreement {
  readonly judges: readonly [JudgeIdentity, JudgeIdentity];
  /** Of the trials with a verdict of both. */
  readonly agreement: Rate;
}

/** Every two judges among the answers that have a trial in common. */
export function judgeAgreements(answers: readonly LabelledAnswer[]): JudgeAgreement[] {
  const verdicts = new Map<string, { readonly identity: JudgeIdentity; readonly byTrial: Map<string, number> }>();
  for (const { identity, trialId, judge } of answers) {
    const key = canonicalJson(identity);
    const kept = verdicts.get(key) ?? { identity, byTrial: new Map<string, number>() };
    verdicts.set(key, kept);
    const [verdict] = verdictsIn([judge]);
    // Another verdict of the same judge on a trial is not a further observation.
    if (verdict !== undefined && !kept.byTrial.has(trialId)) kept.byTrial.set(trialId, verdict);
  }
  const judges = [...verdicts.values()];
  return judges.flatMap((one, place) =>
    judges.slice(place + 1).flatMap((other): JudgeAgreement[] => {
      const common = [...one.byTrial].filter(([trialId]) => other.byTrial.has(trialId));
      const agreed = common.filter(([trialId, verdict]) => other.byTrial.get(trialId) === verdict).length;
      if (common.length === 0) return [];
      return [{ judges: [one.identity, other.identity], agreement: rate(agreed, common.length) }];
    }),
  );
}
