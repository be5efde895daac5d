import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../domain/trace.ts';
import { readImport, reported } from '../../../testing/fakes/load/read-import.ts';

const sessions = new URL('fixtures-sessions/', import.meta.url);

/** The files of a session by their paths in its folder, as the agents wrote them; long texts are cut. */
function filesOf(agent: string): Record<string, string> {
  const folder = new URL(`${agent}/`, sessions);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
}

/** Every call with its kind, who made it and what answered. */
function callsIn(trace: readonly TraceEvent[]): string[] {
  return trace.flatMap((event) => {
    if (event.type !== 'tool-call') return [];
    const answer = trace.find((other) => other.type === 'tool-result' && other.callId === event.callId);
    const by = event.actor === undefined ? '' : ` by ${event.actor} of ${event.parentCallId}`;
    const exit = answer?.type === 'tool-result' ? (answer.exitCode ?? 'answered') : 'not answered';
    return [`${event.kind} ${event.shellCommand ?? event.tool}${by}: ${exit}`];
  });
}

function tokensIn(trace: readonly TraceEvent[]): number[] {
  const used = trace.flatMap((event) => (event.type === 'usage' ? [event] : []));
  return [
    used.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0),
    used.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0),
  ];
}

describe('a stored session of Codex', () => {
  const [main = '', sub = ''] = Object.keys(filesOf('codex'));
  const files = filesOf('codex');

  it('has the calls of the agent and of its sub-agent, with the tokens of both', async () => {
    const { format, trials, problems } = await readImport(files[main] ?? '', {
      name: main,
      beside: { [sub]: files[sub] ?? '' },
    });
    expect({ format, problems }).toEqual({ format: 'codex-rollout', problems: [] });
    const trace = trials[0]?.trace ?? [];
    expect(trials[0]?.variant).toEqual({ agent: 'codex', model: 'test-model' });
    expect(callsIn(trace)).toEqual([
      'delegate spawn_agent: answered',
      'shell cat .agents/skills/canary-agents/SKILL.md: 0',
      'shell cat notes.txt by Anscombe of call_000001_1: 0',
      'shell sleep 2: 0',
    ]);
    expect(tokensIn(trace)).toEqual([20_637 + 10_212, 32 + 8]);
    expect(trace.flatMap((event) => (event.type === 'message' && event.role !== 'system' ? [event.text] : []))).toEqual(
      ['Do the zebra thing.', 'All done.'],
    );
    expect(trace.at(-1)).toMatchObject({ type: 'agent-ended', completed: true });
  });

  it('without the file of its sub-agent says so', async () => {
    const read = await readImport(files[main] ?? '', { name: main });
    expect(reported(read)).toEqual([
      expect.stringMatching(/^warning \d+: the rollout of sub-agent \S+ is not beside this file$/),
    ]);
  });

  it('that is none is refused with what is missing', async () => {
    const lines = (files[main] ?? '').split('\n').filter((line) => !line.includes('session_meta'));
    const unknown = await readImport(lines.join('\n'), { name: 'rollout.jsonl' });
    expect(reported(unknown)[0]).toContain(
      'codex-rollout needs a first line `session_meta` with the `id` of the session',
    );
    const wrong = await readImport(lines.join('\n'), { format: 'codex-rollout' });
    expect(reported(wrong)).toContain('1: not a session: the line `session_meta` is missing');
    expect(wrong.trials).toEqual([]);
  });
});

describe('a stored session of Claude Code', () => {
  const files = filesOf('claude');
  const main = Object.keys(files).find((name) => !name.includes('/')) ?? '';

  it('has the calls of the agent and of its sub-agent, with the tokens of both', async () => {
    const { format, trials, problems } = await readImport(files[main] ?? '', { name: main, beside: files });
    expect({ format, problems }).toEqual({ format: 'claude-session', problems: [] });
    const trace = trials[0]?.trace ?? [];
    expect(callsIn(trace)).toEqual([
      'delegate Agent: answered',
      'shell cat notes.txt by general-purpose of call_000001_1: 0',
      'skill Skill: answered',
      'shell cat .claude/skills/canary-claude/SKILL.md: 0',
    ]);
    expect(tokensIn(trace)).toEqual([3_110 + 1_901 + 2_301 + 3_185 + 3_250 + 3_299, 25 + 12 + 2 + 7 + 19 + 3]);
    expect(trace.at(-1)).toMatchObject({ type: 'agent-ended', completed: true });
  });

  it('without the file of its sub-agent does not claim to know its calls', async () => {
    const read = await readImport(files[main] ?? '', { name: main });
    expect(reported(read)).toEqual([
      'warning 1: the calls of 1 sub-agent are not known: their files are not beside the session',
    ]);
    expect(read.trials[0]?.reports).not.toContain('subagent-calls');
  });
});
