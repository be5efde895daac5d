import type { Detail } from '../../../report/reporters/sections/detail.ts';

/** Trials that went on after their process had ended, or started from the beginning. */
export const continuedDetail: Detail = {
  isIn: ({ summary }) => summary.run.scenarios.some(({ isAgentDriven }) => isAgentDriven),
  sections: async (run) => (await import('./continued-section.ts')).continuedSections(run),
};
