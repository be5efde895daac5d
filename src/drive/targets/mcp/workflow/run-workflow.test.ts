import { describe, expect, it } from 'vitest';
import { AssayError } from '../../../../domain/errors.ts';
import { workflowSchema } from '../../../../domain/mcp/suites.ts';
import { eventsOf, type TraceEvent } from '../../../../domain/trace.ts';
import { failureOf } from '../../../../testing/support/models.ts';
import type { McpSession } from '../../../mcp/session.ts';
import { directSurface } from '../../../mcp/surfaces/make-surface.ts';
import { OfferedTools } from '../../../mcp/surfaces/offered-tools.ts';
import type { Model, ModelReply, ModelRequest } from '../../../models/model.ts';
import { runWorkflow } from './run-workflow.ts';

const tool = { name: 'look', inputSchema: { type: 'object' } };

function replyOf(reply: Partial<ModelReply>): ModelReply {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const emptyReply = { text: '', toolCalls: [], finishReason: 'stop', usage, costUsd: null, latencyMs: 1 } as const;
  return { ...emptyReply, respondedAs: 'm', isReplayed: false, ...reply };
}

/** Takes a workflow of one step with a model that answers one thing after the other. */
const nothing = { [Symbol.dispose]: () => undefined };
const listening = { onNotification: () => nothing, onRequest: () => nothing };

function taking(replies: readonly Partial<ModelReply>[], parts: { session?: Partial<McpSession>; model?: Model } = {}) {
  const trace: TraceEvent[] = [];
  const requests: ModelRequest[] = [];
  const controller = new AbortController();
  const model = parts.model ?? {
    name: 'fake/m',
    generate: async (request: ModelRequest) => replyOf(replies[requests.push(request) - 1] ?? {}),
  };
  const run = runWorkflow({
    workflow: workflowSchema.parse({ name: 'w', steps: [{ user: 'look' }] }),
    model,
    system: 'be brief',
    offered: directSurface(new OfferedTools([tool], {})),
    session: { broken: undefined, ...listening, ...parts.session } as McpSession,
    lease: { assertPinned: async () => [], announcedChanges: async () => [] },
    offerAgain: async () => directSurface(new OfferedTools([tool], {})),
    timeoutMs: 1_000,
    seed: 3,
    emit: (event) => trace.push({ at: 0, seenBy: 'engine', ...event } as TraceEvent),
    turns: { afterTurn: async () => 'stop' },
    signal: controller.signal,
  });
  return { run, trace, requests, controller };
}

const look = { toolCalls: [{ callId: 'x', tool: 'look', input: {} }] };

describe('taking a workflow', () => {
  it('a call over its time limit is a failed call that the model sees', async () => {
    const callTool = () => Promise.reject(new AssayError('MCP_SERVER_TIMEOUT', 'No answer within 1 s.'));
    const { run, trace, requests } = taking([look, { text: 'It does not answer.' }], { session: { callTool } });
    await run;
    const timeout = { message: 'No answer within 1 s.', code: 'MCP_SERVER_TIMEOUT' };
    expect(eventsOf(trace, 'tool-result')).toMatchObject([{ error: timeout }]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Error: No answer within 1 s.' });
  });

  it('a server that broke between two calls ends it', async () => {
    const broken = new AssayError('MCP_SERVER_DIED', 'It ended.');
    expect(await failureOf(taking([{ text: 'Hi.' }], { session: { broken } }).run)).toBe(broken);
  });

  it('a model that has not answered when the time is up is late itself', async () => {
    const generate = (_: ModelRequest, signal: AbortSignal): Promise<ModelReply> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { run, controller } = taking([], { model: { name: 'slow/m', generate } });
    controller.abort();
    expect(await failureOf(run)).toMatchObject({ code: 'MODEL_TIMEOUT' });
  });

  it.each([
    [{ text: 'Well, I', finishReason: 'length' as const }, "The model's answer was cut off at its length limit"],
    [{ finishReason: 'content-filter' as const }, "The provider withheld the model's answer (content filter)"],
    [{}, 'The answer of the model is empty'],
  ])('an odd end is noted: %j', async (reply, notice) => {
    const { run, trace } = taking([reply]);
    await run;
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toEqual([notice]);
  });

  it('the same provider id twice makes two calls with their own ids', async () => {
    const callTool: McpSession['callTool'] = async () => ({ kind: 'result', result: { content: [] }, latencyMs: 1 });
    const twice = { toolCalls: [...look.toolCalls, ...look.toolCalls] };
    const { run, trace, requests } = taking([twice, { text: 'Done.' }], { session: { callTool } });
    await run;
    expect(eventsOf(trace, 'tool-result').map(({ callId }) => callId)).toEqual(['call-1', 'call-2']);
    expect(requests[1]).toMatchObject({ system: 'be brief', seed: 3 });
    expect(requests[1]?.messages.at(-1)).toMatchObject({ callId: 'x', content: '(the tool returned nothing)' });
  });
});
