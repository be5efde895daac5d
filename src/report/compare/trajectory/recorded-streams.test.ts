import { describe, expect, it } from 'vitest';
import { type StreamFormat, streamFormats } from '../../../drive/agents/stream-formats.ts';
import { fixtureLines, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { type Step, stepsOf } from './steps.ts';
import { diffTrajectories } from './trajectory-diff.ts';

const folders = {
  claude: 'claude-code/fixtures/ok',
  qwen: 'qwen/fixtures/ok',
  codex: 'codex/fixtures/ok',
  opencode: 'opencode/fixtures/ok',
  gemini: 'gemini/fixtures/ok',
  pi: 'pi/fixtures/ok',
  copilot: 'copilot/fixtures/ok',
  kimi: 'kimi/fixtures/ok',
  cline: 'cline/fixtures/ok',
  continue: 'continue/fixtures/ok',
  acp: 'acp/fixtures/gemini',
} satisfies Partial<Record<StreamFormat, string>>;

const formats = Object.keys(folders) as (keyof typeof folders)[];

function recordedSteps(format: keyof typeof folders): Step[] {
  const lines = fixtureLines(new URL(`../../../drive/agents/${folders[format]}.jsonl`, import.meta.url));
  return stepsOf(traceOf(...playLines(streamFormats[format], lines).events));
}

describe('trajectories of recorded agents', () => {
  it.each(formats)('%s: is the same as itself, and differs from any other', (format) => {
    const steps = recordedSteps(format);
    expect(steps.length).toBeGreaterThan(0);
    expect(diffTrajectories(steps, recordedSteps(format)).counts.same).toBe(steps.length);
    for (const other of formats) {
      const { rows } = diffTrajectories(steps, recordedSteps(other));
      expect(rows.flatMap(({ a }) => a ?? [])).toHaveLength(steps.length);
    }
  });

  it('finds the command that was left out, and the one that fails', () => {
    const steps = recordedSteps('claude');
    const place = steps.findIndex(({ kind }) => kind === 'call');
    const without = steps.filter((_, index) => index !== place);
    expect(diffTrajectories(steps, without).rows[place]).toMatchObject({ status: 'dropped', a: { kind: 'call' } });
    const failing = steps.map((step, index) => (index === place ? { ...step, state: 'failed' as const } : step));
    expect(diffTrajectories(steps, failing).rows[place]?.status).toBe('failed-now');
  });
});
