import { describe, expect, it } from 'vitest';
import { eventsIn, gapsOf, readImport, recordOf, reported } from '../../../../testing/fakes/load/read-import.ts';

const agent = { name: 'terminus-2', version: '2.0', model_name: 'acme/m-1' };
const call = { tool_call_id: 'c1', function_name: 'bash', arguments: { command: 'ls' } };
const answered = { results: [{ source_call_id: 'c1', content: 'a.txt' }] };
const user = { step_id: 1, source: 'user', message: 'List the files.', timestamp: '2026-01-02T03:04:05Z' };
const acted = {
  ...{ step_id: 2, source: 'agent', message: 'Now.', timestamp: '2026-01-02T03:04:07Z', reasoning_content: 'ls' },
  ...{ tool_calls: [call], observation: answered, metrics: { prompt_tokens: 10, completion_tokens: 2 } },
};
const reply = {
  step_id: 3,
  source: 'agent',
  message: 'One file.',
  metrics: { prompt_tokens: 20, completion_tokens: 3 },
};

function document(changes: object = {}): Record<string, unknown> {
  return { schema_version: 'ATIF-v1.4', session_id: 's-1', agent, steps: [user, acted, reply], ...changes };
}

const read = (changes: object = {}) => readImport(JSON.stringify(document(changes), null, 2), { name: 't.json' });

describe('ATIF import', () => {
  it('reads messages, reasoning, calls, observations and tokens', async () => {
    const { format, trials, problems } = await read();
    expect({ format, problems }).toEqual({ format: 'atif', problems: [] });
    expect(trials[0]).toMatchObject({
      caseId: 's-1',
      variant: { agent: 'terminus-2', model: 'acme/m-1' },
      verdict: undefined,
      startedAt: Date.parse('2026-01-02T03:04:05Z'),
      durationMs: 2_000,
    });
    expect(recordOf(trials[0])).toMatchObject({ usage: { inputTokens: 30, outputTokens: 5 }, costUsd: null });
    expect(eventsIn(trials[0])).toMatchObject([
      { type: 'agent-started', agent: 'terminus-2', version: '2.0' },
      { type: 'message', role: 'user', text: 'List the files.' },
      { type: 'reasoning', text: 'ls' },
      { type: 'message', role: 'assistant', text: 'Now.' },
      { type: 'tool-call', callId: 'c1', tool: 'bash', input: { command: 'ls' }, shellCommand: 'ls' },
      { type: 'usage', inputTokens: 10, outputTokens: 2 },
      { type: 'tool-result', callId: 'c1', result: 'a.txt' },
      { type: 'message', role: 'assistant', text: 'One file.' },
      { type: 'usage', inputTokens: 20, outputTokens: 3 },
    ]);
  });

  it.each(Array.from({ length: 9 }, (_, minor) => `ATIF-v1.${minor}`))('reads version %s', async (schema_version) => {
    const { format, trials } = await read({ schema_version });
    expect(format).toBe('atif');
    expect(trials).toHaveLength(1);
  });

  it('refuses versions that are not documented, and documents without steps', async () => {
    expect(reported(await read({ schema_version: 'ATIF-v1.9' }))).toEqual([
      '2: `schema_version` "ATIF-v1.9" is not supported: versions ATIF-v1.0 to ATIF-v1.8 are',
    ]);
    expect(reported(await read({ schema_version: 'ATIF-v2.0' }))).toHaveLength(1);
    expect(reported(await read({ steps: undefined }))).toEqual(['2: not a trajectory: `steps` is not a list']);
    expect(reported(await read({ steps: [user, 7, { source: 'tool', message: '' }] }))).toEqual([
      '2: step 2 is not an object',
      '2: step 3 does not have the next `step_id`',
      '2: step 3 has no valid `source`',
    ]);
  });

  it('invents no figure: a missing one makes the sum unknown, and totals of the file come first', async () => {
    const half = { ...reply, metrics: { prompt_tokens: 20 } };
    const none = { ...reply, metrics: undefined };
    const free = { ...none, llm_call_count: 0 };
    const usageOf = async (changes: object) => recordOf((await read(changes)).trials[0]).usage;
    expect(await usageOf({ steps: [acted, half] })).toBeNull();
    expect(await usageOf({ steps: [acted, none] })).toBeNull();
    expect(await usageOf({ steps: [none] })).toBeNull();
    expect(await usageOf({ steps: [acted, free] })).toEqual({ inputTokens: 10, outputTokens: 2 });
    const final_metrics = { total_prompt_tokens: 99, total_completion_tokens: 9, total_cost_usd: 0.25 };
    expect((await read({ steps: [half], final_metrics })).trials[0]).toMatchObject({
      usage: { inputTokens: 99, outputTokens: 9 },
      costUsd: 0.25,
    });
  });

  it('reads embedded sub-agents as calls of an actor, and names those that are elsewhere', async () => {
    const inner = {
      trajectory_id: 'sub',
      agent: { name: 'explorer', version: '1' },
      steps: [{ ...acted, step_id: 1 }],
    };
    const delegated = {
      ...{ step_id: 2, source: 'agent', message: '', tool_calls: [{ ...call, tool_call_id: 'd1' }] },
      observation: {
        results: [
          {
            source_call_id: 'd1',
            subagent_trajectory_ref: [{ trajectory_id: 'sub' }, { trajectory_path: 'other/trajectory.json' }],
          },
        ],
      },
    };
    const subagent_trajectories = [{ ...document(), ...inner }];
    const changes = { schema_version: 'ATIF-v1.7', steps: [user, delegated], subagent_trajectories };
    const answer = await read(changes);
    expect(gapsOf(answer.trials[0])).toEqual([
      expect.stringContaining('the trajectory of a sub-agent is not in this file: other/trajectory.json'),
      'tokens: 1 of 2 requests have no tokens',
    ]);
    const events = eventsIn(answer.trials[0]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-call', callId: 'c1', actor: 'explorer', parentCallId: 'd1' }),
    );
    // A reference is not an answer, and the words of a sub-agent are not those of the agent.
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'tool-result', callId: 'd1' }));
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'message', role: 'assistant' }));
  });

  it('counts no step that was copied from an earlier trajectory', async () => {
    const { trials } = await read({ steps: [{ ...acted, is_copied_context: true }, reply] });
    const events = eventsIn(trials[0]);
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'tool-call' }));
    expect(events).toContainEqual(expect.objectContaining({ type: 'other', kind: 'copied-context' }));
    expect(recordOf(trials[0]).usage).toEqual({ inputTokens: 20, outputTokens: 3 });
  });

  it('reads content parts, observations without a call, and says where a trajectory continues', async () => {
    const source = { media_type: 'image/png', path: 'images/a.png' };
    const message = [
      { type: 'text', text: 'See:' },
      { type: 'image', source },
    ];
    const observed = { step_id: 2, source: 'system', message: '', observation: { results: [{ content: 'ready' }] } };
    const answer = await read({ steps: [{ ...user, message }, observed], continued_trajectory_ref: 'next.json' });
    expect(eventsIn(answer.trials[0]).slice(1)).toMatchObject([
      { type: 'message', text: 'See:\n[image images/a.png]' },
      { type: 'other', kind: 'observation' },
      { type: 'gap', reason: 'the trajectory continues in next.json' },
    ]);
  });
});
