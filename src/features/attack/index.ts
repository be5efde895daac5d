import type { Feature } from '../../engine/feature.ts';

/** `assay attack`, and scenarios whose files plant an attack: further variants, in which tools return instructions. */
export const attack: Feature = {
  name: 'attack',
  async scenarios(scenarios, { options: { attacks }, folder }) {
    if (!attacks && !scenarios.some((scenario) => scenario.attack)) return scenarios;
    const { withAttacks, withOwnAttacks } = await import('./with-attacks.ts');
    return attacks ? withAttacks(scenarios, attacks, folder) : withOwnAttacks(scenarios, folder);
  },
};
