import { afterAll, describe, expect, it } from 'vitest';
import { isolationTierSchema } from '../../src/domain/isolation-tier.ts';
import { DefenceTable, tiersLeftOut } from '../../src/testing/support/defence-table.ts';
import { attacks } from '../../src/testing/support/hostile-attacks.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const table = new DefenceTable();
afterAll(() => table.save(Object.keys(attacks)));

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

it('the page of the tiers describes each of them, and its table has a cell for each attack in each', () => {
  expect(tiersLeftOut()).toEqual([]);
  expect(table.attacks).toEqual(Object.keys(attacks));
  const missing = table.attacks.filter((attack) => isolationTierSchema.options.some((tier) => !table.of(attack, tier)));
  expect(missing).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(usual.size);
});

describe.each(await testedTiers())('in the isolation %s, an agent', (tier) => {
  for (const [name, attack] of tried) {
    it(`that ${name}: ${table.of(name, tier)}`, async (context) => {
      table.note(name, tier, await attack(tier, context));
    });
  }
});
