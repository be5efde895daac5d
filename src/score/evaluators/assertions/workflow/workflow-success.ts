import type { Workflow } from '../../../../domain/mcp/suites.ts';
import type { ObservedCall } from '../../../../domain/tools/tool-calls.ts';
import { containsText, resultMatches } from '../../../../domain/tools/tool-meaning.ts';
import { eventsOf, type Trace } from '../../../../domain/trace.ts';
import { assistantText } from '../../../../domain/turn.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { excerptOf } from '../../excerpt.ts';
import { callText } from '../tool-use/call-text.ts';
import { metricAnswer, serverCalls, workflowOf } from './workflow.ts';

/** Kept of the last message; the whole of it is in the trace. */
const keptCharacters = 2_000;

/** After each step of a workflow the state is there that the step should lead to. */
export const workflowSuccess = defineEvaluator({
  type: 'workflow-success',
  label: 'End-to-End Success',
  kind: 'assertion',
  summary: 'after each step of a workflow its expectedState is in the last message or the last tool result',
  reads: { channels: { answers: 'exact' }, whereReported: { 'tool-calls': 'exact', 'tool-results': 'exact' } },
  prepare: () => checkWorkflowSuccess,
});

/** Messages and calls up to the end of a step. */
interface StepEnd {
  readonly messages: readonly string[];
  readonly calls: readonly ObservedCall[];
}

interface CheckedStep {
  readonly step: number;
  readonly expectedState: string | null;
  readonly isFound: boolean;
}

function checkWorkflowSuccess({ trial, trace }: EvaluationContext): Answer<'assertion'> {
  const { steps } = workflowOf(trial);
  const ends = stepEnds(steps, trace);
  const checked = steps.map(({ expectedState }, index): CheckedStep => {
    const end = ends[index];
    const isFound = expectedState === undefined || (end !== undefined && isIn(end, expectedState));
    return { step: index + 1, expectedState: expectedState ?? null, isFound };
  });
  const last = checked.at(-1);
  const lastEnd = ends.at(-1);
  const isFound = last?.isFound ?? true;
  const missing = checked
    .filter((step) => !step.isFound)
    .map((step) => `step ${step.step} of ${steps.length}: ${detailsOf(step, ends[step.step - 1])}`);
  const isReached = missing.length === 0;
  const metric = {
    metric: 'End-to-End Success',
    passed: isReached,
    score: isFound ? 1 - missing.length / expectedStates(steps) : 0,
    details: isFound && !isReached ? missing.join('; ') : last ? detailsOf(last, lastEnd) : '',
    metadata: {
      expectedState: last?.expectedState ?? null,
      lastMessageContent: lastEnd?.messages.at(-1)?.slice(0, keptCharacters) ?? null,
      checkedToolResult: lastEnd?.calls.at(-1)?.isAnswered ?? false,
      steps: checked,
    },
  };
  return metricAnswer(metric, isReached ? metric.details : missing.join('; '));
}

/** How many steps expect a state; at least one, so it divides. */
function expectedStates(steps: Workflow['steps']): number {
  return Math.max(1, steps.filter(({ expectedState }) => expectedState !== undefined).length);
}

/** In a conversation each step has its own turn; an agent that is given all steps at once has only one end. */
function stepEnds(steps: Workflow['steps'], trace: Trace): StepEnd[] {
  const turnEnds = trace.flatMap(({ type }, index) => (type === 'turn' ? [index + 1] : []));
  const calls = serverCalls(trace);
  if (turnEnds.length < steps.length) {
    const whole = { messages: messagesIn(trace), calls };
    const last = { messages: whole.messages.slice(-1), calls: calls.slice(-1) };
    return steps.map((_step, index) => (index === steps.length - 1 ? last : whole));
  }
  return steps.map((_step, index) => {
    const end = turnEnds[index] ?? trace.length;
    const ofStep = trace.slice(turnEnds[index - 1] ?? 0, end);
    return {
      messages: messagesIn(ofStep).slice(-1),
      calls: calls.filter(({ eventIndex }) => eventIndex < end).slice(-1),
    };
  });
}

function messagesIn(trace: Trace): string[] {
  const answers = eventsOf(trace, 'message').filter(({ role }) => role === 'assistant');
  if (answers.length > 0) return answers.map(({ text }) => text);
  return eventsOf(trace, 'turn').flatMap((turn) => assistantText(turn) ?? []);
}

function isIn({ messages, calls }: StepEnd, expectedState: string): boolean {
  return (
    messages.some((text) => containsText(text, expectedState)) ||
    calls.some(
      // The words with which Assay refuses a call are not those of a tool.
      ({ isAnswered, isRefused, result, error }) =>
        isAnswered &&
        !isRefused &&
        (resultMatches(expectedState, result) || containsText(error?.message ?? '', expectedState)),
    )
  );
}

function detailsOf({ expectedState, isFound }: CheckedStep, end: StepEnd | undefined): string {
  if (expectedState === null) return 'No state was expected';
  const state = excerptOf(expectedState);
  if (isFound) return `The expected state ${state} was reached`;
  const [message, call] = [end?.messages.at(-1), end?.calls.at(-1)];
  const lastWords = message === undefined ? 'there is no message' : `the last message is ${excerptOf(message)}`;
  return `the expected state ${state} was not reached; ${lastWords}; ${call ? `the last call is ${callText(call)}` : 'no tool was called'}`;
}
