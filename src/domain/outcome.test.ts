import { describe, expect, it } from 'vitest';
import { decideOutcome, type EvaluatorResult } from './outcome.ts';

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

  it('is an error when the trial itself broke, whatever was found', () => {
    const fault = { code: 'TARGET_CRASHED', blame: 'target', message: 'it crashed', hint: '' } as const;
    expect(decideOutcome([assertion('pass')], fault)).toEqual({ outcome: 'error', reason: 'it crashed', fault });
  });
});
