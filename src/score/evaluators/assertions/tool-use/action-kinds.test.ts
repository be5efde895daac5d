import { describe, expect, it } from 'vitest';
import { type Report, reportOfKind } from '../../../../domain/capability.ts';
import type { TraceEvent } from '../../../../domain/trace.ts';
import { ask, contextOf, inWords } from '../../../../testing/fakes/score/conversation.ts';
import type { Evaluator } from '../../evaluator.ts';
import { toolCallBudget } from '../budgets.ts';
import { noFailedCalls } from './no-failed-calls.ts';
import { noRepeatedCalls } from './no-repeated-calls.ts';
import { toolArguments } from './tool-arguments.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolOrder } from './tool-order.ts';
import { toolResult } from './tool-result.ts';

type Call = Partial<Extract<TraceEvent, { type: 'tool-call' }>> & { readonly tool: string };

const stamp = { at: 0, seenBy: 'agent' } as const;
const all: readonly Report[] = ['tool-calls', ...Object.values(reportOfKind), 'subagent-calls'];

function traceOf(reports: readonly Report[] | undefined, ...calls: readonly Call[]): TraceEvent[] {
  const agent = { agent: 'a', version: null, model: null, isolation: 'none', isScripted: false } as const;
  return [
    { type: 'agent-started', ...stamp, ...agent, ...(reports && { reports: [...reports] }) },
    ...calls.flatMap((call, index): TraceEvent[] => [
      { type: 'tool-call', ...stamp, callId: `c${index}`, input: { n: index }, ...call },
      { type: 'tool-result', ...stamp, callId: `c${index}`, durationMs: 1, result: 'done' },
    ]),
  ];
}

const answer = async (evaluator: Evaluator, config: unknown, trace: TraceEvent[]): Promise<string> =>
  inWords(await ask(evaluator, config, contextOf(trace, 7)));

const read: Call = { tool: 'Read', kind: 'read' };
const edit: Call = { tool: 'Write', kind: 'edit' };
const delegate: Call = { tool: 'Task', kind: 'delegate' };
const unknown: Call = { tool: 'Superbash', kind: 'other', isUnlistedTool: true };

describe('assertions on kinds of actions', () => {
  it('hold for every tool of the kind, whatever the agent calls it', async () => {
    const trace = traceOf(all, { ...read, tool: 'view' }, { ...read, tool: 'read_file' }, edit);
    expect(await answer(toolCalled, { tool: 'kind:read', times: 2 }, trace)).toMatch(
      /^pass: kind:read was called 2 times/,
    );
    expect(await answer(toolNotCalled, { tool: 'kind:shell' }, trace)).toBe('pass: kind:shell was not called');
    expect(await answer(toolNotCalled, { tool: 'kind:edit' }, trace)).toMatch(
      /^fail: kind:edit was called: call 3, Write/,
    );
    const order = { tools: ['kind:read', 'kind:read', 'kind:edit'], order: 'exact' };
    expect(await answer(toolOrder, order, trace)).toMatch(/^pass/);
    expect(await answer(toolOrder, { ...order, tools: ['kind:edit', 'kind:read'] }, trace)).toMatch(/^fail/);
    expect(await answer(toolOrder, { ...order, tools: ['kind:edit'], ignore: ['kind:read'] }, trace)).toMatch(/^pass/);
    expect(await answer(toolArguments, { tool: 'kind:edit', args: { n: 2 } }, trace)).toMatch(/^pass/);
    expect(await answer(toolResult, { tool: 'kind:edit', equals: 'done' }, trace)).toMatch(/^pass/);
    expect(await answer(toolCallBudget, { perTool: { 'kind:read': 1 } }, trace)).toMatch(
      /^fail: 2 \/ 1 calls of kind:read/,
    );
  });

  it('refuse a kind that does not exist when the scenario is loaded', () => {
    const problem = toolCalled.configSchema.safeParse({ tool: 'kind:reading' }).error?.issues[0]?.message;
    expect(problem).toContain('`kind:reading` is not a kind of action');
    expect(toolCalled.configSchema.safeParse({ tool: 'kind:read' }).success).toBe(true);
  });

  it('are not judged for kinds that the agent does not report, unless such a call was seen', async () => {
    const reports = all.filter((report) => report !== 'read-calls');
    const silent = 'error NOT_OBSERVED: The target does not report calls of the kind "read".';
    expect(await answer(toolNotCalled, { tool: 'kind:read' }, traceOf(reports, edit))).toBe(silent);
    expect(await answer(toolCalled, { tool: 'kind:read' }, traceOf(reports, edit))).toBe(silent);
    expect(await answer(toolCallBudget, { perTool: { 'kind:read': 3 } }, traceOf(reports, edit))).toBe(silent);
    expect(await answer(toolCalled, { tool: 'kind:read' }, traceOf(reports, read))).toMatch(/^pass/);
  });

  it('are not judged where a tool of unknown kind was called, unless the verdict is certain without it', async () => {
    const trace = traceOf(all, unknown, edit);
    expect(await answer(toolNotCalled, { tool: 'kind:shell' }, trace)).toBe(
      'error NOT_OBSERVED: The kind of call 1, `Superbash` is unknown, so it may be "shell".',
    );
    expect(await answer(toolCalled, { tool: 'kind:edit', times: 1 }, trace)).toMatch(/^error/);
    expect(await answer(toolCalled, { tool: 'kind:edit' }, trace)).toMatch(/^pass/);
    expect(await answer(toolNotCalled, { tool: 'kind:edit' }, trace)).toMatch(/^fail/);
    expect(await answer(toolNotCalled, { tool: 'Bash' }, trace)).toMatch(/^pass/);
  });

  it('read traces of earlier versions: commands and MCP calls are known, other tools are not', async () => {
    const shell: Call = { tool: 'Bash', shellCommand: 'ls' };
    const mcp: Call = { tool: 'mcp__maps__find' };
    const trace = traceOf(undefined, shell, mcp);
    expect(await answer(toolCalled, { tool: 'kind:shell' }, trace)).toMatch(/^pass/);
    expect(await answer(toolCalled, { tool: 'kind:mcp' }, trace)).toMatch(/^pass/);
    expect(await answer(toolNotCalled, { tool: 'kind:read' }, trace)).toMatch(/^error/);
    expect(await answer(toolNotCalled, { tool: 'kind:shell' }, traceOf(undefined, { tool: 'Read' }))).toMatch(/^error/);
  });
});

describe('assertions on the calls of an agent that started a sub-agent', () => {
  const hidden = traceOf(
    all.filter((report) => report !== 'subagent-calls'),
    delegate,
    edit,
  );
  const cases: readonly (readonly [Evaluator, object])[] = [
    [toolNotCalled, { tool: 'Bash' }],
    [toolCalled, { tool: 'Bash' }],
    [toolCalled, { tool: 'Write', times: 1 }],
    [toolOrder, { tools: ['Bash'] }],
    [toolOrder, { tools: ['Task', 'Write'], order: 'exact' }],
    [toolArguments, { tool: 'Write', args: { n: 1 } }],
    [toolResult, { tool: 'Write', of: 'every', equals: 'done' }],
    [noFailedCalls, {}],
    [noRepeatedCalls, {}],
    [toolCallBudget, { maxCalls: 5 }],
  ];

  it.each(cases)('are not judged by silence where its calls are hidden', async (evaluator, config) => {
    expect(await answer(evaluator, config, hidden)).toBe(
      'error NOT_OBSERVED: The agent started a sub-agent, whose calls it does not report: call 1, `Task`.',
    );
  });

  it('are judged by what was seen', async () => {
    expect(await answer(toolCalled, { tool: 'Write' }, hidden)).toMatch(/^pass/);
    expect(await answer(toolNotCalled, { tool: 'Write' }, hidden)).toMatch(/^fail/);
    expect(await answer(toolCallBudget, { maxCalls: 1 }, hidden)).toMatch(/^fail/);
  });

  it.each(cases)('are judged where its calls are reported', async (evaluator, config) => {
    expect(await answer(evaluator, config, traceOf(all, delegate, edit))).toMatch(/^(pass|fail)/);
  });
});
