import { describe, expect, it } from 'vitest';
import type { IsolationTier } from '../../src/domain/isolation-tier.ts';
import { IsolationProbes } from '../../src/drive/workspace/find-isolation.ts';
import { documentedDefences } from '../../src/testing/support/documented-defences.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';

const probes = new IsolationProbes();
const tiers: IsolationTier[] = [];
for (const tier of ['bubblewrap', 'process', 'none'] as const) {
  if ('isolation' in (await probes.probe(tier))) tiers.push(tier);
}

const documented = documentedDefences();

it('the table of the documentation has a row for each attack', () => {
  expect([...documented.keys()]).toEqual(Object.keys(attacks));
});

describe.each(tiers)('in the isolation %s, an agent', (tier) => {
  for (const [name, attack] of Object.entries(attacks)) {
    const expected = documented.get(name)?.[tier];
    it(`that ${name}: ${expected}`, async (context) => {
      expect(await attack(tier, context)).toBe(expected);
    });
  }
});
