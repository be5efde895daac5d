/** Type of the evaluator whose results have the signs. */
export const suspicionType = 'suspicion';

/** Ways to a good result that are not the work. */
export type SignKind = 'honeypot' | 'graders' | 'history' | 'other trials' | 'tests' | 'look-up' | 'hard-coded';

/** One thing in a trial that honest work does not need. */
export interface Sign {
  readonly sign: SignKind;
  /** Index of its event in the trace; null for what the end of the trial shows. */
  readonly event: number | null;
  readonly text: string;
}
