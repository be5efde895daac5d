import { describe, expect, it } from 'vitest';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { compareSides } from './compare-sides.ts';
import type { MetricComparison } from './comparison.ts';
import { sampleUnits } from './sample-units.ts';

const rows = (scenario: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ scenario, caseId: `${scenario}-${index}`, ...more }));

describe('the sampled unit', () => {
  it('is the case where one file has all of them, and stays it when the file is split', () => {
    expect(sampleUnits(rows('s', 20)).kind).toBe('case');
    expect(sampleUnits([...rows('s', 10, { template: 'x' }), ...rows('t', 10, { template: 'x' })]).kind).toBe('case');
  });

  it('is the scenario where several tasks have their own cases', () => {
    expect(sampleUnits([...rows('s', 10, { template: 'x' }), ...rows('t', 10, { template: 'y' })]).kind).toBe(
      'scenario',
    );
    expect(sampleUnits([...rows('s', 10), ...rows('t', 10)]).kind).toBe('scenario');
  });

  it('stays the case with one stray row in a second file', () => {
    expect(sampleUnits([...rows('s', 199), ...rows('t', 1)]).kind).toBe('case');
  });

  it('is the cluster where clusters are declared', () => {
    const { kind, unitOf } = sampleUnits([...rows('s', 3, { cluster: 'topic=a' }), ...rows('s', 3)]);
    expect(kind).toBe('cluster');
    expect(unitOf({ scenario: 's', caseId: '1', cluster: 'topic=a' })).toBe('topic=a');
    expect(unitOf({ scenario: 's', caseId: '1' })).toBe(JSON.stringify(['s', '1']));
  });
});

describe('a comparison', () => {
  const side = (label: string, signs: string, cluster: (caseId: string) => string | undefined) => {
    const cases = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`c${index}`, signs]));
    return sideSource(
      label,
      recordsOf(cases, ({ caseId }) => ({ cluster: cluster(caseId) })),
    );
  };

  async function passRate(cluster: (caseId: string) => string | undefined): Promise<MetricComparison | undefined> {
    const { metrics } = await compareSides(side('A', '++', cluster), side('B', '--', cluster));
    return metrics[0];
  }

  it('of 60 rows in three declared clusters has three units', async () => {
    expect(await passRate(() => undefined)).toMatchObject({ units: 60, unitKind: 'case', answer: 'worse' });
    const clustered = await passRate((caseId) => `topic=${Number(caseId.slice(1)) % 3}`);
    expect(clustered).toMatchObject({ units: 3, unitKind: 'cluster', answer: 'not-enough-data' });
  });
});
