import { describe, expect, it } from 'vitest';
import { addFindings, noFindings, structuredFindingsSchema } from './findings.ts';

describe('structured findings', () => {
  it('are empty before any evaluator has run, as a record without them is read', () => {
    expect(structuredFindingsSchema.parse({ criteria: null, judge: null })).toEqual(noFindings());
  });

  it('gather lists of several evaluators and keep the last of any other kind', () => {
    const findings = noFindings();
    const gate = { gate_type: 'file_exists', passed: true, message: 'there' };
    addFindings(findings, { gates: [gate] });
    addFindings(findings, { gates: [{ ...gate, passed: false }], judge: null });
    expect(findings.gates.map(({ passed }) => passed)).toEqual([true, false]);
    expect(findings).toEqual({ ...noFindings(), gates: findings.gates });
  });

  it('are of the known kinds only: an evaluator cannot add a verdict or results of others', () => {
    const findings = noFindings();
    addFindings(findings, { outcome: 'pass', evaluatorResults: [], metrics: { cost: 0 } } as never);
    expect(findings).toEqual(noFindings());
  });

  it('share nothing between trials', () => {
    const [one, other] = [noFindings(), noFindings()];
    addFindings(one, { scripts: [{ name: 's', passed: true, message: 'ok' } as never] });
    expect(other.scripts).toEqual([]);
  });
});
