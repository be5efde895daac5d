import type { Feature } from '../../engine/feature.ts';

/** `--arm`: only some of the variants that the files declare. */
export const arms: Feature = {
  name: 'arms',
  async scenarios(scenarios, { options }) {
    if (!options.arms) return scenarios;
    const { withChosenArms } = await import('./chosen-arms.ts');
    return withChosenArms(scenarios, options.arms);
  },
};
