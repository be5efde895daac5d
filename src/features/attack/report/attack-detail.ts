import type { Detail } from '../../../report/reporters/sections/detail.ts';

/** How the tasks and the attacks of an attacked run ended. */
export const attackDetail: Detail = {
  isIn: ({ summary }) => summary.run.request.attacks !== undefined,
  async sections(run) {
    const { readAttackTables } = await import('../../../report/reporters/sections/attacks.ts');
    const { attackSection } = await import('../../../report/presentation/attack-text.ts');
    return (await readAttackTables(run)).map(attackSection);
  },
  async document(run) {
    const { readAttackTables } = await import('../../../report/reporters/sections/attacks.ts');
    const attacks = await readAttackTables(run);
    return attacks.length > 0 ? { attacks } : {};
  },
};
