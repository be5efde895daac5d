import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunEvent } from '../../domain/run.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import { Screen } from '../../testing/support/screen.ts';
import type { CliContext } from './context.ts';
import { createProgress, type Progress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function began(ordinal: number, scenario = 'Search orders'): RunEvent {
  const { trialId } = finishedTrial('r-1', ordinal).record;
  return { type: 'trial-started', trialId, scenario, caseId: `case ${ordinal}`, variant: {}, repeat: 1 };
}

function did(ordinal: number, action: string): RunEvent {
  return { type: 'trial-action', trialId: finishedTrial('r-1', ordinal).record.trialId, action };
}

function ended(ordinal: number, changes: Partial<TrialRecord> = {}): RunEvent {
  return { type: 'trial-finished', record: { ...finishedTrial('r-1', ordinal).record, ...changes } };
}

function open(stderr: Writable, env: CliContext['env'] = {}): Progress {
  return createProgress({ stderr, env } as unknown as CliContext);
}

function start(progress: Progress, planned: number): void {
  const run = runHeader('r-1', { planned });
  progress.listen({ type: 'run-started', run, alreadyStored: 0, concurrency: 4 });
}

describe.each([60, 80, 200])('progress on a terminal of %i columns', (columns) => {
  it('shows from the first moment that something goes on', () => {
    const screen = new Screen(columns);
    using progress = open(screen);
    expect(screen.text).toBe('  starting  0:00');
    start(progress, 2);
    expect(screen.text).toMatch(/^ {2}(starting|0\/2)/);
  });

  it('shows elapsed time and last action of a trial while nothing else happens', () => {
    const screen = new Screen(columns);
    using progress = open(screen);
    start(progress, 40);
    progress.listen(began(1));
    progress.listen(did(1, '$ npm install'));
    vi.advanceTimersByTime(125_000);
    expect(screen.text).toBe('  0/40  ✓ 0  1 running  2:05\n     2:05  Search orders › case 1  $ npm install');
    progress.listen(did(1, '$ npm test'));
    vi.advanceTimersByTime(60_000);
    expect(screen.text).toContain('3:05  Search orders › case 1  $ npm test');
  });

  it('keeps every line inside the terminal, and the counts on it', () => {
    const screen = new Screen(columns);
    using progress = open(screen);
    start(progress, 12_000);
    for (let ordinal = 0; ordinal < 30; ordinal++) {
      progress.listen(began(ordinal, `検索 ${'a scenario with a long name '.repeat(8)}`));
      progress.listen(did(ordinal, `$ ${'very long command '.repeat(20)}`));
    }
    vi.advanceTimersByTime(5_000);
    for (let ordinal = 0; ordinal < 5; ordinal++) {
      progress.listen(ended(ordinal, { costUsd: 1.25, durationMs: 4_000, ...(ordinal === 1 && { outcome: 'fail' }) }));
    }
    vi.advanceTimersByTime(1_000);
    const lines = screen.text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    const status = lines.findIndex((line) => line.includes('5/12,000'));
    expect(lines[status]).toMatch(/^ {2}5\/12,000 {2}✓ 4 {2}✗ 1 .*\$6\.25 .*left$/);
    // A problem for good above, then the status, seven trials and how many more there are.
    expect(lines.slice(0, status)).toEqual([expect.stringMatching(/^ {2}✗ /)]);
    expect(lines.slice(status + 1)).toHaveLength(8);
    expect(lines.at(-1)).toBe('    and 18 more trials');
  });

  it('leaves nothing behind but problems and what others printed', () => {
    const screen = new Screen(columns);
    using progress = open(screen);
    start(progress, 2);
    progress.listen(began(1));
    vi.advanceTimersByTime(3_000);
    progress.print('  warning: something\n');
    progress.listen(ended(1));
    progress[Symbol.dispose]();
    vi.advanceTimersByTime(10_000);
    expect(screen.text).toBe('  warning: something\n');
  });
});

describe('progress on a terminal', () => {
  it('is drawn on a terminal whose size is not known', () => {
    const drawn: string[] = [];
    const stderr = { isTTY: true, columns: 0, rows: 0, write: (text: string) => drawn.push(text) };
    using progress = open(stderr as unknown as Writable);
    start(progress, 2);
    progress.listen(began(1));
    vi.advanceTimersByTime(3_000);
    expect(drawn.at(-1)).toContain('0/2  ');
  });

  it('begins again with the second part of a run', () => {
    const screen = new Screen(80);
    using progress = open(screen);
    start(progress, 2);
    progress.listen(ended(1, { outcome: 'error' }));
    progress[Symbol.dispose]();
    start(progress, 2);
    progress.listen(began(2));
    vi.advanceTimersByTime(3_000);
    expect(screen.text).toContain('  0/2  ✓ 0  1 running  0:03\n     0:03  Search orders › case 2');
  });

  it('clears lines that were broken when the terminal became narrower', () => {
    const screen = new Screen(80);
    using progress = open(screen);
    start(progress, 2);
    progress.listen(began(1));
    progress.listen(did(1, `$ ${'x'.repeat(100)}`));
    vi.advanceTimersByTime(2_000);
    const narrow = new Screen(40);
    // A terminal that becomes narrower breaks the lines that are on it.
    narrow.write(screen.text);
    Object.assign(screen, { columns: 40, write: (text: string) => narrow.write(text) });
    vi.advanceTimersByTime(1_000);
    expect(narrow.text.split('\n')).toHaveLength(2);
    expect(narrow.text).toContain('0/2');
  });

  it('makes no estimate from a single trial, or for one that takes longer than the others', () => {
    const screen = new Screen(80);
    using progress = open(screen);
    start(progress, 5);
    for (const ordinal of [0, 1, 2, 3, 4]) progress.listen(began(ordinal));
    vi.advanceTimersByTime(2_000);
    progress.listen(ended(0, { durationMs: 2_000 }));
    vi.advanceTimersByTime(1_000);
    expect(screen.text).not.toContain('left');
    for (const ordinal of [1, 2, 3]) progress.listen(ended(ordinal, { durationMs: 3_000 }));
    vi.advanceTimersByTime(60_000);
    expect(screen.text).not.toContain('left');
  });
});

describe('progress in a log', () => {
  class Log extends Writable {
    text = '';
    override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
      this.text += chunk.toString();
      done();
    }
  }

  it.each([
    ['a pipe', new Log(), {}],
    ['a terminal in CI', Object.assign(new Log(), { isTTY: true, columns: 60 }), { CI: 'true', NO_COLOR: '1' }],
  ])('is a plain line now and then, also while nothing happens: %s', (_name, log, env) => {
    using progress = open(log, env);
    start(progress, 40);
    progress.listen(began(1));
    vi.advanceTimersByTime(4_500);
    expect(log.text).toBe('');
    progress.listen(did(1, '$ npm test'));
    vi.advanceTimersByTime(298_000);
    const lines = log.text.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(['  0/40  ✓ 0  1 running  0:05', '    0:05  Search orders › case 1  $ npm test']);
    expect(lines.filter((line) => line.includes('0/40')).map((line) => line.slice(-4))).toEqual([
      '0:05',
      '0:10',
      '0:20',
      '0:30',
      '0:40',
      '0:50',
      '1:00',
      '1:30',
      '2:00',
      '2:30',
      '3:00',
      '3:30',
      '4:00',
      '4:30',
      '5:00',
    ]);
    expect(log.text).not.toContain('\u001B');
  });
});
