import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { sampleTrace } from '../../testing/fakes/keep/sample-trial.ts';
import { humanTranscript } from './transcripts.ts';

const at = { at: 0, seenBy: 'agent' } as const;
const linesOf = (...trace: TraceEvent[]): string[] => [...humanTranscript(trace)];

describe('humanTranscript', () => {
  const lines = [...humanTranscript(sampleTrace)];

  it('shows how the agent started and ended', () => {
    expect(lines).toContain('[00:00.1] Agent codex 0.166.0 starts (model openai/gpt-5, isolation bubblewrap)');
    expect(lines).toContain('[00:12.1] Agent ended (timed out, 3 turns), not completed: time was up');
  });

  it('shows commands with their exit codes and what they answered', () => {
    const command = lines.indexOf('[00:03.0] $ notes add cats');
    expect(lines.slice(command, command + 3)).toEqual([
      '[00:03.0] $ notes add cats',
      '    → exit 2 (100 ms)',
      '    | no store',
    ]);
    expect(lines).toContain("[00:03.0] Recorded: notes add 'two cats' → exit 2 (40 ms)");
    expect(lines).toContain('[00:00.0] Setup: notes init → exit 0 (20 ms)');
  });

  it('shows other tools with their input, and calls without a result', () => {
    const call = lines.indexOf('[00:03.2] Read {"path":"README.md"}');
    expect(lines[call + 1]).toBe('    → no answer');
  });

  it('counts turns', () => {
    expect(lines.filter((line) => line.includes('turn '))).toEqual([
      '\n── turn 1 ──',
      '\n── turn 2 ──',
      '\n── turn 3 ──',
    ]);
  });

  it('shortens long answers and keeps both ends', () => {
    const result = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join('\n');
    const lines = linesOf(
      { type: 'tool-call', ...at, callId: 'a', tool: 'Bash', input: {}, shellCommand: 'cat x' },
      { type: 'tool-result', ...at, callId: 'a', durationMs: 1, result },
    );
    expect(lines).toContain('    | … 976 lines left out …');
    expect(lines).toContain('    | line 0');
    expect(lines).toContain('    | line 999');
    expect(lines.length).toBeLessThan(30);
    expect(lines).toContain('    → answered (1 ms)');
  });

  it('stays small for a megabyte on one line', () => {
    const text = linesOf({ type: 'message', ...at, role: 'assistant', text: 'x'.repeat(1_000_000) }).join('\n');
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain('(999,600 more characters)');
  });

  it('lets no output steer the terminal or pass for another line', () => {
    const text = linesOf({
      type: 'output',
      ...at,
      channel: 'stdout',
      truncatedBytes: 0,
      text: '\u001B[2Ja\rb\u0007c\n[00:00.0] Note: x',
    });
    expect(text).toEqual(['[00:00.0] stdout:', '    a', '    b\uFFFDc', '    [00:00.0] Note: x']);
  });

  it('shows text parts as text, errors as their message, and an answer whose call is unknown', () => {
    const answer = { type: 'tool-result', ...at, durationMs: 1 } as const;
    const parts = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    expect(linesOf({ ...answer, callId: 'a', result: parts })).toEqual([
      '[00:00.0] Answer to an unknown call:',
      '    → answered (1 ms)',
      '    | one',
      '    | two',
    ]);
    expect(linesOf({ ...answer, callId: 'a', error: { message: 'denied' } })).toContain('    | denied');
    expect(linesOf({ ...answer, callId: 'a', exitCode: null })).toContain('    → exit code unknown (1 ms)');
  });
});
