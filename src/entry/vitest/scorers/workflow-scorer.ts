import { counted } from '../../../shared/format.ts';
import { isRecord } from '../../../shared/json.ts';
import type { EvalScorer } from '../eval-types.ts';
import { calledTools } from '../output.ts';
import { callableScorer, withinUnit } from './scorer.ts';

export interface WorkflowScorerOptions {
  /** Whether `success` must be what `expected.success` says, or true; on by default. */
  readonly requireSuccess?: boolean;
  readonly checkMessages?: boolean;
  /** One by default. */
  readonly minMessages?: number;
}

class WorkflowSuccess implements EvalScorer {
  readonly name: string = 'Workflow Success Evaluation';
  readonly #options: Required<WorkflowScorerOptions>;

  constructor({ requireSuccess = true, checkMessages = false, minMessages = 1 }: WorkflowScorerOptions = {}) {
    this.#options = { requireSuccess, checkMessages, minMessages };
  }

  score(output: unknown, expected: unknown): number {
    if (!isRecord(output)) return 0;
    if (this.#options.requireSuccess && output.success !== expectedSuccess(expected)) {
      return output.success === undefined ? 0 : 0.2;
    }
    return withinUnit(0.6 + 0.2 * this.#messageShare(output) + (Array.isArray(output.toolCalls) ? 0.2 : 0));
  }

  explain(output: unknown, expected: unknown): string {
    if (!isRecord(output)) return 'The output is not an object with the result of a workflow';
    const became = output.success === undefined ? 'does not say whether it succeeded' : `has success ${output.success}`;
    const wanted = this.#options.requireSuccess ? `, expected ${expectedSuccess(expected)}` : '';
    const messages = counted(messageCount(output), 'message');
    return `The workflow ${became}${wanted}; ${messages}, tools called: [${calledTools(output).join(', ')}]`;
  }

  #messageShare(output: Readonly<Record<string, unknown>>): number {
    const { checkMessages, minMessages } = this.#options;
    if (!checkMessages || minMessages <= 0) return 1;
    return Math.min(1, messageCount(output) / minMessages);
  }
}

/** Scores whether a workflow succeeded, and whether it has its messages and tool calls. */
export const WorkflowScorer = callableScorer(WorkflowSuccess);
export type WorkflowScorer = WorkflowSuccess;

function expectedSuccess(expected: unknown): unknown {
  return (isRecord(expected) ? expected.success : undefined) ?? true;
}

function messageCount({ messages }: Readonly<Record<string, unknown>>): number {
  return Array.isArray(messages) ? messages.length : 0;
}
