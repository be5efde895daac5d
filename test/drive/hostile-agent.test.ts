import { describe, expect, it } from 'vitest';
import { documentedDefences } from '../../src/testing/support/documented-defences.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const documented = documentedDefences();

/** One row for each mechanism; `npm run test:long` has the whole table. */
const usual: ReadonlySet<string> = new Set([
  'edits a gate script in its work directory',
  'reads the environment of other processes in `/proc`',
  'replaces the recorder',
  'leaves a daemon that cleared its environment',
  'plants a Python hook in its HOME (`usercustomize`)',
  'lets code of its work prepare the next gate (`runs: work`)',
]);
const tried = Object.entries(attacks).filter(([name]) => repeatsInFull || usual.has(name));

it('the table of the documentation has a row for each attack', () => {
  expect([...documented.keys()]).toEqual(Object.keys(attacks));
  expect(tried.length).toBeGreaterThanOrEqual(usual.size);
});

describe.each(await testedTiers())('in the isolation %s, an agent', (tier) => {
  for (const [name, attack] of tried) {
    const expected = documented.get(name)?.[tier];
    it(`that ${name}: ${expected}`, async (context) => {
      expect(await attack(tier, context)).toBe(expected);
    });
  }
});
