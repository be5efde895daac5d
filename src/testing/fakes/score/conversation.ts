import * as z from 'zod';
import type { Message } from '../../../domain/message.ts';
import type { Trace, TraceEvent } from '../../../domain/trace.ts';
import { assistantText, turnsOf } from '../../../domain/turn.ts';
import { type TokenUsage, usageOfCounts } from '../../../domain/usage.ts';
import { evaluateAll, prepareEvaluator } from '../../../engine/prepared-evaluator.ts';
import {
  type Answer,
  defineEvaluator,
  type EvaluationContext,
  type Evaluator,
} from '../../../score/evaluators/evaluator.ts';

/** One answer of an agent; omitted figures are not reported by its connector. */
export interface FakeTurn {
  readonly text?: string;
  readonly tools?: readonly string[];
  readonly messages?: readonly Message[];
  readonly latencyMs?: number;
  readonly timeToFirstTokenMs?: number;
  readonly tokenUsage?: TokenUsage;
  readonly costUsd?: number;
}

/** The trace of a conversation, with the events that a target of conversations emits. */
export function conversationTrace(...turns: readonly FakeTurn[]): TraceEvent[] {
  return turns.flatMap(
    ({ text, tools = [], messages, latencyMs = 100, tokenUsage, ...figures }, index): TraceEvent[] => {
      const stamp = { at: index, seenBy: 'agent' } as const;
      const calls = tools.map((name, call) => ({
        id: `${index}-${call}`,
        type: 'function' as const,
        function: { name, arguments: '{"day":"friday"}' },
      }));
      const message: Message = { role: 'assistant', content: text ?? null, tool_calls: calls };
      const isSilent = text === undefined && tools.length === 0;
      return [
        { type: 'message', ...stamp, role: 'user', text: `Question ${index + 1}` },
        ...calls.map(
          (call): TraceEvent => ({ type: 'tool-call', ...stamp, callId: call.id, tool: call.function.name, input: {} }),
        ),
        ...(text === undefined ? [] : [{ type: 'message', ...stamp, role: 'assistant', text } as const]),
        {
          type: 'turn',
          at: index,
          seenBy: 'recorder',
          number: index + 1,
          messages: [...(messages ?? (isSilent ? [] : [message]))],
          latencyMs,
          reports: ['tool-calls'],
          ...figures,
          ...(tokenUsage && { usage: usageOfCounts(tokenUsage) }),
        },
      ];
    },
  );
}

/** Evaluation context of a trace; `expected` comes from the case. */
export function contextOf(trace: Trace, expected?: unknown, more: Partial<EvaluationContext> = {}): EvaluationContext {
  const scenario = { name: 'Booking', description: 'Books a table', judge: { models: [], samples: undefined } };
  const trial = { trialId: 't-1', scenario, case: { input: 'Book a table', expected }, variant: {} };
  const context = { trial, trace, workspace: undefined, turn: turnsOf(trace).at(-1), isFinal: true, failures: [] };
  return { ...context, signal: new AbortController().signal, ...more } as unknown as EvaluationContext;
}

/** Runs an evaluator as the engine does, its config checked first. */
export async function ask(evaluator: Evaluator, config: unknown, context: EvaluationContext): Promise<Answer> {
  const spec = { type: evaluator.type, config: evaluator.configSchema.parse(config) };
  const [answer] = await evaluateAll([prepareEvaluator(spec, new Map([[evaluator.type, evaluator]]))], context);
  if (!answer) throw new Error(`${evaluator.type} gave no answer.`);
  return answer;
}

/** Evaluates the last of some answers; `pass: reason`, `fail: reason` or `measured 3: reason`. */
export async function describeVerdict(
  evaluator: Evaluator,
  config: unknown,
  ...turns: readonly FakeTurn[]
): Promise<string> {
  return inWords(await ask(evaluator, config, contextOf(conversationTrace(...turns))));
}

/** An answer on one line; an error with its code. */
export function inWords(answer: Answer): string {
  if (answer.state === 'error') return `error ${answer.error.code}: ${answer.error.message}`;
  return answer.state === 'measured'
    ? `measured ${answer.value}: ${answer.reason}`
    : `${answer.state}: ${answer.reason}`;
}

/** When an evaluator with this config must hold. */
export function whenOf(evaluator: Evaluator, config: unknown): string | undefined {
  return evaluator.when?.(evaluator.configSchema.parse(config));
}

/** A metric that adds up the characters of all answers. */
export const answerLength = defineEvaluator({
  type: 'length',
  label: 'Length',
  kind: 'metric',
  summary: 'characters of all answers',
  needs: [],
  reads: { channels: {} },
  configSchema: z.object({}),
  aggregate: 'sum',
  prepare:
    () =>
    ({ turn }) => ({ state: 'measured', value: (turn && assistantText(turn)?.length) ?? 0, reason: 'counted' }),
});
