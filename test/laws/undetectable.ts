import type { Distortion } from './operators.ts';

/** Why nobody could tell a distorted document from one that is whole: the program that wrote it could have written both. */
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

const byReader: Readonly<Record<string, readonly Undetectable[]>> = {
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
