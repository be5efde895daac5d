import { describe, expect, it } from 'vitest';
import { approvalRuleSchema } from '../../../domain/approval-policy.ts';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { asking, goingOn, opened } from '../../../testing/fakes/connectors/opened.ts';
import { bodyOf, serve } from '../../../testing/support/http-server.ts';
import { PolicyApprover } from '../../approvals/approver.ts';
import { aguiConnector } from './ag-ui-connector.ts';

type Event = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>> & { readonly resume?: readonly unknown[] };

const text = (id: string, words: string): Event[] => [
  { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta: words },
  { type: 'TEXT_MESSAGE_END', messageId: id },
];
const proposal: readonly Event[] = [
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'pay' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"eur":' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '9}' },
  { type: 'TOOL_CALL_END', toolCallId: 'c1' },
];
const finished = (...interrupts: readonly Event[]): Event => ({
  type: 'RUN_FINISHED',
  outcome: interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' },
});

/** An agent that answers each run with events; it gives back the inputs of the runs. */
async function agent(eventsOf: (body: Body, run: number) => readonly Event[]) {
  const bodies: Body[] = [];
  const baseUrl = await serve(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as Body;
    bodies.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [{ type: 'RUN_STARTED' }, ...eventsOf(body, bodies.length)])
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  return { bodies, connector: await opened(aguiConnector, {}, { baseUrl }) };
}

function policy(...rules: readonly object[]) {
  const events: UnstampedEvent[] = [];
  const placed = rules.map((rule, index) => ({ rule: approvalRuleSchema.parse(rule), place: `p:${index}` }));
  const place = { emit: (event: UnstampedEvent) => void events.push(event), repeat: 1 };
  const context = { directory: '/', env: {} };
  return { events, approver: new PolicyApprover(placed, { ...place, signal: new AbortController().signal, context }) };
}

describe('an AG-UI agent', () => {
  it('answers in events, and gets the whole conversation with each run', async () => {
    const { bodies, connector } = await agent((_, run) => [...text(`a${run}`, `Answer ${run}`), finished()]);
    const first = asking('Hello');
    const answer = await connector.invoke(first);
    expect(answer).toMatchObject({ messages: [{ role: 'assistant', content: 'Answer 1' }], gaps: [] });
    await connector.invoke(goingOn(first, answer.messages, 'And now?'));
    expect(bodies[1]).toMatchObject({
      threadId: bodies[0]?.threadId,
      messages: [{ content: 'Hello' }, { id: 'a1', content: 'Answer 1' }, { content: 'And now?' }],
    });
  });

  it('calls tools, whose arguments come in pieces', async () => {
    const result = { type: 'TOOL_CALL_RESULT', messageId: 'r1', toolCallId: 'c1', content: 'paid' };
    const { connector } = await agent(() => [...proposal, result, ...text('a1', 'Paid.'), finished()]);
    const { messages, gaps } = await connector.invoke(asking('Pay'));
    expect(messages).toMatchObject([
      { tool_calls: [{ id: 'c1', function: { name: 'pay', arguments: '{"eur":9}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'paid' },
      { content: 'Paid.' },
    ]);
    expect(gaps).toEqual([]);
  });

  it.each([
    ['a deny', { answer: 'deny', reason: 'too much' }, { approved: false, reason: 'too much' }],
    ['an allow', { answer: 'allow' }, { approved: true }],
    ['other arguments', { answer: 'allow', content: { eur: 5 } }, { approved: true, editedArgs: { eur: 5 } }],
  ])('that interrupts for a call goes on in the same turn with %s', async (_, rule, payload) => {
    const interrupt = { id: 'i1', reason: 'tool_call', toolCallId: 'c1' };
    const { bodies, connector } = await agent(({ resume }) =>
      resume ? [...text('a1', 'Done.'), finished()] : [...proposal, finished(interrupt)],
    );
    const { approver, events } = policy({ tool: 'pay', ...rule });
    const { messages } = await connector.invoke({ ...asking('Pay'), approver });
    expect(bodies[1]?.resume).toEqual([{ interruptId: 'i1', status: 'resolved', payload }]);
    expect(events).toMatchObject([
      { type: 'approval', border: 'ag-ui', tool: 'pay', callId: 'c1', request: { eur: 9 } },
    ]);
    expect(messages.at(-1)).toMatchObject({ content: 'Done.' });
  });

  it('cancels what no rule answers, and the policy has the fault', async () => {
    const interrupt = { id: 'i1', reason: 'confirmation', message: 'Sure?' };
    const { bodies, connector } = await agent(({ resume }) =>
      resume ? [...text('a1', 'Stopped.'), finished()] : [finished(interrupt)],
    );
    const { approver } = policy({ tool: 'pay', answer: 'allow' });
    await connector.invoke({ ...asking('Pay'), approver });
    expect(bodies[1]?.resume).toEqual([{ interruptId: 'i1', status: 'cancelled' }]);
    expect(approver.fault).toMatchObject({ code: 'APPROVAL_UNANSWERED' });
  });

  it('asks the user where there is no policy, and goes on with the reply', async () => {
    const interrupt = { id: 'i1', reason: 'input_required', message: 'Which day?' };
    const { bodies, connector } = await agent(({ resume }) =>
      resume ? [...text('a1', 'Booked.'), finished()] : [finished(interrupt)],
    );
    const first = asking('Book');
    const { messages } = await connector.invoke(first);
    expect(messages).toEqual([{ role: 'assistant', content: 'Which day?' }]);
    await connector.invoke(goingOn(first, messages, 'Monday'));
    expect(bodies[1]?.resume).toEqual([{ interruptId: 'i1', status: 'resolved', payload: 'Monday' }]);
  });

  it.each<[string, readonly Event[], string]>([
    ['without its end', text('a1', 'Hi'), 'the stream ended before the run did'],
    ['with an open message', [...text('a1', 'Hi').slice(0, 2), finished()], 'the message a1 has no end'],
    [
      'with half of a call',
      [...proposal.slice(0, 2), { ...proposal[3] }, ...text('a', 'Hi'), finished()] as Event[],
      'the arguments of the call c1 are incomplete',
    ],
    [
      'with an event of another kind',
      [{ type: 'HOLOGRAM' }, ...text('a1', 'Hi'), finished()],
      'the unknown type HOLOGRAM',
    ],
    [
      'with an outcome of another kind',
      [...text('a1', 'Hi'), { type: 'RUN_FINISHED', outcome: { type: 'postponed' } }],
      'the unknown outcome postponed',
    ],
    [
      'with an interrupt without an id',
      [...text('a1', 'Hi'), finished({ reason: 'x' })],
      'an interrupt cannot be read',
    ],
    [
      'with a piece of no message',
      [...text('a1', 'Hi'), { type: 'TEXT_MESSAGE_CONTENT', messageId: 'b', delta: 'x' }, finished()],
      'belongs to no open message',
    ],
  ])('%s has lost something', async (_, events, loss) => {
    const { connector } = await agent(() => events);
    const { gaps = [] } = await connector.invoke(asking('Hi'));
    expect(gaps.map(({ reason }) => reason).join()).toContain(loss);
  });

  it('that fails is an error', async () => {
    const { connector } = await agent(() => [{ type: 'RUN_ERROR', message: 'no model' }]);
    await expect(connector.invoke(asking('Hi'))).rejects.toMatchObject({
      code: 'TARGET_CRASHED',
      message: expect.stringContaining('no model'),
    });
  });

  it('may send chunks and a snapshot of the conversation', async () => {
    const chunks = [
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'a1', role: 'assistant', delta: 'Hel' },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'lo' },
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          { id: 'a1', role: 'assistant', content: 'Hello' },
          { id: 'a2', role: 'assistant', content: 'And this.' },
        ],
      },
    ];
    const { connector } = await agent(() => [...chunks, finished()]);
    const { messages, gaps } = await connector.invoke(asking('Hi'));
    expect(messages.map(({ content }) => content)).toEqual(['Hello', 'And this.']);
    expect(gaps).toEqual([]);
  });
});
