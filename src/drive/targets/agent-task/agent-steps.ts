import type { AssayError } from '../../../domain/errors.ts';
import type { StepRewards } from '../../../domain/gate.ts';
import type { AgentReport } from '../../agents/agent.ts';

/** One instruction for the agent, in its own session. */
export interface Task {
  readonly prompt: string;
  readonly timeoutMs: number;
  /** Before the ids of its calls. */
  readonly callPrefix: string;
  readonly isLast: boolean;
}

/** The report of the agent, and the fault that keeps the trial from being judged. */
export interface DoneTask {
  readonly report: AgentReport;
  readonly fault: AssayError | undefined;
}

/** The instructions of a trial that has several, or whose only one is verified before the trial ends. */
export interface AgentSteps {
  readonly rewards: StepRewards;
  /** Takes the steps until a reward is too low or something is at fault; the reports of all of them are one. */
  take(doTask: (task: Task) => Promise<DoneTask>): Promise<DoneTask>;
}
