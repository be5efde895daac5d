import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Trace, TraceEvent } from '../../../domain/trace.ts';
import { createWork, gateResult } from '../../../testing/fakes/score/work.ts';
import { noTranscriptErrors } from './no-transcript-errors.ts';

function command(exitCode: number, ...args: string[]): TraceEvent {
  const printed = { text: '', truncatedBytes: 0 };
  return {
    type: 'command',
    at: 1,
    seenBy: 'recorder',
    argv: ['tasks', ...args],
    cwd: '.',
    durationMs: 5,
    exitCode,
    signal: null,
    stdout: printed,
    stderr: printed,
    isNested: false,
  };
}

async function look(trace: Trace, transcript: string | undefined): Promise<[boolean, string]> {
  await using work = await createWork(trace);
  if (transcript !== undefined) await writeFile(join(work.directory, '..', 'transcript.raw.txt'), transcript);
  const { passed, message } = await gateResult(noTranscriptErrors, {}, work.context);
  return [passed, message];
}

describe('no_transcript_errors', () => {
  it('passes when no command of the tool failed', async () => {
    const [passed, message] = await look([command(0, 'add'), command(1, 'add', '--help')], '');
    expect([passed, message]).toEqual([true, 'none of 2 commands of tasks failed']);
  });

  it('fails when one did, and names it', async () => {
    const [passed, message] = await look([command(0, 'add'), command(2, 'list'), command(1, 'list')], '');
    expect(passed).toBe(false);
    expect(message).toMatch(/^2 of 3 commands of tasks failed, wanted none: list 2 x/);
  });

  it('passes when the agent never used the tool', async () => {
    expect(await look([], 'I would rather not.')).toEqual([true, 'no command of tasks was observed']);
  });

  it('cannot be judged when there is nothing to look at', async () => {
    await expect(look([], undefined)).rejects.toMatchObject({ code: 'NOT_OBSERVED' });
  });

  it('takes a description and nothing else', () => {
    expect(noTranscriptErrors.configSchema.safeParse({ description: 'clean' }).success).toBe(true);
    expect(noTranscriptErrors.configSchema.safeParse({ command: 'x' }).success).toBe(false);
  });
});
