import type { Distortion } from './operators.ts';
import { isUndetectable } from './undetectable.ts';

/** Distortions of one kind that nothing distinguishes from a whole document: its program could have written both. */
interface Undetectable {
  readonly reason: string;
  readonly readers: RegExp;
  readonly operators: readonly Distortion['operator'][];
  readonly unit: Distortion['unit'];
  /** Of the key that was distorted; for bytes, of the place. */
  readonly at?: RegExp;
  /** Of the line or value that was distorted. */
  readonly value?: RegExp;
}

/** Of files of other programs, and of OTLP. */
export const importsUndetectable: readonly Undetectable[] = [
  {
    reason: 'rows of a list whose number the file does not say',
    readers: /^import (?:tau-bench|langsmith|openai-chat)$/,
    operators: ['drop'],
    unit: 'item',
    at: /^(?:simulations|runs)?$/,
  },
  {
    reason: 'lines of a list whose number the file does not say',
    readers: /^import (?:table|llm-tool-test-results|swe-bench-predictions|langsmith|openai-chat|openai-evals)$/,
    operators: ['drop'],
    unit: 'line',
  },
  {
    reason: 'lines of a list that has no end',
    readers: /^import (?:table|llm-tool-test-results|swe-bench-predictions|langsmith|openai-chat|openai-evals)$/,
    operators: ['cut'],
    unit: 'bytes',
    at: /after a line|before the end of a line/,
  },
  {
    reason: 'messages of a list whose number the file does not say',
    readers: /^import (?:tau-bench|openai-chat|inspect|inspect-eval)$/,
    operators: ['drop'],
    unit: 'item',
    at: /(?:^|\.)(?:traj|messages)$/,
  },
  {
    reason: 'blocks of a message are not numbered',
    readers: /^import (?:openai-chat|inspect|inspect-eval|codex-rollout)$/,
    operators: ['drop', 'double'],
    unit: 'item',
    at: /(?:^|\.)(?:content|parts)$/,
    value: /"text":/,
  },
  {
    reason: 'a message with calls need not have words',
    readers: /^import (?:inspect|inspect-eval|openai-chat)$/,
    operators: ['drop'],
    unit: 'key',
    at: /messages\.content$/,
  },
  {
    reason: 'a block that is a text is words',
    readers: /^import openai-chat$/,
    operators: ['retype'],
    unit: 'key',
    at: /(?:content|parts)$/,
    value: /"text":/,
  },
  {
    reason: 'steps are neither counted nor numbered',
    readers: /^import swe-agent$/,
    operators: ['drop', 'swap', 'contradict'],
    unit: 'item',
    at: /^trajectory$/,
  },
  {
    reason: 'calls have neither ids nor times',
    readers: /^import deepeval$/,
    operators: ['double', 'drop', 'contradict'],
    unit: 'item',
    at: /toolsCalled$/,
  },
  {
    reason: 'outputs may be any JSON',
    readers: /^import (?:langsmith|langfuse)$/,
    operators: ['retype', 'drop'],
    unit: 'key',
    at: /outputs?\./,
  },
  {
    reason: 'a trial without a score is one that was not scored',
    readers: /^import langsmith$/,
    operators: ['drop'],
    unit: 'key',
    at: /^feedback_stats/,
  },
  {
    reason: 'a trial without a score is one that was not scored',
    readers: /^import langfuse$/,
    operators: ['drop'],
    unit: 'item',
    at: /^data\.scores$/,
  },
  {
    reason: 'a conversation need not have a verdict',
    readers: /^import openai-chat$/,
    operators: ['drop'],
    unit: 'key',
    at: /^(?:passed|reward)$/,
  },
  {
    reason: 'outputs may be any JSON, and lists of any length',
    readers: /^import promptfoo$/,
    operators: ['drop'],
    unit: 'item',
    at: /response\.output$/,
  },
  {
    reason: 'a score may be on any scale',
    readers: /^import langsmith$/,
    operators: ['contradict'],
    unit: 'key',
    at: /^feedback_stats\..*avg$/,
  },
  {
    reason: 'a score without a type is a number',
    readers: /^import langfuse$/,
    operators: ['drop'],
    unit: 'key',
    at: /scores\.dataType$/,
  },
  {
    reason: 'a span without others in it, which exporters do not number',
    readers: /^otlp (?:openllmetry|otel-openai|traceloop-openai|vercel|openinference|strands)/,
    operators: ['drop'],
    unit: 'item',
    at: /scopeSpans(?:\.spans)?$/,
  },
  {
    reason: 'a span without attributes is any span',
    readers: /^otlp (?:openllmetry|otel-openai|traceloop-openai|openinference-openai|strands|vercel-7)$/,
    operators: ['drop'],
    unit: 'key',
    at: /spans\.attributes$/,
  },
  {
    reason: 'instrumentation need not write the ids of calls',
    readers: /^otlp openinference-openai$/,
    operators: ['drop'],
    unit: 'item',
    at: /attributes\[llm\..*tool_call\.id\]$/,
  },
  {
    reason: 'lines of a stream need not have a time, and the first and the last one are like the others',
    readers: /^import (?:claude|gemini|cline|qwen|copilot|pi)$/,
    operators: ['drop'],
    unit: 'key',
    at: /(?:^|\.)(?:timestamp|ts)$/,
  },
  {
    reason: 'the first line of a stream is like the others',
    readers: /^import (?:gemini|cline)$/,
    operators: ['drop', 'swap', 'delay'],
    unit: 'line',
    value: /"type":"init"|"(?:hookEventName|event)":/,
  },
  {
    reason: 'a stream may begin with any line about its session',
    readers: /^import copilot$/,
    operators: ['drop'],
    unit: 'line',
    value: /^\{"type":"session\./,
  },
  {
    reason: 'a transcript has no structure',
    readers: /^import text$/,
    operators: ['cut'],
    unit: 'bytes',
  },
  {
    reason: 'a transcript has no structure',
    readers: /^import text$/,
    operators: ['drop', 'double', 'swap', 'delay'],
    unit: 'line',
  },
];

/** The entry under which a distortion of an imported document falls; undefined for one that must be noticed. */
export function importUndetectable(reader: string, distortion: Distortion): Undetectable | undefined {
  const entry = importsUndetectable.find((each) => matches(each, reader, distortion));
  return entry ?? (isStreamEntry(reader, distortion) ? asStream : undefined);
}

/** A stream that is imported is the stream that a trial reads. */
const asStream: Undetectable = { reason: 'as in the stream', readers: /^import /, operators: [], unit: 'line' };

function isStreamEntry(reader: string, distortion: Distortion): boolean {
  const [, stream] = /^import (claude|qwen|codex|opencode|gemini|kimi|acp|continue)$/.exec(reader) ?? [];
  return stream !== undefined && isUndetectable(stream, distortion);
}

function matches(
  { readers, operators, unit, at, value }: Undetectable,
  reader: string,
  distortion: Distortion,
): boolean {
  if (!readers.test(reader) || distortion.unit !== unit || !operators.includes(distortion.operator)) return false;
  if (at && !at.test(unit === 'bytes' ? distortion.place : distortion.key)) return false;
  const { value: distorted } = distortion;
  return !value || value.test(typeof distorted === 'string' ? distorted : JSON.stringify(distorted));
}
