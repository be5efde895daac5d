import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { approvalRuleSchema } from '../../domain/approval-policy.ts';
import type { Message } from '../../domain/message.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { asking, goingOn, opened } from '../../testing/fakes/connectors/opened.ts';
import { bodyOf, reply, serve } from '../../testing/support/http-server.ts';
import { PolicyApprover } from '../approvals/approver.ts';
import { langgraphConnector } from './langgraph.ts';

type StateMessage = Record<string, unknown>;

interface Run {
  readonly path: string;
  readonly body: { readonly input: { readonly messages: readonly Message[] } } & Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
}

/** A server with threads that answers each run with the whole state, as LangGraph does. */
class FakeLangGraph {
  readonly runs: Run[] = [];
  readonly #threads = new Map<string, StateMessage[]>();
  readonly #answer: (state: readonly StateMessage[]) => StateMessage[];

  constructor(answer: (state: readonly StateMessage[]) => StateMessage[]) {
    this.#answer = answer;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const thread = /^\/threads\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/runs\/wait$/.exec(path)?.[1];
    if (thread === undefined && path !== '/runs/wait') {
      response.writeHead(422).end('{"detail":"Invalid thread ID: must be a UUID"}');
      return;
    }
    const body = JSON.parse(await bodyOf(request)) as Run['body'];
    this.runs.push({ path, body, headers: request.headers });
    const state = (thread === undefined ? undefined : this.#threads.get(thread)) ?? [];
    if (thread !== undefined) this.#threads.set(thread, state);
    for (const { role, ...message } of body.input.messages) {
      const type = { user: 'human', assistant: 'ai', tool: 'tool', system: 'system' }[role];
      state.push({ type, ...message, additional_kwargs: {} });
    }
    state.push(...this.#answer(state));
    response.writeHead(200, { 'content-type': 'application/json' }).end(`\n${JSON.stringify({ messages: state })}`);
  }
}

async function start(answer: (state: readonly StateMessage[]) => StateMessage[]) {
  const server = new FakeLangGraph(answer);
  const baseUrl = await serve((request, response) => void server.handle(request, response));
  return { server, baseUrl };
}

const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});

/** Calls a tool and then answers, with ids that are never used again. */
function book(state: readonly StateMessage[]): StateMessage[] {
  const n = state.length;
  return [
    {
      type: 'ai',
      id: `ai-${n}`,
      content: '',
      tool_calls: [{ name: 'book', args: { n }, id: `c-${n}`, type: 'tool_call' }],
      usage_metadata: usage(10, 2),
      response_metadata: { model_name: 'gpt' },
    },
    { type: 'tool', id: `tool-${n}`, content: 'ok', name: 'book', tool_call_id: `c-${n}` },
    {
      type: 'ai',
      id: `done-${n}`,
      content: `Booked ${n}`,
      tool_calls: [],
      usage_metadata: usage(20, 3),
      response_metadata: { model_name: 'gpt' },
    },
  ];
}

describe('a LangGraph agent', () => {
  it('is called and read in its own format', async () => {
    const { server, baseUrl } = await start(book);
    const config = { assistantId: 'booking', configurable: { user: 'u1' } };
    const connector = await opened(langgraphConnector, config, { baseUrl, headers: { 'X-Api-Key': 'k' } });
    const conversationId = '0b2c5b0e-8a63-4c69-9d6b-0f3a4c1d2e3f';
    const messages: Message[] = [{ role: 'user', content: 'Book it', id: 'u-1', metadata: { ours: 1 } }];
    const answer = await connector.invoke(asking('', { messages, conversationId, headers: { 'x-persona': 'p' } }));
    expect(answer).toMatchObject({
      messages: [
        {
          role: 'assistant',
          content: '',
          id: 'ai-1',
          tool_calls: [{ id: 'c-1', type: 'function', function: { name: 'book', arguments: '{"n":1}' } }],
        },
        { role: 'tool', content: 'ok', name: 'book', tool_call_id: 'c-1' },
        { role: 'assistant', content: 'Booked 1', id: 'done-1' },
      ],
      usage: { inputTokens: 30, outputTokens: 5 },
      model: 'gpt',
      threadId: conversationId,
    });
    expect(server.runs).toMatchObject([
      { path: `/threads/${conversationId}/runs/wait`, headers: { 'x-api-key': 'k', 'x-persona': 'p' } },
    ]);
    expect(server.runs[0]?.body).toEqual({
      assistant_id: 'booking',
      input: { messages: [{ role: 'user', content: 'Book it', id: 'u-1' }] },
      multitask_strategy: 'enqueue',
      if_not_exists: 'create',
      config: { configurable: { user: 'u1' } },
    });
  });

  it('is sent only what it has not seen, and gives only what we have not', async () => {
    const { server, baseUrl } = await start(book);
    const connector = await opened(langgraphConnector, {}, { baseUrl });
    const seed: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello, how can I help?' },
      { role: 'user', content: 'Book it' },
    ];
    const first = asking('', { messages: seed });
    const one = await connector.invoke(first);
    expect(one.messages.map(({ content }) => content)).toEqual(['', 'ok', 'Booked 3']);
    const withoutIds = one.messages.map(({ id: _, ...message }) => message as Message);
    const two = await connector.invoke(goingOn(first, withoutIds, 'Again'));
    expect(two.messages.map(({ content }) => content)).toEqual(['', 'ok', 'Booked 7']);
    expect(two.usage).toEqual({ inputTokens: 30, outputTokens: 5 });
    expect(server.runs.map(({ body }) => body.input.messages.length)).toEqual([3, 1]);
    expect(server.runs[0]?.body).toMatchObject({ assistant_id: 'default' });
    expect(server.runs[1]?.path).toBe(server.runs[0]?.path);
  });

  it('has its own thread for each conversation, and for each time that it is opened', async () => {
    const { server, baseUrl } = await start(book);
    for (let time = 1; time <= 2; time++) {
      const connector = await opened(langgraphConnector, {}, { baseUrl });
      for (const conversationId of ['trial-a', 'trial-b']) await connector.invoke(asking('Hi', { conversationId }));
    }
    expect(new Set(server.runs.map(({ path }) => path)).size).toBe(4);
  });

  it('is sent everything in each turn when it keeps nothing', async () => {
    const { server, baseUrl } = await start(book);
    const connector = await opened(langgraphConnector, { stateless: true }, { baseUrl });
    const first = asking('One');
    const { messages, threadId } = await connector.invoke(first);
    expect(threadId).toBeUndefined();
    await connector.invoke(goingOn(first, messages, 'Two'));
    expect(server.runs.map(({ path, body }) => [path, body.input.messages.length])).toEqual([
      ['/runs/wait', 1],
      ['/runs/wait', 5],
    ]);
    expect(server.runs[0]?.body).not.toHaveProperty('if_not_exists');
  });

  it('says a message once that stands in its state twice, and two messages with one id are a gap', async () => {
    const answered = { type: 'ai', id: 'a', content: 'Booked', usage_metadata: usage(10, 2) };
    const { baseUrl } = await start(() => [answered, answered]);
    const agent = await opened(langgraphConnector, {}, { baseUrl });
    expect(await agent.invoke(asking('Hello'))).toMatchObject({
      messages: [{ content: 'Booked' }],
      usage: { inputTokens: 10, outputTokens: 2 },
      gaps: [],
    });
    const other = await start(() => [answered, { ...answered, content: 'Not booked' }]);
    const second = await opened(langgraphConnector, {}, { baseUrl: other.baseUrl });
    expect((await second.invoke(asking('Hello'))).gaps).toMatchObject([
      { reason: 'two different messages have the id a', place: 'messages[2]' },
    ]);
  });

  it('may leave ids, usage and calls out', async () => {
    const { baseUrl } = await start(() => [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }]);
    const connector = await opened(langgraphConnector, {}, { baseUrl });
    const answer = await connector.invoke(asking('Hello'));
    expect(answer.messages).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }]);
    expect(answer.usage).toBeUndefined();
  });

  it.each([
    [
      'an error of the graph',
      reply(200, '{"__error__":{"error":"ValueError","message":"no such day"}}'),
      'TARGET_CRASHED',
      /ValueError: no such day/,
    ],
    [
      'no new message',
      reply(200, '{"messages":[{"type":"human","content":"Hello"}]}'),
      'TARGET_NO_MESSAGE',
      /without a new message/,
    ],
    ['another state', reply(200, '{"answer":1}'), 'TARGET_NO_MESSAGE', /without a new message/],
    [
      'no assistant of that name',
      reply(404, '{"detail":"Assistant not found"}'),
      'TARGET_UNREACHABLE',
      /Assistant not found/,
    ],
    ['a page', reply(200, '<html></html>'), 'TARGET_OUTPUT_NOT_JSON', /a web page/],
  ] as const)('is an error with %s', async (_, answer, code, message) => {
    const connector = await opened(langgraphConnector, {}, { baseUrl: await serve(answer) });
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('says what it wants to know when it waits for a human', async () => {
    const body = '{"messages":[],"thread_id":"own","__interrupt__":[{"value":"Which day?"}]}';
    const connector = await opened(langgraphConnector, {}, { baseUrl: await serve(reply(200, body)) });
    expect(await connector.invoke(asking('Hello'))).toMatchObject({
      messages: [{ role: 'assistant', content: 'Which day?' }],
      threadId: 'own',
    });
  });

  describe('that waits for a human', () => {
    /** Asks its questions, with a call before them, and repeats the replies when it is resumed. */
    async function waiting(questions: readonly Record<string, unknown>[]) {
      const bodies: Record<string, unknown>[] = [];
      const state: StateMessage[] = [];
      const baseUrl = await serve(async (request, response) => {
        const body = JSON.parse(await bodyOf(request)) as { command?: { resume: unknown } };
        bodies.push(body);
        if (body.command) state.push({ type: 'ai', content: `You said ${JSON.stringify(body.command.resume)}` });
        else state.push({ type: 'human', content: 'Book' }, { type: 'ai', content: 'Let me see' });
        const stop = body.command ? {} : { __interrupt__: questions };
        response.writeHead(200).end(JSON.stringify({ messages: state, ...stop }));
      });
      return { bodies, baseUrl };
    }

    const replies = [
      ['the text', [{ id: 'q1', value: 'Which day?' }], 'Monday', 'Monday'],
      ['a decision as data', [{ value: { action: 'book' } }], '{"type":"accept"}', { type: 'accept' }],
      ['a text that is not data', [{ value: 'Which?' }], '[Monday]', '[Monday]'],
      [
        'one reply to every question',
        [
          { id: 'q1', value: 'Sure?' },
          { interrupt_id: 'q2', value: 'Really?' },
        ],
        'yes',
        { q1: 'yes', q2: 'yes' },
      ],
    ] as const;

    it.each(replies)('is resumed with the reply of the user: %s', async (_, questions, reply, resume) => {
      const { bodies, baseUrl } = await waiting(questions);
      const connector = await opened(langgraphConnector, {}, { baseUrl });
      const first = asking('Book');
      const question = await connector.invoke(first);
      const texts = questions.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)));
      expect(question.messages.map(({ content }) => content)).toEqual(['Let me see', ...texts]);
      const second = goingOn(first, question.messages, reply);
      const done = await connector.invoke(second);
      expect(bodies[1]).toEqual({
        ...{ assistant_id: 'default', multitask_strategy: 'enqueue', if_not_exists: 'create' },
        command: { resume },
      });
      expect(done.messages).toEqual([{ role: 'assistant', content: `You said ${JSON.stringify(resume)}` }]);
      await connector.invoke(goingOn(second, done.messages, 'Again'));
      expect(bodies[2]).toMatchObject({ input: { messages: [{ content: 'Again' }] } });
    });

    describe('under a policy', () => {
      const approver = (...rules: readonly object[]) => {
        const events: UnstampedEvent[] = [];
        const placed = rules.map((rule, index) => ({ rule: approvalRuleSchema.parse(rule), place: `p:${index}` }));
        const signal = new AbortController().signal;
        const place = { emit: (event: UnstampedEvent) => events.push(event), signal, repeat: 1 };
        return { events, approver: new PolicyApprover(placed, { ...place, context: { directory: '/', env: {} } }) };
      };
      const middleware = {
        action_requests: [
          { name: 'pay', args: { eur: 9 } },
          { name: 'mail', args: {} },
        ],
      };
      const inbox = [{ action_request: { action: 'pay', args: { eur: 9 } }, config: {} }];

      it.each([
        ['a question by true', [{ value: 'Sure?' }], [{ answer: 'allow' }], true],
        ['a question by false', [{ value: 'Sure?' }], [{ answer: 'deny' }], false],
        ['a question by content', [{ value: 'Which?' }], [{ answer: 'allow', content: 'Monday' }], 'Monday'],
        [
          'calls of the middleware, each by its rule',
          [{ value: middleware }],
          [{ tool: 'pay', answer: 'deny', reason: 'too much' }, { answer: 'allow' }],
          { decisions: [{ type: 'reject', message: 'too much' }, { type: 'approve' }] },
        ],
        [
          'a call of the inbox with other arguments',
          [{ value: inbox }],
          [{ tool: 'pay', answer: 'allow', content: { eur: 5 } }],
          [{ type: 'edit', args: { action: 'pay', args: { eur: 5 } } }],
        ],
        [
          'two questions by their ids',
          [
            { id: 'q1', value: 'One?' },
            { id: 'q2', value: 'Two?' },
          ],
          [{ answer: ['allow', 'deny'] }],
          { q1: true, q2: false },
        ],
      ])('is resumed in the same turn: %s', async (_, questions, rules, resume) => {
        const { bodies, baseUrl } = await waiting(questions);
        const connector = await opened(langgraphConnector, {}, { baseUrl });
        const policy = approver(...rules);
        const { messages } = await connector.invoke({ ...asking('Book'), approver: policy.approver });
        expect(bodies[1]).toMatchObject({ command: { resume } });
        // The questions are no words to the user any more.
        expect(messages.map(({ content }) => content)).toEqual(['Let me see', `You said ${JSON.stringify(resume)}`]);
        expect(policy.events.every(({ type }) => type === 'approval')).toBe(true);
      });

      it('is refused where no rule fits, and the policy has the fault', async () => {
        const { bodies, baseUrl } = await waiting([{ value: 'Sure?' }]);
        const connector = await opened(langgraphConnector, {}, { baseUrl });
        const policy = approver({ tool: 'pay', answer: 'allow' });
        await connector.invoke({ ...asking('Book'), approver: policy.approver });
        expect(bodies[1]).toMatchObject({ command: { resume: false } });
        expect(policy.approver.fault).toMatchObject({ code: 'APPROVAL_UNANSWERED' });
      });
    });

    it('is not resumed without a thread', async () => {
      const { bodies, baseUrl } = await waiting([{ value: 'Which day?' }]);
      const connector = await opened(langgraphConnector, { stateless: true }, { baseUrl });
      const first = asking('Book');
      const { messages } = await connector.invoke(first);
      await connector.invoke(goingOn(first, messages, 'Monday'));
      expect(bodies.map((body) => Object.keys(body))).toEqual([
        ['assistant_id', 'input'],
        ['assistant_id', 'input'],
      ]);
    });
  });

  it('needs a base URL', async () => {
    await expect(opened(langgraphConnector, {})).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      message: expect.stringContaining('no base URL'),
    });
  });
});
