import { describe, expect, it } from 'vitest';
import { decideOutcome, type EvaluatorResult, evaluatorResultSchema, faultSchema, isPartlyJudged } from './outcome.ts';

const assertion = (state: EvaluatorResult['state']): EvaluatorResult => ({
  type: 'contains',
  kind: 'assertion',
  state,
  success: state === 'pass',
  reason: `it is ${state}`,
});
const metric: EvaluatorResult = {
  type: 'duration',
  kind: 'metric',
  state: 'measured',
  success: true,
  value: 3,
  reason: 'measured',
};

describe('the outcome of a trial', () => {
  it.each([
    ['every assertion passed', ['pass', 'pass'], 'pass', undefined],
    ['one assertion failed', ['pass', 'fail'], 'fail', undefined],
    ['one failed and one broke', ['error', 'fail'], 'fail', undefined],
    ['one assertion broke', ['pass', 'error'], 'error', 'EVALUATOR_FAILED'],
    ['one assertion is still pending', ['pass', 'pending'], 'error', 'EVALUATOR_FAILED'],
    ['one assertion was skipped', ['pass', 'skipped'], 'pass', 'NOT_JUDGED'],
    ['every assertion was skipped', ['skipped'], 'error', 'NOTHING_ASSERTED'],
    ['there was no assertion', [], 'error', 'NOTHING_ASSERTED'],
  ] as const)('when %s', (_name, states, outcome, code) => {
    const decision = decideOutcome([...states.map(assertion), metric], undefined);
    expect({ outcome: decision.outcome, code: decision.fault?.code }).toEqual({ outcome, code });
  });

  it('does not miss an assertion that does not apply, which alone asserts nothing', () => {
    const inapplicable = { ...assertion('skipped'), metadata: { applies: false } };
    const { outcome, fault, reason } = decideOutcome([assertion('pass'), inapplicable], undefined);
    expect({ outcome, fault, reason }).toEqual({ outcome: 'pass', fault: null, reason: assertion('pass').reason });
    expect(decideOutcome([assertion('pass'), inapplicable, assertion('skipped')], undefined).fault?.code).toBe(
      'NOT_JUDGED',
    );
    expect(decideOutcome([inapplicable], undefined).fault?.code).toBe('NOTHING_ASSERTED');
  });

  it('is an error when the trial itself broke, whatever was found', () => {
    const fault = { code: 'TARGET_CRASHED', blame: 'target', message: 'it crashed', hint: '' } as const;
    expect(decideOutcome([assertion('pass')], fault)).toEqual({ outcome: 'error', reason: 'it crashed', fault });
  });

  it('is an error with the reason of whatever voids it, before anything else', () => {
    const voids = { code: 'NOT_OBSERVED', blame: 'engine', message: 'the tools changed', hint: '' } as const;
    const results = [assertion('fail'), { ...metric, voids }];
    expect(decideOutcome(results, undefined)).toEqual({ outcome: 'error', reason: 'the tools changed', fault: voids });
  });

  it('has the reason of the assertion that decided it', () => {
    const fault = { code: 'EVALUATOR_FAILED', blame: 'engine', message: 'it broke', hint: '' } as const;
    const broken = { ...assertion('error'), fault };
    expect(decideOutcome([broken, assertion('fail')], undefined)).toEqual({
      outcome: 'fail',
      reason: 'it is fail',
      fault,
    });
    expect(decideOutcome([assertion('fail')], undefined)).toMatchObject({ outcome: 'fail', fault: null });
    expect(decideOutcome([broken], undefined)).toEqual({ outcome: 'error', reason: 'contains: it is error', fault });
    expect(decideOutcome([assertion('pass')], undefined)).toEqual({
      outcome: 'pass',
      reason: 'it is pass',
      fault: null,
    });
    expect(decideOutcome([assertion('pass'), assertion('pass')], undefined).reason).toBe('All 2 assertions passed');
  });

  it('names every assertion that was skipped', () => {
    const skipped = { ...assertion('skipped'), reason: 'no key. There is none.' };
    const partly = decideOutcome([assertion('pass'), skipped, { ...skipped, type: 'llm-judge' }], undefined);
    expect(partly.reason).toBe('it is pass (not judged: contains, llm-judge)');
    expect(partly.fault?.message).toBe(
      'Not judged: contains: no key. There is none; llm-judge: no key. There is none.',
    );
    expect(decideOutcome([skipped], undefined).reason).toBe(
      'Nothing was asserted: every assertion was skipped (contains: no key. There is none).',
    );
    expect(decideOutcome([metric], undefined).reason).toBe('Nothing was asserted: only metrics were evaluated.');
  });

  it('does not count what counts only through an expression', () => {
    const part = { ...assertion('fail'), isPart: true } as const;
    expect(decideOutcome([part, assertion('pass')], undefined).outcome).toBe('pass');
  });

  it('is partly judged where it is a pass of which an assertion was left out', () => {
    const { fault } = decideOutcome([assertion('pass'), assertion('skipped')], undefined);
    expect(isPartlyJudged({ outcome: 'pass', fault })).toBe(true);
    expect(isPartlyJudged({ outcome: 'fail', fault })).toBe(false);
    expect(isPartlyJudged({ outcome: 'pass', fault: null })).toBe(false);
    const other = { code: 'TARGET_CRASHED', blame: 'target', message: 'it crashed', hint: '' } as const;
    expect(isPartlyJudged({ outcome: 'pass', fault: other })).toBe(false);
  });
});

describe('the result of an evaluator', () => {
  const fault = { code: 'TARGET_CRASHED', blame: 'target', message: 'it crashed', hint: 'Look at it.' } as const;
  const whole = {
    ...assertion('error'),
    id: 'a',
    name: 'n',
    value: 1,
    metadata: { a: 1 },
    isPart: true,
    turn: 2,
    fault,
    voids: fault,
  };

  it('keeps all of its parts in the store', () => {
    expect(evaluatorResultSchema.parse(whole)).toEqual(whole);
    expect(evaluatorResultSchema.parse(metric)).toEqual(metric);
    expect(faultSchema.parse(fault)).toEqual(fault);
  });

  it.each([
    { state: 'green' },
    { kind: 'other' },
    { isPart: false },
    { fault: { ...fault, blame: 'weather' } },
    { fault: { ...fault, code: 'X' } },
  ])('is not one with %j', (wrong) => {
    expect(evaluatorResultSchema.safeParse({ ...whole, ...wrong }).success).toBe(false);
  });
});
