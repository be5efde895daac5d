import type { Distortion } from './operators.ts';

/** Distortions after which a document is one that its program could have written: nothing distinguishes it from a whole one. */
interface Undetectable {
  readonly reason: string;
  readonly matches: (distortion: Distortion) => boolean;
}

const is = (operators: readonly Distortion['operator'][], unit: Distortion['unit'], value: RegExp) => {
  return (distortion: Distortion): boolean =>
    operators.includes(distortion.operator) &&
    distortion.unit === unit &&
    value.test(typeof distortion.value === 'string' ? distortion.value : JSON.stringify(distortion.value));
};

const moved = ['drop', 'double', 'swap', 'delay'] as const;

/** Distortions of records with this path in the document. */
const at = (operators: readonly Distortion['operator'][], unit: Distortion['unit'], path: RegExp) => {
  return (distortion: Distortion): boolean =>
    operators.includes(distortion.operator) && distortion.unit === unit && path.test(distortion.key);
};

/** Of several calls or blocks, one that is not there could as well not have been made. */
const fewer = (path: RegExp): Undetectable => ({
  reason: 'lists of calls and blocks say neither their length nor their numbers',
  matches: (distortion) => distortion.siblings > 1 && at(['drop'], 'item', path)(distortion),
});

const ofChat: readonly Undetectable[] = [
  fewer(/tool_calls$|message\.content$/),
  { reason: 'words beside calls are optional', matches: at(['drop'], 'key', /message\.content$/) },
];

const ofChatStream: readonly Undetectable[] = [
  { reason: 'pieces of words are not numbered', matches: is(moved, 'line', /"content":"[^"]/) },
  { reason: 'servers send empty pieces too', matches: at(['drop'], 'key', /delta\.content$/) },
];

const ofMessages: readonly Undetectable[] = [
  fewer(/content$/),
  { reason: 'tokens of a cache are counted where there is one', matches: at(['drop'], 'key', /cache_\w+_tokens$/) },
];

const ofMessageStream: readonly Undetectable[] = [
  ...ofMessages,
  { reason: 'pieces of words are not numbered', matches: is(moved, 'line', /"text_delta"/) },
];

const ofResponses: readonly Undetectable[] = [fewer(/output$|content$/)];

const ofGemini: readonly Undetectable[] = [
  fewer(/parts$/),
  {
    reason: 'calls have no ids, so the same call twice is two',
    matches: at(['double', 'contradict'], 'item', /parts$/),
  },
];

const ofConverse: readonly Undetectable[] = [fewer(/content$/)];

const optionalWords: Undetectable = {
  reason: 'words beside calls are optional',
  matches: at(['drop'], 'key', /(?:^|\.)(?:content|answer)$/),
};

const ofHttp: readonly Undetectable[] = [
  fewer(/^content$/),
  optionalWords,
  { reason: 'a result without a status is a good one', matches: at(['drop'], 'key', /status$/) },
  { reason: 'an agent that calls nothing may leave its list out', matches: at(['drop'], 'key', /calls$/) },
  { reason: 'the only call of a list', matches: at(['drop'], 'item', /calls$/) },
  { reason: 'an answer may be any JSON', matches: at(['retype'], 'key', /^(?:data\.answer|content)$/) },
];

const ofPieces: readonly Undetectable[] = [
  ...ofHttp,
  ...ofChatStream,
  {
    reason: 'pieces are not numbered',
    matches: (distortion) => distortion.siblings > 1 && is(moved, 'line', /content|tool_calls/)(distortion),
  },
  {
    reason: 'the end of the body is the end of the stream',
    matches: ({ operator, place }) => operator === 'cut' && /(?:after|before the end of) a line/.test(place),
  },
];

const ofA2a: readonly Undetectable[] = [fewer(/artifacts$/)];

const byReader: Readonly<Record<string, readonly Undetectable[]>> = {
  'openai-chat': ofChat,
  'openai-chat, streamed': ofChatStream,
  'models/openai-chat': ofChat,
  'anthropic-messages': ofMessages,
  'anthropic-messages, streamed': ofMessageStream,
  'models/anthropic-messages': ofMessages,
  'openai-responses': ofResponses,
  'openai-responses, streamed': ofResponses,
  'models/gemini': ofGemini,
  'models/bedrock-converse': ofConverse,
  'gateway/anthropic-messages': ofMessages,
  'mcp-proxy': [
    {
      reason: 'an agent may kill its proxy, which logs a message before it passes it on',
      matches: ({ operator, place }) => operator === 'cut' && /(?:after|before the end of) a line/.test(place),
    },
  ],
  http: ofHttp,
  'http, streamed': ofPieces,
  websocket: ofPieces,
  langgraph: [
    { reason: 'a result without a status is a good one', matches: at(['drop'], 'key', /status$/) },
    { reason: 'a question may be any JSON', matches: at(['retype'], 'key', /value$/) },
  ],
  a2a: ofA2a,
  'a2a, streamed': [{ reason: 'pieces are not numbered', matches: is(['drop'], 'line', /"append":true/) }],
  claude: [
    {
      reason: 'words beside a call, which the end does not repeat',
      matches: is(['drop', 'swap'], 'line', /"type":"text"/),
    },
  ],
  qwen: [
    {
      reason: 'words beside a call, which the end does not repeat',
      matches: is(['drop', 'swap'], 'line', /"type":"text"/),
    },
  ],
  codex: [{ reason: 'after the last item, no number is passed over', matches: is(['drop'], 'line', /agent_message/) }],
  opencode: [{ reason: 'words are not numbered', matches: is(['drop', 'swap'], 'line', /"type":"text"/) }],
  gemini: [
    { reason: 'pieces of words are not numbered', matches: is(moved, 'line', /"type":"message"/) },
    {
      reason: 'a message without `delta` is a whole one',
      matches: ({ operator, key }) => operator === 'drop' && key === 'delta',
    },
  ],
  kimi: [
    { reason: 'messages are not numbered', matches: is(moved, 'line', /"role":"assistant"/) },
    {
      reason: 'a message with calls need not have words',
      matches: ({ operator, key }) => operator === 'drop' && key === 'content',
    },
  ],
  acp: [{ reason: 'pieces of words are not numbered', matches: is(moved, 'line', /agent_message_chunk/) }],
  continue: [
    {
      reason: 'an answer that is JSON by itself is printed as it is',
      matches: ({ key }) => key === 'status',
    },
  ],
};

/** Whether a distortion of a document of a reader leaves no trace in principle. */
export function isUndetectable(reader: string, distortion: Distortion): boolean {
  return (byReader[reader] ?? []).some(({ matches }) => matches(distortion));
}
