/** What a step of a trajectory is. */
export type StepKind = 'command' | 'call' | 'message' | 'file' | 'turn' | 'exchange' | 'test' | 'script' | 'end';

/** How a step went; `help` asks a tool how it is used, `unknown` is what nobody told the end of. */
export type StepState = 'ok' | 'failed' | 'help' | 'unknown';

/** One thing that was done in a trial, in a form that can be compared with what was done in another. */
export interface Step {
  readonly kind: StepKind;
  /** The tool, program or speaker: steps of different ones are never two forms of the same step. */
  readonly subject: string;
  /** Equal for steps that differ only in numbers, ids, times and folders. */
  readonly key: string;
  /** For people, on one line. */
  readonly label: string;
  readonly state: StepState;
  /** Why it failed; empty where it did not, or where nobody said. */
  readonly detail: string;
  /** Position of its event in the trace, from 0. */
  readonly eventIndex: number;
}

/** The kinds of steps that do something; the others say or show something. */
const deedKinds: ReadonlySet<StepKind> = new Set(['command', 'call', 'exchange', 'test', 'script']);

/** The first thing that was done and failed. */
export function firstFailedStep(steps: readonly Step[]): Step | undefined {
  return steps.find(({ kind, state }) => state === 'failed' && deedKinds.has(kind));
}
