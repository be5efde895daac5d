import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionKindSchema } from '../../domain/capability.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import { fixtureLines, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { actionOf, reportsOfActions } from './actions.ts';
import { reportsOf } from './agent.ts';
import { agentKinds } from './index.ts';
import { reportsOfFormat, type StreamFormat, streamFormats } from './stream-formats.ts';

/** Each call as `kind tool`, with the sub-agent that made it and the call that started that one. */
function actionsIn(events: readonly UnstampedEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'tool-call') return [];
    const { kind, tool, actor, parentCallId } = event;
    return [`${kind} ${tool}${actor === undefined ? '' : ` by ${actor} of ${parentCallId}`}`];
  });
}

const actions = (folder: string): string[] =>
  fixtureLines(new URL(`./${folder}/fixtures/actions.jsonl`, import.meta.url));

/** A model had each agent start a sub-agent (which ran a command), use a skill and a file tool. */
const recorded: readonly (readonly [string, StreamFormat, readonly string[]])[] = [
  [
    'claude-code',
    'claude',
    ['delegate Agent', 'shell Bash by general-purpose of call_000001_1', 'skill Skill', 'shell Bash'],
  ],
  [
    'qwen',
    'qwen',
    ['delegate agent', 'shell run_shell_command by general-purpose of call_000001_1', 'skill skill', 'search glob'],
  ],
  [
    'copilot',
    'copilot',
    ['delegate task', 'shell bash by general-purpose of call_000001_1', 'skill skill', 'read view'],
  ],
  ['codex', 'codex', ['delegate spawn_agent', 'shell shell', 'shell shell']],
  ['opencode', 'opencode', ['delegate task', 'skill skill', 'read read']],
  ['gemini', 'gemini', ['delegate invoke_agent', 'skill activate_skill', 'read read_file']],
  ['kimi', 'kimi', ['delegate Agent', 'skill Skill', 'read Read']],
  ['pi', 'pi', ['read read', 'read read', 'edit write']],
];

describe('the actions of agents', () => {
  it.each(recorded)('of %s are distinguished in one vocabulary', (folder, format, expected) => {
    const { events } = playLines(streamFormats[format], actions(folder));
    expect(actionsIn(events)).toEqual(expected);
    expect(events.some((event) => event.type === 'message' && event.text.includes('SUBTASK-ZED'))).toBe(false);
  });

  it.each(recorded)('of %s are of kinds that it declares, sub-agents included', (folder, format) => {
    const { events } = playLines(streamFormats[format], actions(folder));
    const declared = reportsOfFormat(format);
    const made = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []));
    for (const { kind } of made) expect(declared).toContain(`${kind}-calls`);
    if (made.some(({ actor }) => actor !== undefined)) expect(declared).toContain('subagent-calls');
  });

  it('of the protocol for agents are of the kind that the agent names', () => {
    const update = (toolCallId: string, kind: string | undefined): string =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'session/update',
        params: {
          update: { sessionUpdate: 'tool_call', toolCallId, title: 'edit', kind, rawInput: {}, status: 'completed' },
        },
      });
    const kinds = ['read', 'delete', 'move', 'search', 'fetch', 'think', 'other', undefined];
    const lines = kinds.map((kind, index) => update(String(index), kind));
    const { events } = playLines(streamFormats.acp, lines);
    expect(actionsIn(events).map((action) => action.split(' ')[0])).toEqual([
      ...['read', 'edit', 'edit', 'search', 'fetch', 'other', 'other', 'other'],
    ]);
    const unlisted = events.flatMap((event) => (event.type === 'tool-call' ? [event.isUnlistedTool ?? false] : []));
    expect(unlisted).toEqual([...Array<boolean>(6).fill(false), true, true]);
  });

  it('with a tool that is not listed are other and marked, whatever its name', () => {
    const lists = agentKinds.flatMap(({ reports }) => reports.actions ?? []);
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...lists), (tool, list) => {
        const { kind, isUnlistedTool } = actionOf(list, tool);
        if (Object.hasOwn(list.tools, tool)) expect([kind, isUnlistedTool]).toEqual([list.tools[tool], undefined]);
        else if (tool.startsWith('mcp_')) expect(['mcp', 'other']).toContain(kind);
        else expect([kind, isUnlistedTool]).toEqual(['other', true]);
        const event = { type: 'tool-call', at: 0, seenBy: 'agent', callId: 'c', tool, input: {}, kind, isUnlistedTool };
        expect(traceEventSchema.safeParse(event).error).toBeUndefined();
      }),
      { seed: 8 },
    );
  });
});

describe('the reports of agents about actions', () => {
  it('are made by every kind of agent that prints its calls, and by no other', () => {
    const silent = agentKinds.filter((kind) => !reportsOf(kind).includes('tool-calls')).map(({ name }) => name);
    expect(silent).toEqual(['continue', 'command']);
  });

  it('leave out what an agent has no tool for, and sub-agents that it does not show', () => {
    const codex = reportsOfFormat('codex');
    expect(codex).not.toContain('read-calls');
    expect(codex).not.toContain('skill-calls');
    expect(codex).not.toContain('subagent-calls');
    expect(reportsOfFormat('claude')).toEqual(
      expect.arrayContaining([...actionKindSchema.options.map((kind) => `${kind}-calls`), 'subagent-calls']),
    );
    expect(reportsOfActions({ tools: {}, subagents: 'none' })).toContain('subagent-calls');
    expect(reportsOfFormat('continue')).toEqual([]);
    expect(reportsOfFormat('text')).toEqual([]);
  });
});
