import type { TraceEvent } from '../../../domain/trace.ts';
import { contextOf } from './conversation.ts';

/** A call with what came of it; without an answer it never got one. */
interface FakeCall {
  readonly tool: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly isUnanswered?: boolean;
  readonly answeredBy?: 'fault';
}

export interface FakeStep {
  readonly calls?: readonly (FakeCall | string)[];
  readonly says?: string;
}

/** The trace of a workflow that a model drove, one turn for each step. */
export function workflowTrace(...steps: readonly FakeStep[]): TraceEvent[] {
  const stamp = { at: 0, seenBy: 'engine' } as const;
  const server = { label: 's', name: 's', version: '1', protocolVersion: '1', transport: 'stdio', tools: [] } as const;
  let callCount = 0;
  const events = steps.flatMap(({ calls = [], says }, index): TraceEvent[] => {
    const made = calls.flatMap((call): TraceEvent[] => {
      const { tool, result, error, isUnanswered, answeredBy } =
        typeof call === 'string' ? ({ tool: call } as FakeCall) : call;
      const callId = `call-${++callCount}`;
      const begun: TraceEvent = { type: 'tool-call', ...stamp, callId, tool, input: {} };
      if (isUnanswered) return [begun];
      const answer = error === undefined ? { result: result ?? textResult('fine') } : { error: { message: error } };
      return [
        begun,
        { type: 'tool-result', ...stamp, callId, durationMs: 1, ...answer, ...(answeredBy && { answeredBy }) },
      ];
    });
    return [
      { type: 'message', ...stamp, role: 'user', text: `step ${index + 1}` },
      ...made,
      ...(says === undefined ? [] : [{ type: 'message', ...stamp, role: 'assistant', text: says } as const]),
      { type: 'turn', ...stamp, number: index + 1, messages: [], latencyMs: 1 },
    ];
  });
  return [{ type: 'mcp-server', ...stamp, ...server, tools: [] }, ...events];
}

export function textResult(text: string) {
  return { content: [{ type: 'text', text }] };
}

/** Evaluation context of a trial of a workflow. */
export function workflowContext(workflow: object, trace: readonly TraceEvent[], more: object = {}) {
  const context = contextOf(trace, undefined, more);
  const input = { name: 'flow', ...workflow };
  const { trial } = context;
  return {
    ...context,
    trial: {
      ...trial,
      scenario: { ...trial.scenario, serverPart: 'workflow' },
      case: { ...trial.case, evaluators: [], input },
    },
  } as typeof context;
}
