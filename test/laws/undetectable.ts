import type { Distortion } from './operators.ts';

/** Distortions of one kind that nothing distinguishes from a whole document: its program could have written both. */
export interface Undetectable {
  readonly reason: string;
  readonly readers: RegExp;
  readonly operators: readonly Distortion['operator'][];
  readonly unit: Distortion['unit'];
  /** Of the key that was distorted; for bytes, of the place. */
  readonly at?: RegExp;
  /** Of the line or value that was distorted. */
  readonly value?: RegExp;
  /** Only where others stand beside it. */
  readonly isOneOfSeveral?: true;
}

type Where = Pick<Undetectable, 'at' | 'value' | 'isOneOfSeveral'>;
type Operators = Undetectable['operators'];

function entry(reason: string, readers: RegExp, operators: Operators, unit: Distortion['unit'], where: Where = {}) {
  return { reason, readers, operators, unit, ...where };
}

const drop = ['drop'] as const;
const moved = ['drop', 'double', 'swap', 'delay'] as const;
const isOneOfSeveral = true;
const atLine = /after a line|before the end of a line/;

/** Of several calls or blocks, one that is not there could as well not have been made. */
const fewer = (readers: RegExp, at: RegExp) =>
  entry('lists of calls and blocks say neither their length nor their numbers', readers, drop, 'item', {
    at,
    isOneOfSeveral,
  });
const unnumbered = (readers: RegExp, value: RegExp, operators: Operators = moved) =>
  entry('pieces of words are not numbered', readers, operators, 'line', { value });

const ofReplies: readonly Undetectable[] = [
  fewer(/^(?:models\/)?openai-chat$/, /tool_calls$|message\.content$/),
  fewer(/^(?:models\/|gateway\/)?anthropic-messages(?:, streamed)?$/, /content$/),
  fewer(/^(?:models\/)?openai-responses(?:, streamed)?$/, /output$|content$/),
  fewer(/^models\/gemini$|^gemini, streamed$/, /parts$/),
  fewer(/^models\/bedrock-converse$/, /content$/),
  entry('words beside calls are optional', /^(?:models\/)?openai-chat$/, drop, 'key', { at: /message\.content$/ }),
  unnumbered(/^(?:openai-chat|http), streamed$|^websocket$/, /"content":"[^"]/),
  unnumbered(/^anthropic-messages, streamed$/, /"text_delta"/),
  entry('servers send empty pieces too', /^(?:openai-chat|http), streamed$|^websocket$/, drop, 'key', {
    at: /delta\.content$/,
  }),
  entry(
    'tokens of a cache are counted where there is one',
    /^(?:models\/|gateway\/)?anthropic-messages(?:, streamed)?$/,
    ...([drop, 'key', { at: /cache_\w+_tokens$/ }] as const),
  ),
  entry(
    'calls have no ids, so the same call twice is two',
    /^models\/gemini$|^gemini, streamed$/,
    ...([['double', 'contradict'], 'item', { at: /parts$/ }] as const),
  ),
  unnumbered(/^gemini, streamed$/, /"parts":/),
  unnumbered(/^bedrock-converse, streamed$/, /"delta":\{"text"/),
  entry('pieces are not numbered', /^gemini, streamed$/, drop, 'item', { at: /parts$/ }),
  entry('a piece need not hold a part of the answer', /^gemini, streamed$/, drop, 'key', {
    at: /candidates(?:\.content(?:\.parts)?)?$/,
  }),
  entry('a part that does not say that it is a thought is words', /^gemini, streamed$/, drop, 'key', {
    at: /parts\.thought$/,
  }),
];

const mcp = /^mcp-(?:client|suite)$/;

const ofTools: readonly Undetectable[] = [
  fewer(mcp, /content$/),
  entry('data may be any JSON', mcp, ['drop', 'retype'], 'key', { at: /structuredContent/ }),
  entry('a result that does not say that it failed is a good one', mcp, drop, 'key', { at: /isError$/ }),
  entry('an answer may be any JSON', /^called\//, ['drop', 'retype'], 'key'),
  entry('an answer may be any JSON', /^called\//, ['drop', 'double'], 'item'),
];

const http = /^http(?:, streamed)?$|^websocket$/;
const pieces = /^http, streamed$|^websocket$/;

const ofConnectors: readonly Undetectable[] = [
  fewer(http, /^content$/),
  fewer(/^a2a$/, /artifacts$/),
  entry('words beside calls are optional', http, drop, 'key', { at: /(?:^|\.)(?:content|answer)$/ }),
  entry('a result without a status is a good one', /^http|^websocket$|^langgraph$/, drop, 'key', { at: /status$/ }),
  entry('an agent that calls nothing may leave its list out', http, drop, 'key', { at: /calls$/ }),
  entry('the only call of a list', http, drop, 'item', { at: /calls$/ }),
  entry('an answer may be any JSON', http, ['retype'], 'key', { at: /^(?:data\.answer|content)$/ }),
  entry('pieces are not numbered', pieces, moved, 'line', { value: /content|tool_calls/, isOneOfSeveral }),
  entry('the end of the body is the end of the stream', /^http, streamed$/, ['cut'], 'bytes', { at: atLine }),
  entry('a frame arrives whole, and any text may be an answer', /^websocket$/, ['cut'], 'bytes'),
  entry('a question may be any JSON', /^langgraph$/, ['retype'], 'key', { at: /value$/ }),
  entry('pieces are not numbered', /^a2a, streamed$/, ['drop', 'double'], 'line', { value: /"append":true/ }),
  entry('pieces are not numbered', /^ag-ui$/, ['double'], 'line', { value: /TEXT_MESSAGE_CONTENT/ }),
  entry('an agent may kill its proxy, which logs a message before it passes it on', /^mcp-proxy$/, ['cut'], 'bytes', {
    at: atLine,
  }),
];

/** A stream that is imported is the stream that a trial reads. */
const ofStreams: readonly Undetectable[] = [
  entry(
    'words beside a call, which the end does not repeat',
    /^(?:import )?(?:claude|qwen)$/,
    ['drop', 'swap'],
    'line',
    {
      value: /"type":"text"/,
    },
  ),
  entry('after the last item, no number is passed over', /^(?:import )?codex$/, drop, 'line', {
    value: /agent_message/,
  }),
  entry('words are not numbered', /^opencode$/, ['drop', 'swap'], 'line', { value: /"type":"text"/ }),
  unnumbered(/^(?:import )?gemini$/, /"type":"message"/),
  entry('a message without `delta` is a whole one', /^(?:import )?gemini$/, drop, 'key', { at: /^delta$/ }),
  entry('messages are not numbered', /^(?:import )?kimi$/, moved, 'line', { value: /"role":"assistant"/ }),
  entry('a message with calls need not have words', /^(?:import )?kimi$/, drop, 'key', { at: /^content$/ }),
  unnumbered(/^(?:import )?acp$/, /agent_message_chunk/),
  ...(['drop', 'retype'] as const).map((operator) =>
    entry('an answer that is JSON by itself is printed as it is', /^(?:import )?continue$/, [operator], 'key', {
      at: /^status$/,
    }),
  ),
  entry(
    'lines of a stream need not have a time, and the first and the last one are like the others',
    /^import (?:claude|gemini|cline|qwen|copilot|pi)$/,
    ...([drop, 'key', { at: /(?:^|\.)(?:timestamp|ts)$/ }] as const),
  ),
  entry(
    'the first line of a stream is like the others',
    /^import (?:gemini|cline)$/,
    ['drop', 'swap', 'delay'],
    'line',
    {
      value: /"type":"init"|"(?:hookEventName|event)":/,
    },
  ),
  entry('a stream may begin with any line about its session', /^import copilot$/, drop, 'line', {
    value: /^\{"type":"session\./,
  }),
];

const lists = /^import (?:table|llm-tool-test-results|langsmith|openai-chat)$/;
const inspect = /^import (?:inspect|inspect-eval|openai-chat)$/;

const ofFiles: readonly Undetectable[] = [
  entry(
    'rows of a list whose number the file does not say',
    /^import (?:tau-bench|langsmith|openai-chat)$/,
    drop,
    'item',
    {
      at: /^(?:runs)?$/,
    },
  ),
  entry('lines of a list whose number the file does not say', lists, drop, 'line'),
  ...(['line', 'bytes'] as const).map((unit) =>
    entry('items of a run, which no line counts', /^import openai-evals$/, unit === 'line' ? drop : ['cut'], unit, {
      ...(unit === 'line' ? { value: /"eval\.run\.output_item"/ } : { at: atLine }),
    }),
  ),
  entry('lines of a list that has no end', lists, ['cut'], 'bytes', { at: atLine }),
  entry(
    'messages of a list whose number the file does not say',
    /^import (?:tau-bench|openai-chat|inspect|inspect-eval)$/,
    ...([drop, 'item', { at: /(?:^|\.)(?:traj|messages)$/ }] as const),
  ),
  entry(
    'blocks of a message are not numbered',
    /^import (?:openai-chat|inspect|inspect-eval|codex-rollout)$/,
    ...([['drop', 'double'], 'item', { at: /(?:^|\.)(?:content|parts)$/, value: /"text":/ }] as const),
  ),
  entry('a message with calls need not have words', inspect, drop, 'key', { at: /messages\.content$/ }),
  entry('steps are neither counted nor numbered', /^import swe-agent$/, ['drop', 'swap', 'contradict'], 'item', {
    at: /^trajectory$/,
  }),
  entry('calls have neither ids nor times', /^import deepeval$/, ['double', 'drop', 'contradict'], 'item', {
    at: /toolsCalled$/,
  }),
  entry('outputs may be any JSON', /^import (?:langsmith|langfuse)$/, ['retype', 'drop'], 'key', { at: /outputs?\./ }),
  entry('outputs may be any JSON, and lists of any length', /^import promptfoo$/, drop, 'item', {
    at: /response\.output$/,
  }),
  entry('a trial without a score is one that was not scored', /^import langsmith$/, drop, 'key', {
    at: /^feedback_stats/,
  }),
  entry('a trial without a score is one that was not scored', /^import langfuse$/, drop, 'item', {
    at: /^data\.scores$/,
  }),
  entry('a conversation need not have a verdict', /^import openai-chat$/, drop, 'key', { at: /^(?:passed|reward)$/ }),
  entry('a score may be on any scale', /^import langsmith$/, ['contradict'], 'key', { at: /^feedback_stats\..*avg$/ }),
  entry('a score without a type is a number', /^import langfuse$/, drop, 'key', { at: /scores\.dataType$/ }),
  entry('a transcript has no structure', /^import text$/, ['cut'], 'bytes'),
];

const ofSpans: readonly Undetectable[] = [
  entry(
    'a span without others in it, which exporters do not number',
    /^otlp (?:openllmetry|otel-openai|traceloop-openai|vercel|openinference|strands)/,
    ...([drop, 'item', { at: /scopeSpans(?:\.spans)?$/ }] as const),
  ),
  entry(
    'a span without attributes is any span',
    /^otlp (?:openllmetry|otel-openai|traceloop-openai|openinference-openai|strands|vercel-7)$/,
    ...([drop, 'key', { at: /spans\.attributes$/ }] as const),
  ),
  entry('instrumentation need not write the ids of calls', /^otlp openinference-openai$/, drop, 'item', {
    at: /attributes\[llm\..*tool_call\.id\]$/,
  }),
];

/** What no reader can notice; each entry is there because a document becomes greener by it (`excuses`). */
export const undetectable: readonly Undetectable[] = [
  ...ofReplies,
  ...ofTools,
  ...ofConnectors,
  ...ofStreams,
  ...ofFiles,
  ...ofSpans,
];

/** The entries under which a distortion falls; none for one that must be noticed. */
export function entriesFor(reader: string, distortion: Distortion): readonly Undetectable[] {
  return undetectable.filter((each) => matches(each, reader, distortion));
}

function matches(
  { readers, operators, unit, at, value, isOneOfSeveral: amongOthers }: Undetectable,
  reader: string,
  distortion: Distortion,
): boolean {
  if (!readers.test(reader) || distortion.unit !== unit || !operators.includes(distortion.operator)) return false;
  if (amongOthers && distortion.siblings < 2) return false;
  if (at && !at.test(unit === 'bytes' ? distortion.place : distortion.key)) return false;
  const { value: distorted } = distortion;
  return !value || value.test(typeof distorted === 'string' ? distorted : JSON.stringify(distorted));
}
