import type { ServerResponse } from 'node:http';
import { serve } from '../../src/testing/support/http-server.ts';
import type { Distortion, Lie, Source, World } from './lie.ts';

const text = 'The sum is 3.';
const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } };
const usage = { input: 10, output: 5, total: 15 };
const spoken = { role: 'assistant', content: text };
const called = { role: 'assistant', content: null, tool_calls: [call] };
const returned = { role: 'tool', tool_call_id: 'c1', content: '3' };
const honestBody = { messages: [called, returned, spoken], tokenUsage: usage };

type Reply = object | string | ((response: ServerResponse) => void);
type Evaluator = Readonly<Record<string, unknown>>;

const evaluator = (type: string, config: object = {}): Evaluator => ({ type, config });
const contains = evaluator('contains', { text: 'sum' });
const budget = evaluator('token-budget', { maxTokens: 1_000 });
const tokens = { metric: 'token-usage', honest: usage.total };
const calls = { metric: 'tool-call-count', honest: 1 };
const tokenMetric = evaluator('token-usage');
const callMetric = evaluator('tool-call-count');

const negativeTextAssertions: readonly Evaluator[] = [
  evaluator('not-contains', { text: 'error' }),
  evaluator('regex', { pattern: 'error', mustMatch: false }),
];
const toolAssertions: readonly Evaluator[] = [
  evaluator('tool-not-called', { tool: 'delete' }),
  evaluator('no-failed-calls'),
  evaluator('no-repeated-calls'),
  evaluator('tool-call-budget', { maxCalls: 5 }),
  evaluator('tool-called', { tool: 'add' }),
  evaluator('tool-arguments', { tool: 'add', args: { a: 1 } }),
  evaluator('tool-result', { tool: 'add', of: 'every', contains: '3' }),
];

interface Told extends Omit<Lie, 'scenario'> {
  readonly reply: Reply;
  readonly evaluators: readonly Evaluator[];
}

const told = (
  source: Source,
  distortion: Distortion,
  detail: string,
  reply: Reply,
  more: Pick<Told, 'evaluators'> & Partial<Told>,
): Told => ({ source, distortion, detail, reply, ...more });

/** The same answer for several evaluators, each of which must not pass. */
function each(source: Source, distortion: Distortion, what: string, reply: Reply, asserted: readonly Evaluator[]) {
  return asserted.map((one) => told(source, distortion, `${what}; ${String(one.type)}`, reply, { evaluators: [one] }));
}

const withoutUsage = { messages: honestBody.messages };
const withUsage = (tokenUsage: unknown) => ({ ...withoutUsage, tokenUsage });
const withCalls = (...tool_calls: unknown[]) => ({
  ...honestBody,
  messages: [{ ...called, tool_calls }, returned, spoken],
});
const answering = (content: unknown) => ({ ...honestBody, messages: [{ role: 'assistant', content }] });

const stories: readonly Told[] = [
  ...each('target answer', 'removed', 'no message', { messages: [] }, [contains, ...negativeTextAssertions]),
  ...each('target answer', 'removed', 'empty text', answering(''), [contains, ...negativeTextAssertions]),
  ...each('target answer', 'removed', 'null as text', answering(null), [contains, ...negativeTextAssertions]),
  ...each('target answer', 'removed', 'white space only', answering(' \n '), [contains, ...negativeTextAssertions]),
  ...each('target answer', 'corrupted', 'half a document', '{"messages":[', [contains, ...negativeTextAssertions]),
  ...each('target answer', 'corrupted', 'an unknown shape', { data: { x: 1 } }, [contains, ...negativeTextAssertions]),
  ...each('target answer', 'delayed', 'no answer in time', () => undefined, [contains, ...negativeTextAssertions]),
  told(
    'target answer',
    'doubled',
    'the last message twice',
    { ...honestBody, messages: [...honestBody.messages, spoken] },
    {
      evaluators: [contains, callMetric],
      figure: calls,
      mayPass: true,
    },
  ),
  ...each('tool call', 'removed', 'text only', { ...honestBody, messages: [spoken] }, toolAssertions),
  told(
    'tool call',
    'removed',
    'text only; measured',
    { ...honestBody, messages: [spoken] },
    {
      evaluators: [contains, callMetric],
      figure: calls,
      mayPass: true,
    },
  ),
  ...each('tool call', 'corrupted', 'a call without a name', withCalls({ id: 'c1', type: 'function' }), toolAssertions),
  told(
    'tool call',
    'corrupted',
    'arguments that are not JSON',
    withCalls({ ...call, function: { name: 'add', arguments: '{"a":' } }),
    {
      evaluators: [evaluator('tool-arguments', { tool: 'add', args: { a: 1 } })],
    },
  ),
  told('tool call', 'doubled', 'one call id twice', withCalls(call, call), {
    evaluators: [contains, callMetric],
    figure: calls,
    mayPass: true,
  }),
  ...[
    ['removed', 'not reported', withoutUsage],
    ['removed', 'null', withUsage(null)],
    ['removed', 'an empty object', withUsage({})],
    ['corrupted', 'words instead of numbers', withUsage({ input: 'ten', output: 'five', total: 'many' })],
    ['corrupted', 'negative numbers', withUsage({ input: -10, output: -5, total: -15 })],
    [
      'corrupted',
      'a number beyond all bounds',
      `{"messages":[{"role":"assistant","content":"${text}"}],"tokenUsage":{"input":1e999,"output":5,"total":1e999}}`,
    ],
  ].flatMap(([distortion, what, reply]) => [
    told('token usage', distortion as Distortion, `${what}; token-budget`, reply as Reply, { evaluators: [budget] }),
    told('token usage', distortion as Distortion, `${what}; measured`, reply as Reply, {
      evaluators: [contains, tokenMetric],
      figure: tokens,
      mayPass: true,
    }),
  ]),
  told(
    'token usage',
    'doubled',
    'in two spellings',
    { ...honestBody, usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    {
      evaluators: [contains, tokenMetric],
      figure: tokens,
      mayPass: true,
    },
  ),
  told('cost', 'removed', 'no cost is reported', honestBody, { evaluators: [evaluator('cost-budget', { maxUsd: 1 })] }),
  told(
    'latency',
    'delayed',
    'longer than the budget',
    (response) => void setTimeout(() => send(response, honestBody), 300),
    {
      evaluators: [evaluator('latency-budget', { maxMs: 100 })],
    },
  ),
  told('latency', 'removed', 'an answer that is not streamed', honestBody, {
    evaluators: [evaluator('time-to-first-token', { maxMs: 1_000 })],
  }),
];

function send(response: ServerResponse, body: object | string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An agent behind an HTTP connector. */
export async function conversationWorld(): Promise<World> {
  const url = await serve((request, response) => {
    request.resume();
    const reply = stories[Number(request.url?.slice(2)) - 1]?.reply ?? honestBody;
    if (typeof reply === 'function') reply(response);
    else send(response, reply);
  });
  const scenario = (index: number, evaluators: readonly Evaluator[]) => (name: string) => ({
    name,
    connector: { type: 'http', baseUrl: url, config: { path: `/s${index}` } },
    userMessages: ['What is 1 + 2?'],
    timeoutSecs: 10,
    evaluators,
  });
  return {
    kind: 'conversation',
    files: {},
    honest: scenario(0, [contains, budget, ...negativeTextAssertions, ...toolAssertions, tokenMetric, callMetric]),
    lies: stories.map(({ reply: _, evaluators, ...lie }, index) => ({
      ...lie,
      scenario: scenario(index + 1, evaluators),
    })),
  };
}
