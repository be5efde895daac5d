import * as z from 'zod';
import { lastAnswer } from '../../../domain/trace.ts';
import { channelCoverage } from '../../../domain/trace-coverage/coverage.ts';
import { assistantText } from '../../../domain/turn.ts';
import { counted, grouped, unknownFigure } from '../../../shared/format.ts';
import { defineEvaluator, type EvaluationContext } from '../evaluator.ts';
import { shortened } from '../excerpt.ts';
import {
  inMs,
  knownTokens,
  latencyMsOf,
  noTimeToFirstToken,
  noTokenUsage,
  type TokenPart,
  toolNamesOf,
} from '../turn-figures.ts';

/** How long the tool took to answer. */
export const duration = defineEvaluator({
  type: 'duration',
  kind: 'metric',
  summary: 'milliseconds until the answer',
  needs: ['call-answer'],
  reads: { channels: { times: 'total' } },
  prepare:
    () =>
    ({ trace }) => {
      const durationMs = lastAnswer(trace)?.durationMs;
      if (durationMs === undefined) return { state: 'no-data', reason: 'No answer to measure' };
      return { state: 'measured', value: durationMs, reason: `Answered after ${durationMs.toFixed(2)} ms` };
    },
});

export const latency = defineEvaluator({
  type: 'latency',
  kind: 'metric',
  summary: 'milliseconds until the answer; the mean over a conversation',
  reads: { channels: { times: 'total' }, scope: 'answer' },
  aggregate: 'mean',
  prepare:
    () =>
    ({ trace }) => {
      const value = latencyMsOf(trace);
      if (value === undefined) return { state: 'no-data', reason: 'No answer to measure' };
      return { state: 'measured', value, reason: `Answered after ${inMs(value)}` };
    },
});

export const timeToFirstTokenMs = defineEvaluator({
  type: 'time-to-first-token-ms',
  label: 'Time To First Token',
  kind: 'metric',
  summary: 'milliseconds until the first token of the answer; the mean over a conversation',
  reads: { channels: { times: 'total' }, scope: 'answer' },
  aggregate: 'mean',
  prepare:
    () =>
    ({ turn }) => {
      const value = turn?.timeToFirstTokenMs;
      if (value === undefined) return { state: 'no-data', reason: noTimeToFirstToken };
      return { state: 'measured', value, reason: `First token after ${inMs(value)}` };
    },
});

export const turnCount = defineEvaluator({
  type: 'turn-count',
  kind: 'metric',
  summary: 'answers in the conversation',
  reads: { channels: { answers: 'total' } },
  aggregate: 'last',
  prepare:
    () =>
    ({ turn }) => {
      if (!turn) return { state: 'no-data', reason: 'No answer to count' };
      return { state: 'measured', value: turn.number, reason: counted(turn.number, 'turn') };
    },
});

const noCalls = "No tool calls (or connector doesn't support tool_calls)";

export const toolCallCount = defineEvaluator({
  type: 'tool-call-count',
  kind: 'metric',
  summary: 'tool calls, summed over the conversation; needs a connector that reports them',
  reads: { channels: { 'tool-calls': 'total' }, scope: 'answer' },
  aggregate: 'sum',
  prepare: () => (context) => {
    const toolNames = toolNamesOf(context);
    const value = toolNames.length;
    if (value === 0 && channelCoverage(context.trace, 'tool-calls').state === 'none')
      return { state: 'no-data', reason: noCalls };
    const reason = value === 0 ? noCalls : `${value} tool call(s) in this turn: ${shortened(toolNames.join(', '))}`;
    return { state: 'measured', value, reason, metadata: { toolCallCount: value, toolNames } };
  },
});

export const responseLength = defineEvaluator({
  type: 'response-length',
  kind: 'metric',
  summary: 'characters or words of the answer; the mean over a conversation',
  example: { unit: 'words' },
  reads: { channels: { answers: 'total' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      unit: z.enum(['characters', 'words']).default('characters').describe('what is counted'),
    }),
  aggregate: 'mean',
  metricLabel: ({ unit }) => (unit === 'characters' ? undefined : unit),
  prepare:
    ({ unit }) =>
    ({ turn }) => {
      const text = turn && assistantText(turn);
      if (text === undefined) return { state: 'no-data', reason: 'No assistant message to measure' };
      const value = unit === 'words' ? (text.match(/\S+/g)?.length ?? 0) : [...text].length;
      return { state: 'measured', value, reason: `${grouped(value)} ${unit}` };
    },
});

export const tokenUsage = defineEvaluator({
  type: 'token-usage',
  kind: 'metric',
  summary: 'tokens, summed over the conversation; needs a connector that reports them',
  example: { track: 'output' },
  reads: { channels: { usage: 'total' }, scope: 'answer' },
  configSchema: () =>
    z.strictObject({
      track: z.enum(['total', 'input', 'output']).default('total').describe('tokens to count: all, input or output'),
    }),
  aggregate: 'sum',
  metricLabel: ({ track }) => (track === 'total' ? undefined : track),
  prepare:
    ({ track }) =>
    (context) => {
      const tracked = knownTokens(context, track);
      if (!tracked?.isAll) return { state: 'no-data', reason: noTokenUsage };
      const [total, input, output] = tokenParts.map((part) => tokensOr(context, part));
      const reason = `Token usage: ${total} (${input} in / ${output} out)`;
      return { state: 'measured', value: tracked.tokens, reason, metadata: { total, input, output } };
    },
});

const tokenParts: readonly TokenPart[] = ['total', 'input', 'output'];

function tokensOr(context: EvaluationContext, part: TokenPart): number | string {
  const counts = knownTokens(context, part);
  return counts?.isAll ? counts.tokens : unknownFigure;
}
