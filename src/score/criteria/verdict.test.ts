import { describe, expect, it } from 'vitest';
import { computeConfidence, computeVerdict } from './judge-protocol.ts';

describe('computeVerdict', () => {
  it.each([
    [[true, true], [true], { verdict: 'PASS', passCount: 2, failCount: 0, totalCriteria: 3 }],
    [[true, false], [true], { verdict: 'FAIL', passCount: 1, failCount: 0, totalCriteria: 3 }],
    [[true], [true, false], { verdict: 'FAIL', passCount: 1, failCount: 1, totalCriteria: 3 }],
    [[], [], { verdict: 'PASS', passCount: 0, failCount: 0, totalCriteria: 0 }],
  ])('of %j and %j', (passResults, failAvoided, expected) => {
    expect(computeVerdict(passResults, failAvoided)).toEqual(expected);
  });
});

describe('computeConfidence', () => {
  it.each([
    ['no criteria', [], 'HIGH'],
    ['clear criteria', ['result.a === 1'], 'HIGH'],
    ['a minority of vague criteria', ['a is around 1', 'b', 'c'], 'MEDIUM'],
    ['half vague criteria', ['roughly 1', 'b'], 'LOW'],
    ['only vague criteria', ['approximately 1'], 'LOW'],
  ])('of %s is %j', (_name, criteria, expected) => {
    expect(computeConfidence(criteria)).toBe(expected);
  });
});
