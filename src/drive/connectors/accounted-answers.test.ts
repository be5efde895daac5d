import { describe, expect, it } from 'vitest';
import { asking, opened } from '../../testing/fakes/connectors/opened.ts';
import { reply, serve } from '../../testing/support/http-server.ts';
import type { ConnectorKind, ConnectorResponse } from './connector.ts';
import { httpConnector } from './http/http-connector.ts';
import { langgraphConnector } from './langgraph.ts';
import { anthropicConnector, openaiChatConnector, openaiResponsesConnector } from './providers.ts';

const json = { 'content-type': 'application/json' };

async function answerOf(
  kind: ConnectorKind,
  body: unknown,
  config: object = { model: 'm' },
): Promise<ConnectorResponse> {
  const baseUrl = await serve(reply(200, JSON.stringify(body), json));
  return (await opened(kind, config, { baseUrl })).invoke(asking('Hello'));
}

async function streamOf(kind: ConnectorKind, events: readonly unknown[]): Promise<ConnectorResponse> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const baseUrl = await serve(reply(200, body, { 'content-type': 'text/event-stream' }));
  return (await opened(kind, { model: 'm', stream: true }, { baseUrl })).invoke(asking('Hello'));
}

const chat = (message: object, rest: object = {}) => ({
  choices: [{ index: 0, message, finish_reason: 'stop', ...rest }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});
const anthropic = (content: readonly object[], rest: object = {}) => ({
  type: 'message',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 2 },
  ...rest,
});
const response = (output: readonly object[], rest: object = {}) => ({
  object: 'response',
  status: 'completed',
  output,
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
  ...rest,
});
const text = { type: 'text', text: 'Sunny' };
const spoken = { type: 'message', content: [{ type: 'output_text', text: 'Sunny' }] };

const channelsOf = ({ gaps = [] }: ConnectorResponse) => [...new Set(gaps.flatMap(({ channels }) => channels))].sort();
const callsOf = ({ messages }: ConnectorResponse) =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => `${call.id} ${call.function.name}`));

describe('calls of tools that Anthropic runs itself', () => {
  it('are calls with their results, and a failed one has failed', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'weather' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ type: 'web_search_result', url: 'u', title: 't' }],
      },
      { type: 'mcp_tool_use', id: 'm1', name: 'delete_all', server_name: 'files', input: {} },
      { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: true, content: [{ type: 'text', text: 'denied' }] },
      text,
    ];
    const answer = await answerOf(anthropicConnector, anthropic(content));
    expect(callsOf(answer)).toEqual(['s1 web_search', 'm1 delete_all']);
    expect(answer.messages.slice(1)).toMatchObject([
      { role: 'tool', tool_call_id: 's1' },
      { role: 'tool', tool_call_id: 'm1', content: 'denied', status: 'error' },
    ]);
    expect(channelsOf(answer)).toEqual([]);
  });
});

const everything = ['answers', 'tool-calls', 'tool-results'];

describe('a loss in the answer of', () => {
  it.each<[string, ConnectorKind, unknown, readonly string[]]>([
    ['Anthropic: an unknown block', anthropicConnector, anthropic([text, { type: 'hologram' }]), everything],
    ['Anthropic: text without text', anthropicConnector, anthropic([{ type: 'text' }]), everything],
    [
      'Anthropic: a call without input',
      anthropicConnector,
      anthropic([{ type: 'tool_use', id: 'a', name: 'b' }]),
      ['tool-calls'],
    ],
    [
      'Anthropic: max_tokens',
      anthropicConnector,
      anthropic([text], { stop_reason: 'max_tokens' }),
      ['answers', 'tool-calls'],
    ],
    [
      'Anthropic: pause_turn',
      anthropicConnector,
      anthropic([text], { stop_reason: 'pause_turn' }),
      ['answers', 'tool-calls'],
    ],
    [
      'Anthropic: refusal',
      anthropicConnector,
      anthropic([text], { stop_reason: 'refusal' }),
      ['answers', 'tool-calls'],
    ],
    ['Anthropic: no end', anthropicConnector, anthropic([text], { stop_reason: null }), ['answers', 'tool-calls']],
    [
      'Anthropic: tool_use without a call',
      anthropicConnector,
      anthropic([text], { stop_reason: 'tool_use' }),
      ['tool-calls'],
    ],
    [
      'OpenAI chat: length',
      openaiChatConnector,
      chat({ content: 'Sun' }, { finish_reason: 'length' }),
      ['answers', 'tool-calls'],
    ],
    [
      'OpenAI chat: an unknown word',
      openaiChatConnector,
      chat({ content: 'Sun' }, { finish_reason: 'odd' }),
      ['answers', 'tool-calls'],
    ],
    [
      'OpenAI chat: no end',
      openaiChatConnector,
      chat({ content: 'Sun' }, { finish_reason: undefined }),
      ['answers', 'tool-calls'],
    ],
    [
      'OpenAI chat: content_filter',
      openaiChatConnector,
      chat({ content: '' }, { finish_reason: 'content_filter' }),
      ['answers', 'tool-calls'],
    ],
    [
      'OpenAI chat: tool_calls without calls',
      openaiChatConnector,
      chat({ content: '' }, { finish_reason: 'tool_calls' }),
      ['tool-calls'],
    ],
    ['OpenAI chat: no content', openaiChatConnector, chat({ role: 'assistant' }), ['answers', 'tool-calls']],
    [
      'OpenAI chat: an unknown call',
      openaiChatConnector,
      chat({ content: '', tool_calls: [{ id: 'a', type: 'dance' }] }),
      ['tool-calls'],
    ],
    ['OpenAI chat: an unknown block', openaiChatConnector, chat({ content: [text, { type: 'hologram' }] }), everything],
    [
      'Responses: incomplete',
      openaiResponsesConnector,
      response([spoken], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
      ['answers', 'tool-calls'],
    ],
    ['Responses: an unknown item', openaiResponsesConnector, response([spoken, { type: 'hologram' }]), everything],
    [
      'Responses: an unknown part',
      openaiResponsesConnector,
      response([{ type: 'message', content: [{ type: 'hologram' }] }]),
      everything,
    ],
    [
      'Responses: still in progress',
      openaiResponsesConnector,
      response([spoken], { status: 'in_progress' }),
      ['answers', 'tool-calls'],
    ],
    [
      'Responses: a call without arguments',
      openaiResponsesConnector,
      response([{ type: 'function_call', call_id: 'a', name: 'b' }]),
      ['tool-calls'],
    ],
  ])('%s', async (_, kind, body, channels) => {
    expect(channelsOf(await answerOf(kind, body))).toEqual(channels);
  });

  it.each([
    ['Anthropic', anthropicConnector, anthropic([text])],
    ['OpenAI chat', openaiChatConnector, chat({ role: 'assistant', content: 'Sunny', refusal: null, annotations: [] })],
    ['Responses', openaiResponsesConnector, response([{ type: 'reasoning', summary: [] }, spoken])],
  ])('%s: none, whatever unknown keys it has', async (_, kind, body) => {
    const answer = await answerOf(kind, { ...body, x_new: { a: 1 } });
    expect([channelsOf(answer), answer.messages]).toEqual([[], [{ role: 'assistant', content: 'Sunny' }]]);
    expect(answer.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
  });
});

describe('figures that cannot be', () => {
  it.each([
    { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    { prompt_tokens: 100, completion_tokens: 50, total_tokens: 3 },
    { prompt_tokens: -5, completion_tokens: 2 },
  ])('are a gap, and not a usage: %j', async (usage) => {
    const answer = await answerOf(openaiChatConnector, { ...chat({ content: 'Sunny' }), usage });
    expect([answer.usage, channelsOf(answer)]).toEqual([undefined, ['cost', 'usage']]);
  });

  it('are unlike a total alone, which is known, and a missing side, which is not 0', async () => {
    const usageOf = async (usage: object) =>
      (await answerOf(openaiChatConnector, { ...chat({ content: 'a' }), usage })).usage;
    expect(await usageOf({ total_tokens: 42 })).toEqual({ totalTokens: 42 });
    expect(await usageOf({ completion_tokens: 3 })).toEqual({ outputTokens: 3 });
  });
});

describe('a stream', () => {
  const start = { type: 'message_start', message: { content: [], usage: { input_tokens: 10, output_tokens: 1 } } };
  const begin = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
  const grow = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const words = [begin(0, { type: 'text', text: '' }), grow(0, { type: 'text_delta', text: 'Sunny' })];

  it('of Anthropic holds the calls that the provider runs, and its pings are nothing', async () => {
    const called = [
      begin(1, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      grow(1, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      { type: 'content_block_stop', index: 1 },
    ];
    const answer = await streamOf(anthropicConnector, [start, { type: 'ping' }, ...words, ...called, ...end]);
    expect([callsOf(answer), channelsOf(answer)]).toEqual([['s1 web_search'], []]);
  });

  it.each([
    ['an unknown event', [start, ...words, { type: 'hologram' }, ...end]],
    ['an unknown piece', [start, ...words, grow(0, { type: 'hologram_delta' }), ...end]],
    ['a block that is missing', [start, begin(1, text), ...end]],
    ['a piece of no block', [start, ...words, grow(7, { type: 'text_delta', text: 'x' }), ...end]],
  ])('of Anthropic with %s is a gap', async (_, events) => {
    expect(channelsOf(await streamOf(anthropicConnector, events))).toEqual(everything);
  });

  it('of Anthropic that loses its last counts has unknown output, not that of its beginning', async () => {
    const counted = await streamOf(anthropicConnector, [start, ...words, ...end]);
    expect(counted.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
    const stop = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }];
    expect((await streamOf(anthropicConnector, [start, ...words, ...stop])).usage).toEqual({ inputTokens: 10 });
  });

  it('without its end is an error', async () => {
    await expect(streamOf(anthropicConnector, [start, ...words])).rejects.toMatchObject({ code: 'TARGET_CRASHED' });
    const chunk = { choices: [{ index: 0, delta: { content: 'Sunny' } }] };
    await expect(streamOf(openaiChatConnector, [chunk])).rejects.toMatchObject({ code: 'TARGET_CRASHED' });
  });

  it('of OpenAI that is cut by its length is a gap', async () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'Sun' } }] };
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
    expect(channelsOf(await streamOf(openaiChatConnector, [chunk, last]))).toEqual(['answers', 'tool-calls']);
  });
});

describe('an agent of any kind', () => {
  it.each<[string, ConnectorKind, unknown, readonly string[]]>([
    [
      'HTTP: a cut chat',
      httpConnector,
      chat({ content: 'Sun' }, { finish_reason: 'length' }),
      ['answers', 'tool-calls'],
    ],
    [
      'HTTP: a message of an unknown role',
      httpConnector,
      { messages: [{ role: 'oracle', content: 'Hm' }] },
      everything,
    ],
    ['HTTP: an unknown block', httpConnector, { content: [text, { type: 'hologram' }] }, everything],
    ['HTTP: a call that is not one', httpConnector, { content: 'Hi', tool_calls: [7] }, ['tool-calls']],
    [
      'HTTP: a message that is not one',
      httpConnector,
      { messages: [{ role: 'assistant', content: 'Hi' }, 7] },
      everything,
    ],
    [
      'LangGraph: an unknown message',
      langgraphConnector,
      {
        messages: [
          { type: 'ai', content: 'Hi' },
          { type: 'hologram', content: 'x' },
        ],
      },
      everything,
    ],
    [
      'LangGraph: a cut answer',
      langgraphConnector,
      {
        messages: [
          {
            type: 'ai',
            content: 'Hi',
            usage_metadata: { input_tokens: 1, output_tokens: 1 },
            response_metadata: { finish_reason: 'length' },
          },
        ],
      },
      ['answers', 'tool-calls'],
    ],
  ])('%s', async (_, kind, body, channels) => {
    expect(channelsOf(await answerOf(kind, body, {}))).toEqual(channels);
  });

  it.each([
    ['HTTP', httpConnector, { choices: [{ message: { content: 'Sunny' } }] }],
    ['HTTP', httpConnector, { reply: 'Sunny', sources: [{ id: 1 }] }],
    [
      'LangGraph',
      langgraphConnector,
      { messages: [{ type: 'ai', content: [text, { type: 'image_url', image_url: {} }] }] },
    ],
  ])('has no gap in an answer of the usual shape: %s', async (_, kind, body) => {
    expect(channelsOf(await answerOf(kind, body, {}))).toEqual([]);
  });

  it('of LangGraph has the calls among the blocks that are not in its list, and those with broken arguments', async () => {
    const message = {
      type: 'ai',
      content: [
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      ],
      tool_calls: [{ id: 'a', name: 'look', args: {} }],
      invalid_tool_calls: [{ id: 'b', name: 'delete_all', args: '{"x":' }],
    };
    expect(callsOf(await answerOf(langgraphConnector, { messages: [message] }, {}))).toEqual([
      'a look',
      'b delete_all',
      's web_search',
    ]);
  });

  it('of LangGraph has unknown tokens where one of its models does not report them', async () => {
    const counted = { type: 'ai', content: 'a', usage_metadata: { input_tokens: 5, output_tokens: 1 } };
    const silent = { type: 'ai', content: 'b', response_metadata: { model_name: 'm' } };
    const fixed = { type: 'ai', content: 'c' };
    const usageOf = async (messages: readonly object[]) => (await answerOf(langgraphConnector, { messages }, {})).usage;
    expect(await usageOf([counted, fixed])).toEqual({ inputTokens: 5, outputTokens: 1 });
    expect(await usageOf([counted, silent])).toBeUndefined();
  });
});
