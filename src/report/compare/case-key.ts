import type { CaseCounts } from '../../domain/run.ts';

/** Names a case whatever variant it was tried under. */
export function caseKeyOf({ file, scenario, caseId }: Pick<CaseCounts, 'file' | 'scenario' | 'caseId'>): string {
  return JSON.stringify([file, scenario, caseId]);
}
