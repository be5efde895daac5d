import { describe, expect, it } from 'vitest';
import { documentedDefences } from '../../src/testing/support/documented-defences.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const documented = documentedDefences();

it('the table of the documentation has a row for each attack', () => {
  expect([...documented.keys()]).toEqual(Object.keys(attacks));
});

describe.each(await testedTiers())('in the isolation %s, an agent', (tier) => {
  for (const [name, attack] of Object.entries(attacks)) {
    const expected = documented.get(name)?.[tier];
    it(`that ${name}: ${expected}`, async (context) => {
      expect(await attack(tier, context)).toBe(expected);
    });
  }
});
