import type { SpokenDocument } from './spoken-reader.ts';
import { asServerSentEvents } from './spoken-reader.ts';

const json = (value: unknown): string => JSON.stringify(value);
const lines = (values: readonly unknown[]): string => `${values.map(json).join('\n')}\n`;

const called = { id: 'c1', type: 'function', function: { name: 'find_table', arguments: '{"people":2}' } };
const booked = { id: 'c2', type: 'function', function: { name: 'book_table', arguments: '{"time":"19:00"}' } };
const words = 'Your table for two is booked for seven.';

/** A conversation with two calls and their results. */
const messages = [
  { role: 'user', content: 'A table for two, please.' },
  { role: 'assistant', content: null, tool_calls: [called] },
  { role: 'tool', tool_call_id: 'c1', content: '{"free":true}' },
  { role: 'assistant', content: null, tool_calls: [booked] },
  { role: 'tool', tool_call_id: 'c2', content: 'full', status: 'error' },
  { role: 'assistant', content: words },
];

const reports = ['tool-calls', 'usage', 'cost'];

/** Answers of agents behind an HTTP endpoint, in the shapes that are known and in those that a config maps. */
export const httpDocuments: readonly SpokenDocument[] = [
  { name: 'reply', text: json({ reply: words, usage: { input_tokens: 40, output_tokens: 9 } }), config: {}, reports },
  {
    name: 'messages',
    text: json({ messages, usage: { prompt_tokens: 90, completion_tokens: 20, total_tokens: 110 }, costUsd: 0.25 }),
    config: {},
    reports,
  },
  {
    name: 'blocks',
    text: json({
      content: [
        { type: 'tool_use', id: 'c1', name: 'find_table', input: { people: 2 } },
        { type: 'text', text: words },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 40, output_tokens: 9 },
    }),
    config: {},
    reports,
  },
  {
    name: 'mapped',
    text: json({
      data: { answer: words, calls: [{ id: 'a', name: 'find_table', args: { people: 2 } }] },
      meta: { tokens: { in: 40, out: 9 }, price: 0.25 },
    }),
    config: {
      response: {
        text: '$.data.answer',
        toolCalls: '$.data.calls',
        usage: { input: '$.meta.tokens.in', output: '$.meta.tokens.out' },
        costUsd: '$.meta.price',
      },
    },
    reports,
  },
];

/** Answers in pieces. */
export const httpStreams: readonly SpokenDocument[] = [
  {
    name: 'events of a chat',
    text: lines([
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
      { choices: [{ index: 0, delta: { content: 'Your table ' } }] },
      { choices: [{ index: 0, delta: { content: 'is booked.' } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...called }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: 30, completion_tokens: 8, total_tokens: 38 } },
    ]),
    config: { stream: 'sse' },
    contentType: 'text/event-stream',
    bodyOf: asServerSentEvents,
    reports,
  },
  {
    name: 'lines',
    text: lines([
      { type: 'text', content: 'Your table ' },
      { type: 'text', content: 'is booked.' },
      { type: 'tool', tool_calls: [called] },
      { type: 'done', usage: { input_tokens: 30, output_tokens: 8 } },
    ]),
    config: { stream: 'ndjson' },
    contentType: 'application/x-ndjson',
    reports,
  },
];

/** Frames of agents behind a WebSocket, one per line. */
export const websocketDocuments: readonly SpokenDocument[] = [
  {
    name: 'one frame',
    text: lines([{ messages, usage: { input_tokens: 90, output_tokens: 20 } }]),
    config: {},
    reports,
  },
  {
    name: 'pieces',
    text: lines([
      { content: 'Your table ' },
      { content: 'is booked.' },
      { content: '', tool_calls: [called] },
      { done: true, usage: { input_tokens: 30, output_tokens: 8 } },
    ]),
    config: { stream: true, until: '$.done' },
    reports,
  },
];

const usage = { input_tokens: 40, output_tokens: 9, total_tokens: 49 };

/** States of graphs on a LangGraph server after a run. */
export const langgraphDocuments: readonly SpokenDocument[] = [
  {
    name: 'state',
    text: json({
      messages: [
        { type: 'human', id: 'h-0', content: 'A table for two, please.' },
        {
          type: 'ai',
          id: 'ai-1',
          content: '',
          tool_calls: [{ name: 'find_table', args: { people: 2 }, id: 'c1', type: 'tool_call' }],
          usage_metadata: usage,
          response_metadata: { model_name: 'gpt', finish_reason: 'tool_calls' },
        },
        { type: 'tool', id: 't-1', content: 'full', name: 'find_table', tool_call_id: 'c1', status: 'error' },
        {
          type: 'ai',
          id: 'ai-2',
          content: words,
          tool_calls: [],
          invalid_tool_calls: [],
          usage_metadata: usage,
          response_metadata: { model_name: 'gpt', finish_reason: 'stop' },
        },
      ],
    }),
    config: {},
  },
  {
    name: 'interrupt',
    text: json({ messages: [], __interrupt__: [{ value: 'Which table do you want?', id: 'i-1' }] }),
    config: { stateless: true },
  },
];

const aguiRun = { threadId: 't', runId: 'r' };
const aguiStream = { config: {}, contentType: 'text/event-stream', bodyOf: asServerSentEvents } as const;

/** Runs of AG-UI agents. */
export const aguiDocuments: readonly SpokenDocument[] = [
  {
    name: 'run',
    text: lines([
      { type: 'RUN_STARTED', ...aguiRun },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'find_table' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"people":2}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'TOOL_CALL_RESULT', messageId: 'r1', toolCallId: 'c1', content: 'free', role: 'tool' },
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: words },
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      { type: 'RUN_FINISHED', ...aguiRun, outcome: { type: 'success' } },
    ]),
    ...aguiStream,
  },
  {
    name: 'interrupt',
    text: lines([
      { type: 'RUN_STARTED', ...aguiRun },
      {
        type: 'RUN_FINISHED',
        ...aguiRun,
        outcome: { type: 'interrupt', interrupts: [{ id: 'i1', reason: 'confirmation', message: 'Which table?' }] },
      },
    ]),
    ...aguiStream,
  },
];

const response = (result: unknown) => ({ jsonrpc: '2.0', id: '1', result });
const agentMessage = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: words }] };
const artifact = (text: string) => ({ artifactId: 'a1', parts: [{ text }] });
const metadata = { usage: { input_tokens: 40, output_tokens: 9 } };

/** Answers of A2A agents in one response. */
export const a2aDocuments: readonly SpokenDocument[] = [
  { name: 'message', text: json(response({ message: { ...agentMessage, metadata } })), config: { stream: false } },
  {
    name: 'task',
    text: json(
      response({
        task: {
          ...{ id: 't1', contextId: 'x1', metadata, status: { state: 'TASK_STATE_COMPLETED' } },
          artifacts: [artifact('Your table is booked.'), { artifactId: 'a2', parts: [{ text: 'See you at seven.' }] }],
        },
      }),
    ),
    config: { stream: false },
  },
  {
    name: 'question',
    text: json(
      response({
        task: { id: 't1', contextId: 'x1', status: { state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage } },
      }),
    ),
    config: { stream: false },
  },
];

/** The same in events. */
export const a2aStreams: readonly SpokenDocument[] = [
  {
    name: 'updates',
    text: lines([
      response({ task: { id: 't1', contextId: 'x1', status: { state: 'TASK_STATE_SUBMITTED' } } }),
      response({ artifactUpdate: { taskId: 't1', contextId: 'x1', artifact: artifact('Your table ') } }),
      response({ artifactUpdate: { taskId: 't1', contextId: 'x1', append: true, artifact: artifact('is booked.') } }),
      response({
        statusUpdate: { taskId: 't1', contextId: 'x1', status: { state: 'TASK_STATE_COMPLETED' }, metadata },
      }),
    ]),
    config: { stream: true },
    contentType: 'text/event-stream',
    bodyOf: asServerSentEvents,
  },
];
