import { AssayError } from '../../domain/errors.ts';

/** A mistake in the criterion itself, as opposed to the data it was evaluated on. */
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

/** The error of a trial whose criterion cannot be used. */
export function unusableCriterion({ criterion, message, column, hint }: CriterionDefect): AssayError {
  return new AssayError('CRITERION_UNUSABLE', `${criterion}: ${message} (column ${column})`, { hint });
}

/**
 * Thrown when the data gives no answer (a part is missing, a value lacks a method): the criterion is then not met.
 * It is not an `Error`, because capturing a stack would cost more than the whole evaluation.
 */
export class Obstacle {
  readonly explanation: string;

  constructor(explanation: string) {
    this.explanation = explanation;
  }
}

/** Text of a call in the criterion, for the explanations of whatever goes wrong in it. */
export interface CallSite {
  readonly text: string;
}

/** Ends the evaluation because a call has no value for the arguments the data gave it. */
export function refuseCall(site: CallSite, reason: string): never {
  throw new Obstacle(`${site.text} has no value: ${reason}`);
}
