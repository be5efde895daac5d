import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import type { JudgeOutput } from '../../../domain/judge-protocol.ts';
import type { MessageToolCall } from '../../../domain/message.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { assistantText, type Turn, toolCallsIn } from '../../../domain/turn.ts';
import { tokenCounts } from '../../../domain/usage.ts';
import { compileJudge } from '../../criteria/index.ts';
import { criteriaListSchema } from '../../criteria/source-schemas.ts';
import { defineEvaluator, type Evaluate, type Reads } from '../evaluator.ts';
import { shortened } from '../excerpt.ts';
import { judgeText } from './text/answer-text.ts';

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
  label: 'Response Criteria',
  kind: 'assertion',
  summary: "boolean expressions over the answer's text, JSON, tool calls, time and tokens",
  example: { passCriteria: ['result.text.length < 500', 'result.toolCalls.length > 0'] },
  needs: [],
  reads: readsOfCriteria,
  configSchema,
  when: () => 'eventually',
  prepare: checkResponseCriteria,
});

/** Figures that an expression mentions are read as well as the answer itself. */
function readsOfCriteria({ passCriteria, failCriteria }: ResponseCriteriaConfig): Reads {
  const source = [...passCriteria, ...failCriteria].join('\n');
  return {
    channels: {
      answers: 'exact',
      ...(/\btoolCalls\b/.test(source) && { 'tool-calls': 'exact' }),
      ...(/\btokenUsage\b/.test(source) && { usage: 'exact' }),
      ...(/\blatencyMs\b/.test(source) && { times: 'exact' }),
    },
    scope: 'answer',
  };
}

function checkResponseCriteria({ passCriteria, failCriteria }: ResponseCriteriaConfig): Evaluate<'assertion'> {
  const judge = compileJudge(passCriteria, failCriteria);
  const asksForJson = [...passCriteria, ...failCriteria].some((source) => /\bjson\b/.test(source));
  return (context) =>
    judgeText(context, () => {
      const { turn, trial, trace } = context;
      const { input, expected } = trial.case;
      const result = turn && resultOf(turn, refusedCalls(trace), asksForJson);
      const { output, unusable } = judge({ result, input, expected }, { testName: trial.scenario.name });
      const findings = { criteria: output };
      const [defect] = unusable;
      if (defect) {
        const where = `${defect.criterion}: ${defect.message} (column ${defect.column})`;
        return { state: 'error', error: new AssayError('CRITERION_UNUSABLE', where, { hint: defect.hint }), findings };
      }
      const state = output.verdict === 'PASS' ? 'pass' : 'fail';
      return { state, reason: reasonOf(output), value: state === 'pass' ? 1 : 0, findings };
    });
}

/** Ids of calls that never reached a tool. */
function refusedCalls(trace: Trace): ReadonlySet<string> {
  return new Set(eventsOf(trace, 'tool-call').flatMap(({ callId, isRefused }) => (isRefused ? [callId] : [])));
}

function resultOf(turn: Turn, refused: ReadonlySet<string>, withJson: boolean) {
  const text = assistantText(turn) ?? '';
  return {
    text,
    json: withJson ? jsonOrNothing(text) : undefined,
    messages: turn.messages,
    toolCalls: toolCallsIn(turn).map((call) => ({
      ...namedCall(call),
      ...(refused.has(call.id) && { refused: true }),
    })),
    turn: turn.number,
    latencyMs: turn.latencyMs,
    tokenUsage: turn.usage && tokenCounts(turn.usage),
  };
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
