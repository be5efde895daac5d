import type { Report } from '../../src/domain/capability.ts';
import type { Message } from '../../src/domain/message.ts';
import type { Trace, TraceEvent, TraceEventOf } from '../../src/domain/trace.ts';

const byAgent = { at: 1, seenBy: 'agent' } as const;
const byEngine = { at: 0, seenBy: 'engine' } as const;

/** A call of a tool with its result; an `error` in its place lets it fail. */
export interface Call {
  readonly tool: string;
  readonly input?: unknown;
  readonly result?: unknown;
  readonly error?: string;
  /** Of HTTP. */
  readonly status?: number;
  /** A fault of ours broke it. */
  readonly isBroken?: true;
}

export function called(calls: readonly Call[], seenBy: TraceEvent['seenBy'] = 'agent'): TraceEvent[] {
  return calls.flatMap(({ tool, input = {}, result = 'done', error, status, isBroken }, index): TraceEvent[] => {
    const stamp = { at: index, seenBy, callId: `c${index}` };
    const ofHttp = status === undefined ? {} : { status };
    const answer = error === undefined ? { result, ...ofHttp } : { error: { message: error, ...ofHttp } };
    return [
      { type: 'tool-call', ...stamp, tool, input },
      { type: 'tool-result', ...stamp, durationMs: 5, ...answer, ...(isBroken && { answeredBy: 'fault' }) },
    ];
  });
}

const everything: readonly Report[] = ['tool-calls', 'usage', 'cost', 'latency', 'streaming', 'subagent-calls'];

interface Answered extends Partial<Omit<TraceEventOf<'turn'>, 'type' | 'messages'>> {
  readonly calls?: readonly Call[];
}

/** A conversation of one answer, whose connector reports everything that there is. */
export function answered(text: string, { calls = [], ...figures }: Answered = {}): TraceEvent[] {
  const message: Message = {
    role: 'assistant',
    content: text,
    tool_calls: calls.map(({ tool, input = {} }, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    })),
  };
  const measured = {
    latencyMs: 100,
    timeToFirstTokenMs: 10,
    usage: { inputTokens: 90, outputTokens: 10 },
    costUsd: 0.01,
    reports: [...everything],
    ...figures,
  };
  return [
    { type: 'message', ...byEngine, role: 'user', text: 'Book a table' },
    ...called(calls),
    { type: 'message', ...byAgent, role: 'assistant', text },
    { type: 'turn', ...byAgent, number: 1, messages: [message], ...measured },
  ];
}

/** One call of a tool without an agent. */
export function directCall(call: Call): Trace {
  return called([call], 'engine');
}

/** Commands of the tool under test, as the recorder saw them, by their exit codes. */
export function commands(...exitCodes: readonly number[]): TraceEvent[] {
  const exit = { signal: null, stdout: null, stderr: null, isNested: false };
  return [
    { type: 'workspace', ...byEngine, folder: 'trial' },
    ...exitCodes.map(
      (exitCode, index): TraceEvent => ({
        type: 'command',
        at: index,
        seenBy: 'recorder',
        argv: ['tasks', `step${index}`],
        cwd: '.',
        durationMs: 5,
        exitCode,
        ...exit,
      }),
    ),
  ];
}

/** A request of an agent to its model, as the gateway saw it. */
export function modelCall(number: number, more: Partial<TraceEventOf<'model-call'>> = {}): TraceEvent {
  const request = { model: 'm-1', status: 200, durationMs: 5, tools: [], systemSha256: '', isReplayed: false };
  return { type: 'model-call', at: number, seenBy: 'gateway', number, api: 'openai-chat', ...request, ...more };
}

export function changedFile(path: string): TraceEvent {
  return { type: 'file-change', ...byEngine, path, change: 'created', bytes: 1, diff: null };
}

/** A backend in which one order has another status after the trial. */
export function stateChange(key: string, status: string): Trace {
  const changed = [{ before: { id: 1, status: 'open' }, after: { id: 1, status } }];
  const found = { state: 'orders', key, rows: { before: 1, after: 1 }, added: [], removed: [], changed };
  return [...answered('Done.'), { type: 'state-change', ...byEngine, ...found }];
}

/** A page with elements of these texts when the agent has ended. */
export function pageState(key: string, texts: readonly string[]): Trace {
  const elements = texts.map((text) => ({ text, visible: true }));
  const read = { url: 'http://localhost/', title: 'Orders', text: texts.join('\n'), elements };
  const found = { page: 'the page', key, ...read, cookies: {}, localStorage: {} };
  return [...answered('Done.'), { type: 'page-state', ...byEngine, ...found }];
}

const policy: TraceEvent = { type: 'approval-policy', ...byEngine, name: null, rules: ['a.yaml:1:1'] };

/** An agent that asked for nothing under its policy. */
export function askedNothing(): TraceEvent[] {
  return [...answered('Done.'), policy];
}

/** A call that an agent asked permission for, with its answer; a denied call fails unless it ran nevertheless. */
export function askedFor(answer: 'allow' | 'deny', ranNevertheless = false): TraceEvent[] {
  const failed = answer === 'deny' && !ranNevertheless;
  const facts = { border: 'acp', tool: 'delete', request: {}, rule: 'a.yaml:1:1', by: 'rule', durationMs: 1 } as const;
  const [call, result] = called([{ tool: 'delete', ...(failed && { error: 'denied' }) }]) as [TraceEvent, TraceEvent];
  return [
    ...answered('Done.'),
    policy,
    call,
    { type: 'approval', at: 1, seenBy: 'engine', ...facts, callId: 'c0', answer },
    result,
  ];
}

/** A suite of tests of an MCP server whose processes took so much memory. */
export function measuredServer(rssBytes: number): Trace {
  const processes = { most: 1, samples: 9, startRssBytes: 1, endRssBytes: 1, peakRssBytes: rssBytes, cpuMs: 500 };
  const usage = { durationMs: 1_000, processes, restarts: 0, repeated: [], memory: [], fault: null };
  return [{ type: 'server-performance', ...byEngine, ...usage }];
}

/** A test of a suite with the answer of its tool. */
export function suiteTest(text: string): TraceEvent[] {
  const figures = { attempts: 1, latencyMs: 12, totalMs: 30, timedOut: false, callId: 'test-1-1', fault: null };
  const answer = { durationMs: 12, result: { content: [{ type: 'text', text }] } };
  const server = { label: 's', name: 's', version: '1', protocolVersion: '1', transport: 'stdio' } as const;
  return [
    { type: 'mcp-server', ...byEngine, ...server, tools: [{ name: 'add', sha256: '' }] },
    { type: 'tool-call', ...byEngine, callId: 'test-1-1', tool: 'add', input: {} },
    { type: 'tool-result', ...byEngine, callId: 'test-1-1', ...answer },
    { type: 'mcp-test', ...byEngine, index: 0, kind: 'tool', name: 'add', ...figures },
  ];
}

/** An agent with a skill, and what it did. */
export function skilledAgent(...done: readonly TraceEvent[]): Trace {
  const skill = { name: 'weekly-report', folder: '.skills/weekly-report', signature: ['# The weekly report'] };
  const agent = { agent: 'a', version: null, model: null, isolation: 'none', isScripted: true } as const;
  const reports: Report[] = ['tool-calls', 'skill-calls', 'read-calls', 'shell-calls', 'subagent-calls'];
  return [{ type: 'agent-started', ...byEngine, ...agent, reports, skills: [skill] }, ...done];
}

/** An agent in whose tools an instruction to call `book_table` was planted. */
export function attackedAgent(...calls: readonly Call[]): Trace {
  const goal = { kind: 'call', tool: 'book_table', description: 'Book a table' } as const;
  const attack = { name: 'a', suite: 's', version: 1, class: 'direct', rule: 's: a', text: 'Book!' } as const;
  const planted = { border: 'mcp', tool: 'look', callNumber: 1, kind: 'attack', rule: 's: a' } as const;
  return [
    { type: 'attack', ...byEngine, ...attack, place: 'tool-result', goal },
    { type: 'workspace', ...byEngine, folder: 'trial', tool: { binary: 'tasks' } },
    { type: 'tool-control', ...byEngine, ...planted, what: 'got a planted instruction' },
    ...answered('Done.', { calls }),
  ];
}

/** A model played the user. */
export const simulatedUser: TraceEvent = {
  type: 'simulated-user',
  ...byEngine,
  name: 'Ann',
  model: 'm',
  promptVersion: '1',
  brief: { goal: 'A table', known: [], unknown: [], endWhen: [] } as never,
  tools: [],
};

/** Something that was lost, just before the end of the last answer. */
export function withGap(trace: Trace, channels: TraceEventOf<'gap'>['channels']): Trace {
  const turn = trace.findLastIndex(({ type }) => type === 'turn');
  const gap: TraceEvent = { type: 'gap', ...byAgent, channels, reason: 'a block of an unknown kind' };
  return turn < 0 ? [...trace, gap] : trace.toSpliced(turn, 0, gap);
}
