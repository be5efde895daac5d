import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import { sampleRecord } from '../../testing/fakes/keep/sample-trial.ts';
import { metricsJson } from './json-files.ts';
import { outcomeText, scoreTier } from './markdown.ts';

describe('metricsJson', () => {
  const metrics = metricsJson(sampleRecord());

  it('has the gates under both names and in both shapes', () => {
    expect(metrics).toMatchObject({ gates_passed: 2, gates_total: 3, outcome: 'Fail: 2/3 gates passed' });
    expect(metrics.gate_results).toContainEqual({
      type: 'file_exists',
      passed: false,
      detail: 'notes.db is not there',
    });
    expect(metrics.details).toContainEqual({ gate_type: 'Script', passed: true, message: 'ok', detail: { rows: 3 } });
    const renamed = sampleRecord({ gates: [{ gate_type: 'CommandJsonPath', passed: true, message: '' }] });
    expect(metricsJson(renamed)).toMatchObject({
      gate_results: [{ type: 'command_json_path' }],
      details: [{ gate_type: 'CommandJsonPath' }],
    });
  });

  it('has the interaction under its new and its old name', () => {
    expect(metrics.interaction).toMatchObject({ total_commands: 4, error_rate: 0.25, completed: false });
    expect(metrics.efficiency).toEqual({
      total_commands: 4,
      unique_commands: 3,
      error_count: 1,
      retry_count: 1,
      help_invocations: 1,
      first_try_success_rate: 0.5,
      iteration_ratio: 0.75,
    });
    expect(metricsJson(sampleRecord({ interaction: null }))).toMatchObject({ interaction: null, efficiency: null });
  });

  it('has a composite score only where one is configured', () => {
    expect(metrics).not.toHaveProperty('composite_score');
    expect(metricsJson(sampleRecord({ compositeScore: 0 }))).toHaveProperty('composite_score', 0);
  });
});

describe('outcomeText', () => {
  it('says in one line how it ended', () => {
    const gates = [{ gate_type: 'script', passed: true, message: '' }];
    const fault = faultOf(new AssayError('JUDGE_UNREADABLE', 'no JSON'));
    expect(outcomeText(sampleRecord({ outcome: 'pass' }))).toBe('Pass');
    expect(outcomeText(sampleRecord({ gates, reason: 'weighted score 0.62 < 0.7' }))).toBe(
      'Fail: weighted score 0.62 < 0.7',
    );
    expect(outcomeText(sampleRecord({ outcome: 'error', reason: 'no\nJSON', fault }))).toBe('Error: no JSON');
    expect(outcomeText(sampleRecord({ outcome: 'skipped', reason: 'not needed' }))).toBe('Skipped: not needed');
    expect(outcomeText(sampleRecord({ outcome: 'error', reason: 'x'.repeat(9_999) })).length).toBeLessThan(350);
  });
});

describe('scoreTier', () => {
  it('has its borders where they belong', () => {
    expect([1, 0.9, 0.89, 0.7, 0.69, 0.5, 0.49, 0].map(scoreTier)).toEqual([
      'Excellent',
      'Excellent',
      'Good',
      'Good',
      'Acceptable',
      'Acceptable',
      'Poor',
      'Poor',
    ]);
  });
});
