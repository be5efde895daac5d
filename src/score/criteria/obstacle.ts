/**
 * Thrown when the data gives no answer (a part is missing, a value lacks a method): the criterion is then not met.
 * It is no `Error`, because capturing a stack would cost more than the whole evaluation.
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
