import type { Detail } from '../../../report/reporters/sections/detail.ts';

/** How many trials of each variant show signs of cheating. */
export const suspicionDetail: Detail = {
  isIn: ({ summary }) => summary.run.scenarios.some(({ isAgentDriven }) => isAgentDriven),
  sections: async (run) => (await import('./suspicion-section.ts')).suspicionSections(run),
};
