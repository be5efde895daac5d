/** Where the list of trials stands on the page. */
export const trialListId = 'trials';

/** Brings the list of trials into sight, after something elsewhere on the page has filtered it. */
export function showTrialList(): void {
  document.getElementById(trialListId)?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
}
