import type { Detail } from '../../../report/reporters/sections/detail.ts';

/** Approval requests of agents and the answers to them. */
export const approvalsDetail: Detail = {
  isIn: ({ summary }) => (summary.marks.approvals ?? 0) > 0,
  sections: async (run) => (await import('./approvals-section.ts')).approvalSections(run),
};
