/** What is wrong with a criterion itself, as opposed to the data it was asked about. */
export interface CriterionDefect {
  criterion: string;
  message: string;
  /** 1-based position in the criterion's text. */
  column: number;
  hint?: string;
}

/** Thrown when a criterion cannot be used: it is a mistake in the test, never in the tool under test. */
export class CriterionError extends Error {
  override readonly name = 'CriterionError';
  readonly defect: CriterionDefect;

  constructor(defect: CriterionDefect) {
    const hint = defect.hint === undefined ? '' : ` (${defect.hint})`;
    super(`${defect.message} at column ${defect.column} of \`${defect.criterion}\`${hint}`);
    this.defect = defect;
  }
}
