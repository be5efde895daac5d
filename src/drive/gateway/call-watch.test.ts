import { expect, it } from 'vitest';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { CallWatch } from './call-watch.ts';
import { gatewayApis } from './gateway-apis.ts';

const secret = 'quiet-otter-0f1e2d3c4b5a6978';
const code = Buffer.from(secret).toString('base64');

function eventsOf(name: string, body: Readonly<Record<string, unknown>>, stopReason = 'end_turn', repeats = 1) {
  const api = gatewayApis.find((each) => each.name === name);
  const events: UnstampedEvent[] = [];
  const watch = CallWatch.of({ kind: 'leak', secret }, (event) => void events.push(event));
  const request = api?.readRequest({ model: 'm', ...body }, '/v1/x');
  for (let at = 0; at < repeats; at++) if (request) watch?.request(request, 1);
  if (api) watch?.reply(api.name, request, 1, stopReason);
  watch?.conclude();
  return events;
}

const read = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: secret }] };
const leaking: readonly [string, object][] = [
  [
    'anthropic-messages',
    { messages: [read, { role: 'assistant', content: [{ type: 'tool_use', input: { url: code } }] }] },
  ],
  [
    'openai-chat',
    { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: `{"q":"${secret}"}` } }] }] },
  ],
  ['openai-responses', { input: [{ type: 'function_call', arguments: `{"q":"${secret}"}` }] }],
  ['gemini', { contents: [{ role: 'model', parts: [{ functionCall: { args: { q: secret } } }] }] }],
];

it.each(leaking)(
  'a secret in a call that the model made is seen once, however often it is sent back: %s',
  (api, body) => {
    const [first, ...others] = eventsOf(api, { ...body }, 'end_turn', 3);
    expect(first).toMatchObject({ type: 'secret-seen', where: 'a call that the model made' });
    expect(others.map(({ type }) => type)).toEqual(['request-watch']);
  },
);

it('a secret that the model only reads, says or thinks about is not a leak at the gateway', () => {
  const thought = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: secret },
      { type: 'text', text: secret },
    ],
  };
  expect(eventsOf('anthropic-messages', { system: secret, messages: [read, thought] })).toEqual([
    { type: 'request-watch', seenBy: 'gateway', searched: 0, unread: [] },
  ]);
});

it('says what it did not see', () => {
  const unreadOf = (...given: Parameters<typeof eventsOf>) =>
    eventsOf(...given).flatMap((event) => (event.type === 'request-watch' ? event.unread : []));
  expect(unreadOf('openai-chat', { messages: [] }, 'tool_calls')).toEqual(['calls that the agent did not send back']);
  expect(unreadOf('gemini', { contents: [] })).toEqual(['a reply of the API gemini']);
  expect(unreadOf('openai-responses', { input: [], previous_response_id: 'r' })[0]).toContain('the provider keeps');
});
