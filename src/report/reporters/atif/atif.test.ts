import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { TraceEvent } from '../../../domain/trace.ts';
import { eventsIn, readImport } from '../../../testing/fakes/load/read-import.ts';
import { hostileTexts, rendered, reporterNamed, type TrialChanges } from '../../../testing/support/rendered.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';

/** The members that the specification lists for version 1.7; it allows no others. */
const extra = z.record(z.string(), z.unknown()).optional();
const toolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});
const result = z.strictObject({
  source_call_id: z.string().optional(),
  content: z.string().optional(),
  subagent_trajectory_ref: z.array(z.strictObject({ trajectory_id: z.string() })).optional(),
  extra,
});
const count = z.int().min(0);
const metrics = z.strictObject({
  prompt_tokens: count.optional(),
  completion_tokens: count.optional(),
  cached_tokens: count.optional(),
  cost_usd: z.number().optional(),
  extra,
});
const step = z.strictObject({
  step_id: z.int().min(1),
  timestamp: z.iso.datetime().optional(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: z.string().optional(),
  message: z.string(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(toolCall).optional(),
  observation: z.strictObject({ results: z.array(result) }).optional(),
  metrics: metrics.optional(),
  extra,
});
const trajectory = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string(),
  trajectory_id: z.string(),
  agent: z.strictObject({ name: z.string(), version: z.string(), model_name: z.string().optional(), extra }),
  steps: z.array(step).min(1),
  final_metrics: z
    .strictObject({
      total_prompt_tokens: count.optional(),
      total_completion_tokens: count.optional(),
      total_cost_usd: z.number().optional(),
      total_steps: count,
    })
    .optional(),
  get subagent_trajectories() {
    return z.array(trajectory).optional();
  },
  extra,
});
type Trajectory = z.infer<typeof trajectory>;

const agentOnly = ['model_name', 'reasoning_content', 'tool_calls', 'metrics'] as const;

/** The rules of the specification that concern several members. */
function checkRules({ steps, subagent_trajectories: embedded = [] }: Trajectory): void {
  const ids = embedded.map(({ trajectory_id }) => trajectory_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [index, each] of steps.entries()) {
    expect(each.step_id).toBe(index + 1);
    if (each.source !== 'agent') for (const member of agentOnly) expect(each).not.toHaveProperty(member);
    const calls = (each.tool_calls ?? []).map(({ tool_call_id }) => tool_call_id);
    expect(new Set(calls).size).toBe(calls.length);
    for (const { source_call_id, subagent_trajectory_ref: references = [] } of each.observation?.results ?? []) {
      expect(calls).toContain(source_call_id);
      for (const { trajectory_id } of references) expect(ids).toContain(trajectory_id);
    }
  }
  embedded.forEach(checkRules);
}

async function written(...trials: readonly TrialChanges[]): Promise<{ text: string; documents: Trajectory[] }> {
  const text = await rendered(reporterNamed('atif'), trials);
  const documents = text
    .trimEnd()
    .split('\n')
    .map((line) => trajectory.parse(JSON.parse(line)));
  documents.forEach(checkRules);
  return { text, documents };
}

const by = { seenBy: 'agent' } as const;
const started: TraceEvent = {
  ...{ type: 'agent-started', at: 0, seenBy: 'engine', agent: 'codex', version: '1.2', model: 'm-1' },
  ...{ isolation: 'none', isScripted: false, reports: [] },
};
const ended: TraceEvent = {
  ...{ type: 'agent-ended', at: 50, seenBy: 'engine', exitCode: null, signal: null, timedOut: false },
  ...{ completed: true, reason: null },
};
const command: TraceEvent = {
  ...{ type: 'command', at: 20, seenBy: 'recorder', argv: ['track', '--id', '7'], cwd: '.', durationMs: 5 },
  ...{ exitCode: 3, signal: null, stdout: null, stderr: null, isNested: false },
};
const work: TraceEvent[] = [
  { type: 'message', at: 1, seenBy: 'engine', role: 'user', text: 'Where is it?' },
  { type: 'reasoning', at: 2, ...by, text: 'I must look.' },
  { type: 'message', at: 3, ...by, role: 'assistant', text: 'Let me see.' },
  { type: 'tool-call', at: 5, ...by, callId: 'c1', tool: 'Task', input: { id: 7 }, kind: 'delegate' },
  { type: 'usage', at: 6, ...by, inputTokens: 100, outputTokens: 5, cachedInputTokens: 40, costUsd: 0.5, model: 'm-1' },
  {
    ...{ type: 'tool-call', at: 7, ...by, callId: 's1', tool: 'Bash', input: { command: 'ls' }, kind: 'shell' },
    ...{ shellCommand: 'ls', actor: 'explorer', parentCallId: 'c1' },
  },
  { type: 'tool-result', at: 8, ...by, callId: 's1', durationMs: 1, result: 'a.txt', exitCode: 0 },
  { type: 'tool-result', at: 9, ...by, callId: 'c1', durationMs: 4, result: { found: ['a.txt'] } },
  { type: 'tool-call', at: 10, ...by, callId: 'c2', tool: 'track', input: 'plain words' },
  { type: 'tool-result', at: 11, ...by, callId: 'c2', durationMs: 1, error: { message: 'no id', code: 4 } },
  { type: 'message', at: 30, ...by, role: 'assistant', text: 'It is in Oslo.' },
  { type: 'usage', at: 31, ...by, inputTokens: 120, outputTokens: 6 },
];
const trial: TrialChanges = {
  trace: [started, ...work, command, ended],
  variant: { agent: 'codex', model: 'm-1' },
  durationMs: 60,
  usage: { inputTokens: 220, outputTokens: 11 },
};

describe('ATIF trajectories', () => {
  it('keep to the specification, with steps, calls, observations and a trajectory for each sub-agent', async () => {
    const { documents } = await written(trial);
    expect(documents).toHaveLength(1);
    const [document] = documents;
    expect(document?.agent).toEqual({ name: 'codex', version: '1.2', model_name: 'm-1' });
    expect(document?.steps.map(({ source, message, tool_calls }) => [source, message, tool_calls?.length])).toEqual([
      ['user', 'Where is it?', undefined],
      ['agent', 'Let me see.', 1],
      ['agent', '', 1],
      ['agent', 'It is in Oslo.', undefined],
    ]);
    expect(document?.steps[1]).toMatchObject({
      reasoning_content: 'I must look.',
      metrics: { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 40, cost_usd: 0.5 },
      observation: { results: [{ source_call_id: 'c1', content: '{"found":["a.txt"]}' }] },
    });
    const [subagent] = document?.subagent_trajectories ?? [];
    expect(document?.steps[1]?.observation?.results[0]?.subagent_trajectory_ref).toEqual([
      { trajectory_id: subagent?.trajectory_id },
    ]);
    expect(subagent).toMatchObject({
      agent: { name: 'explorer' },
      steps: [{ tool_calls: [{ function_name: 'Bash', arguments: { command: 'ls' } }] }],
    });
    expect(document?.final_metrics).toMatchObject({ total_prompt_tokens: 220, total_completion_tokens: 11 });
  });

  it('leave unknown figures out, and name the events that the format has no place for', async () => {
    const { documents } = await written({ ...trial, usage: null, costUsd: null }, { trace: [], usage: null });
    expect(documents[0]?.final_metrics).toEqual({ total_steps: 4 });
    expect(documents[0]?.extra).toMatchObject({ assay: { leftOut: { command: 1 } } });
    expect(documents[1]?.steps).toEqual([
      { step_id: 1, source: 'system', message: '', extra: { assay: { isEmpty: true } } },
    ]);
  });

  it('come back as the same trial when they are imported', async () => {
    const { text } = await written(trial);
    const { format, trials, problems } = await readImport(text, { name: 'trajectories.jsonl' });
    expect({ format, problems }).toEqual({ format: 'atif', problems: [] });
    expect(trials).toHaveLength(1);
    expect(trials[0]).toMatchObject({
      scenario: 'sample',
      caseId: 'case-0',
      repeat: 1,
      variant: { agent: 'codex', model: 'm-1' },
      startedAt: 1_700_000_000_001,
      durationMs: 60,
      usage: { inputTokens: 220, outputTokens: 11 },
      verdict: { state: 'pass' },
    });
    // Requests without figures are kept as such: their tokens are not all known.
    const { gap, ...kept } = inKinds(eventsIn(trials[0]));
    expect(gap).toMatchObject([{ channels: ['usage'] }, { channels: ['cost'] }]);
    expect(kept).toEqual(inKinds([started, ...work, ended].map(withoutTime)));
  });

  it('carry whatever is said', async () => {
    for (const text of hostileTexts) {
      const message: TraceEvent = { type: 'message', at: 0, ...by, role: 'assistant', text };
      const { documents } = await written({ trace: [message], scenario: text, reason: text });
      expect(documents[0]?.steps[0]?.message).toBe(text);
    }
    const lone: TraceEvent = { type: 'message', at: 0, ...by, role: 'assistant', text: 'x\uD800y' };
    expect((await written({ trace: [lone] })).text).not.toMatch(/\\ud8/i);
  });

  it('keep messages, calls, answers and tokens of any trace through export and import', async () => {
    await fc.assert(
      fc.asyncProperty(anyWork, async (events) => {
        const { text } = await written({ ...trial, trace: [started, ...events, command, ended] });
        const { trials, problems } = await readImport(text, { name: 'trajectories.jsonl' });
        expect(problems).toEqual([]);
        const { gap: _gap, usage, ...kept } = inKinds(eventsIn(trials[0]));
        const { usage: reported, ...expected } = inKinds([started, ...events, ended].map(withoutTime));
        expect(kept).toEqual(expected);
        if (reported) expect(usage).toEqual(reported);
      }),
      { seed: 16, numRuns: repetitions({ usual: 15, inFull: 60 }) },
    );
  });
});

function withoutTime({ at: _at, seenBy: _seenBy, ...event }: TraceEvent): object {
  return event;
}

/** Steps order what happened within them by kind, so each kind is compared in its own order. */
function inKinds(events: readonly object[]): Record<string, object[]> {
  const kinds: Record<string, object[]> = {};
  for (const event of events as (object & { type: string })[]) {
    const isCall = event.type === 'tool-call' || event.type === 'tool-result';
    const list = [...(kinds[event.type] ?? []), event];
    kinds[event.type] = isCall ? list.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) : list;
  }
  return kinds;
}

const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '');
const anyInput = fc.oneof(
  fc.record({ path: word, depth: fc.nat() }),
  fc.constant({}),
  word,
  fc.constant(null),
  fc.array(fc.nat(), { maxLength: 3 }),
);
const anyAnswer = fc.oneof(
  word.map((text) => ({ result: text })),
  fc.record({ rows: fc.array(fc.nat(), { maxLength: 3 }) }).map((rows) => ({ result: rows })),
  word.map((message) => ({ error: { message } })),
  fc.constant({ result: null }),
  fc.constant({}),
);

/** A call by the main agent or by a sub-agent that an earlier call started, and its answer unless there is none. */
const anyCall = fc.record({
  tool: word,
  input: anyInput,
  kind: fc.constantFrom('read', 'edit', 'search', 'delegate', 'other', undefined),
  answer: fc.option(anyAnswer, { nil: undefined }),
  ofSubagent: fc.option(fc.record({ actor: word, parent: fc.nat(5) }), { nil: undefined }),
});
const anyStep = fc.oneof(
  fc.tuple(fc.constant('user' as const), word),
  fc.tuple(fc.constant('say' as const), word),
  fc.tuple(fc.constant('think' as const), word),
  fc.tuple(fc.constant('call' as const), anyCall),
  fc.tuple(fc.constant('use' as const), fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() })),
);

const anyWork = fc.array(anyStep, { maxLength: 20 }).map((steps) => {
  const events: TraceEvent[] = [];
  const callIds: string[] = [];
  for (const [at, [what, part]] of steps.entries()) {
    if (what === 'user') events.push({ type: 'message', at, seenBy: 'engine', role: 'user', text: part });
    else if (what === 'say') events.push({ type: 'message', at, ...by, role: 'assistant', text: part });
    else if (what === 'think') events.push({ type: 'reasoning', at, ...by, text: part });
    else if (what === 'use') events.push({ type: 'usage', at, ...by, ...part });
    else {
      const callId = `c${at}`;
      const { tool, input, kind, answer, ofSubagent } = part;
      const parentCallId = ofSubagent && callIds[ofSubagent.parent % Math.max(1, callIds.length)];
      const caller = ofSubagent && { actor: ofSubagent.actor, ...(parentCallId !== undefined && { parentCallId }) };
      events.push({ type: 'tool-call', at, ...by, callId, tool, input, ...(kind && { kind }), ...caller });
      callIds.push(callId);
      if (answer) events.push({ type: 'tool-result', at, ...by, callId, durationMs: 3, ...answer });
    }
  }
  return events;
});
