import * as z from 'zod';
import type { Channel } from '../../../domain/capability.ts';
import type { JudgeOutput } from '../../../domain/judge-protocol.ts';
import type { MessageToolCall } from '../../../domain/message.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { assistantText, reportedCalls, type Turn, toolCallsIn } from '../../../domain/turn.ts';
import { tokenCounts } from '../../../domain/usage.ts';
import { compileJudge, unusableCriterion } from '../../criteria/index.ts';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import { channelView, type ReadRecorder } from '../channel-view.ts';
import { defineEvaluator, type Evaluate } from '../evaluator.ts';
import { shortened } from '../excerpt.ts';
import { isBlank, judgeText, verdict } from './text/answer-text.ts';

const scopeText =
  'over `result` (of this answer: text, json, messages, toolCalls with name, arguments and, if it was refused, refused: true; turn, latencyMs, tokenUsage), `input` and `expected`';

const configSchema = () =>
  z
    .strictObject({
      passCriteria: criteriaListSchema.describe(`boolean expressions that must all be true, ${scopeText}`),
      failCriteria: criteriaListSchema.describe(`boolean expressions that must all be false, ${scopeText}`),
    })
    .refine(
      ({ passCriteria, failCriteria }) => passCriteria.length + failCriteria.length > 0,
      'Give at least one of passCriteria and failCriteria',
    );

type ResponseCriteriaConfig = z.output<ReturnType<typeof configSchema>>;

/** Boolean expressions about the answer, each explained. */
export const responseCriteria = defineEvaluator({
  type: 'response-criteria',
  kind: 'assertion',
  summary: "boolean expressions over the answer's text, JSON, tool calls, time and tokens",
  example: { passCriteria: ['result.text.length < 500', 'result.toolCalls.length > 0'] },
  reads: {
    channels: { answers: 'exact' },
    whereRead: { 'tool-calls': 'exact', usage: 'exact', times: 'exact' },
    scope: 'answer',
  },
  configSchema,
  when: () => 'eventually',
  prepare: checkResponseCriteria,
});

function checkResponseCriteria({ passCriteria, failCriteria }: ResponseCriteriaConfig): Evaluate<'assertion'> {
  const judge = compileJudge(passCriteria, failCriteria);
  return (context) =>
    judgeText(context, (text) => {
      const { turn, trial, trace, recordRead = () => {} } = context;
      const { input, expected } = trial.case;
      const read = new Set<Channel>();
      const note = (channel: Channel): void => {
        read.add(channel);
        recordRead(channel);
      };
      const result = turn && resultView(turn, trace, note);
      const { output, unusable } = judge({ result, input, expected }, { testName: trial.scenario.name });
      const findings = { criteria: output };
      const [defect] = unusable;
      if (defect) return { state: 'error', error: unusableCriterion(defect), findings };
      const state = output.verdict === 'PASS' ? 'pass' : 'fail';
      // Nothing is shorter and freer of everything forbidden than an answer without words, and it is none.
      if (state === 'pass' && read.has('answers') && isBlank(text)) return verdict(false, 'The answer is empty');
      return { state, reason: reasonOf(output), value: state === 'pass' ? 1 : 0, findings };
    });
}

/** Ids of calls that never reached a tool. */
function refusedCalls(trace: Trace): ReadonlySet<string> {
  return new Set(eventsOf(trace, 'tool-call').flatMap(({ callId, isRefused }) => (isRefused ? [callId] : [])));
}

/** Calls of an answer: those in its messages, and those that its source reports beside them. */
function callsIn(turn: Turn, trace: Trace): MessageToolCall[] {
  const calls = toolCallsIn(turn);
  const ids = new Set(calls.map(({ id }) => id));
  const end = trace.findLastIndex((event) => event.type === 'turn' && event.number === turn.number);
  const start = trace.slice(0, Math.max(0, end)).findLastIndex(({ type }) => type === 'turn') + 1;
  const beside = reportedCalls(trace.slice(start, end < 0 ? undefined : end));
  return [...calls, ...beside.filter(({ id }) => !ids.has(id))];
}

/** An answer as criteria see it. */
function resultView(turn: Turn, trace: Trace, recordRead: ReadRecorder) {
  const text = assistantText(turn) ?? '';
  const refused = refusedCalls(trace);
  const result = {
    text,
    // Parsed by those that read it.
    get json() {
      return jsonOrNothing(text);
    },
    messages: turn.messages.map((message) => channelView(message, { tool_calls: 'tool-calls' }, recordRead)),
    toolCalls: callsIn(turn, trace).map((call) => ({
      ...namedCall(call),
      ...(refused.has(call.id) && { refused: true }),
    })),
    turn: turn.number,
    latencyMs: turn.latencyMs,
    tokenUsage: turn.usage && tokenCounts(turn.usage),
  };
  return channelView(
    result,
    { text: 'answers', json: 'answers', toolCalls: 'tool-calls', tokenUsage: 'usage', latencyMs: 'times' },
    recordRead,
  );
}

function namedCall({ function: { name, arguments: written } }: MessageToolCall) {
  return { name, arguments: jsonOrNothing(written) ?? written };
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Explains a failed criterion with the values behind it. */
function reasonOf({ summary, passCriteriaEvaluation, failCriteriaEvaluation }: JudgeOutput): string {
  const missed = passCriteriaEvaluation.details.filter(({ result }) => !result);
  const triggered = failCriteriaEvaluation.details.filter(({ triggered }) => triggered);
  const explained = [...missed, ...triggered].map(({ explanation }) => shortened(explanation));
  return explained.length === 0 ? summary.reason : explained.join('; ');
}
