import { describe, expect, it } from 'vitest';
import {
  calibrate,
  calibrationLabelSchema,
  calibrationWarning,
  judgeIdentity,
  type LabelledAnswer,
} from './calibration.ts';
import { rubric } from './modes/rubric.ts';

const identity = judgeIdentity(rubric, { rubric: 'v1', passThreshold: 0.7 }, 'openai/gpt-4o-mini');

function answers(count: number, judge: LabelledAnswer['judge'], human: LabelledAnswer['human']): LabelledAnswer[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ judge, human, identity, panel: [] },
    trialId: `t-${judge}-${human}-${index}`,
  }));
}

describe('calibrate', () => {
  const labelled = [
    ...answers(20, 'pass', 'pass'),
    ...answers(5, 'pass', 'fail'),
    ...answers(10, 'fail', 'pass'),
    ...answers(15, 'fail', 'fail'),
    ...answers(3, 'error', 'pass'),
    ...answers(2, 'skipped', 'fail'),
  ];

  it('gives the confusion matrix, rates with intervals and kappa', () => {
    const [calibration] = calibrate(labelled);
    expect(calibration).toMatchObject({
      identity,
      compared: 50,
      unanswered: 5,
      confusion: { bothPass: 20, judgePassHumanFail: 5, judgeFailHumanPass: 10, bothFail: 15 },
      agreement: { count: 35, of: 50 },
      falsePasses: { count: 5, of: 20 },
      falseFails: { count: 10, of: 30 },
    });
    expect(calibration?.kappa?.kappa).toBeCloseTo(0.4, 12);
    expect(calibration?.agreement.interval.low).toBeLessThan(0.7);
    expect(calibration?.agreement.interval.high).toBeGreaterThan(0.7);
  });

  it('distinguishes judges by rubric, prompt and model', () => {
    const other = { ...identity, rubricHash: 'other' };
    const [first, second] = calibrate([
      ...answers(2, 'pass', 'pass'),
      { judge: 'fail', human: 'pass', identity: other, trialId: 't-other', panel: [] },
    ]);
    expect([first?.compared, second?.compared]).toEqual([2, 1]);
    expect(second?.identity).toBe(other);
  });

  it('has no kappa when there is only one label', () => {
    expect(calibrate(answers(9, 'pass', 'pass'))[0]?.kappa).toBeUndefined();
    expect(calibrate([])).toEqual([]);
  });
});

describe('calibrationWarning', () => {
  it('is silent about the judge that was calibrated', () => {
    const same = judgeIdentity(rubric, { passThreshold: 0.7, rubric: 'v1' }, 'openai/gpt-4o-mini');
    expect(calibrationWarning([{ ...identity, model: 'x' }, identity], same)).toBeUndefined();
  });

  it('names what changed since the closest calibration', () => {
    const changed = judgeIdentity(rubric, { rubric: 'v2', passThreshold: 0.7 }, 'openai/gpt-4o');
    expect(calibrationWarning([identity], changed)).toBe(
      'The judge is uncalibrated: its model and rubric changed since it was compared with human labels',
    );
    expect(calibrationWarning([{ ...changed, promptVersion: 'rubric.v0' }, identity], changed)).toContain('its prompt');
  });

  it('says that there was never a calibration', () => {
    expect(calibrationWarning([], identity)).toContain('it was never compared');
  });
});

describe('calibrationLabelSchema', () => {
  it('takes a label for a trial and nothing it does not know', () => {
    expect(calibrationLabelSchema.safeParse({ trialId: 't-1', label: 'pass', rater: 'ann' }).success).toBe(true);
    expect(calibrationLabelSchema.safeParse({ trialId: 't-1', label: 'good' }).success).toBe(false);
    expect(calibrationLabelSchema.safeParse({ trialId: 't-1', label: 'pass', lable: 'x' }).success).toBe(false);
  });
});
