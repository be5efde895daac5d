/** How much one evaluation may do (`maxSteps`) and make (`maxSize`, characters and elements together). */
export interface EvaluationLimits {
  maxSteps: number;
  maxSize: number;
}

/** Limits that keep any evaluation well under 50 ms and a few megabytes. */
export const defaultLimits: EvaluationLimits = { maxSteps: 100_000, maxSize: 1_000_000 };

/** Source longer than this is refused before it is parsed. */
export const maxSourceLength = 10_000;

/** Expressions nested deeper than this are refused to keep later stages from overflowing the stack. */
export const maxExpressionDepth = 250;

/** Values nested deeper than this are not turned into text. */
const maxValueDepth = 500;

/** The mutable part of one evaluation: what is left of its budget, and the values of callback parameters. */
export interface Run {
  stepsLeft: number;
  sizeLeft: number;
  readonly slots: unknown[];
}

/** Thrown inside an evaluation that exceeds its budget; turned into a defect at the edge of the language. */
export class Overrun {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Creates the state for evaluations of one compiled expression; `refill` makes it ready for each of them. */
export function createRun(slotCount: number, limits: EvaluationLimits): Run {
  return { stepsLeft: limits.maxSteps, sizeLeft: limits.maxSize, slots: new Array(slotCount).fill(undefined) };
}

/** Gives a run its whole budget back. */
export function refill(run: Run, limits: EvaluationLimits): void {
  run.stepsLeft = limits.maxSteps;
  run.sizeLeft = limits.maxSize;
}

/** Pays for work: about one step for each syntax node evaluated in a loop. */
export function spendSteps(run: Run, steps: number): void {
  run.stepsLeft -= steps;
  if (run.stepsLeft < 0) throw new Overrun('needs too many steps to evaluate');
}

/** Pays for a string or array about to be made; always called before the memory is taken. */
export function spendSize(run: Run, size: number): void {
  run.sizeLeft -= size;
  if (!(run.sizeLeft >= 0)) throw new Overrun('makes too much text or too many items');
}

/** Pays for native code that looks at each character once, which is far cheaper than a step each. */
export function spendScan(run: Run, characters: number): void {
  spendSteps(run, 1 + (characters >> 6));
}

/** Stops recursion over a value that is nested beyond any sensible depth. */
export function guardValueDepth(depth: number): void {
  if (depth > maxValueDepth) throw new Overrun('handles data that is nested too deeply');
}
