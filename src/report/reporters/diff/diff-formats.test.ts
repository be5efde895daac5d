import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../domain/trace.ts';
import { drawMarkdown } from '../../../shared/blocks/draw-markdown.ts';
import { drawText } from '../../../shared/blocks/draw-text.ts';
import { toolSteps } from '../../../testing/fakes/compare/fake-steps.ts';
import { recorded, traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { finishedTrial } from '../../../testing/samples.ts';
import { diffRepeats, diffTrials, type UsualSide } from '../../compare/trajectory/trajectory-comparison.ts';
import { UsualSteps } from '../../compare/trajectory/usual-steps.ts';
import { type Diff, diffSections, foldedRows } from '../../presentation/diff-text.ts';

const style = { color: false, width: 100 };
const room = { isBeside: true, showsAll: false };
const diffText = (diff: Diff, { color, width }: typeof style, isBeside = true) =>
  drawText(diffSections(diff, { ...room, isBeside }), { color, width });
const diffMarkdown = (diff: Diff) => drawMarkdown(diffSections(diff, room));

function trialOf(ordinal: number, ...lines: readonly string[]) {
  const events = lines.map((text) => {
    const [line = '', code] = text.split('!');
    return recorded(['tm', ...line.split(' ')], Number(code ?? 0));
  });
  return { record: finishedTrial('r-1', ordinal).record, trace: traceOf(...events) as Trace | undefined };
}

const before = trialOf(0, 'doctor', 'add x!2', 'create --title x');
const after = trialOf(1, 'doctor', 'create --title x', 'tag x | <b>');

describe('the difference of two trials', () => {
  const diff = diffTrials(before, after);

  it('stands side by side on a wide terminal', () => {
    const lines = diffText(diff, style).split('\n');
    expect(lines[0]).toBe('4 steps: 1 added, 1 dropped, 2 the same');
    expect(lines[1]).toMatch(/^ {2}A {2}t-\S+-0-1: pass, 3 steps, sample/);
    expect(lines).toContain(`     ${'$ tm doctor'.padEnd(21)}  $ tm doctor`);
    expect(lines).toContain('  -  $ tm add x ← exit 2');
    expect(lines).toContain(`  +  ${''.padEnd(21)}  $ tm tag x '|' '<b>'`);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('stands one below the other on a narrow one', () => {
    const changed = diffTrials(trialOf(0, 'export all'), trialOf(1, 'export all!1'));
    const text = diffText(changed, { ...style, width: 60 }, false);
    expect(text).toContain('  ✗  A $ tm export all\n  ✗  B $ tm export all ← exit 1\n');
    expect(text).toContain('✗ failed now');
    expect(diffText(diff, { ...style, width: 99 }, false)).toContain("  +  $ tm tag x '|' '<b>'\n");
  });

  it('shows why a trial did not pass and answers that differ, also where all steps are the same', () => {
    const [good, bad] = [trialOf(0, 'add 0 1'), trialOf(1, 'add 0 1')];
    const failed = { outcome: 'fail' as const, reason: '1 of 1 pass criteria failed', excerpt: { answer: '-1' } };
    const text = diffText(
      diffTrials(
        { ...good, record: { ...good.record, excerpt: { answer: '1' } } },
        { ...bad, record: { ...bad.record, ...failed } },
      ),
      style,
    );
    expect(text).toContain('The only step is the same.');
    expect(text).toMatch(/A {2}t-.*\n +answer: 1\n/);
    expect(text).toMatch(/B {2}t-.*\n +1 of 1 pass criteria failed\n +answer: -1\n/);
    expect(diffText(diff, style)).not.toContain('answer:');
  });

  it('colours only on request', () => {
    expect(diffText(diff, style)).not.toContain('\u001B');
    expect(diffText(diff, { ...style, color: true })).toContain('\u001B[32m+');
  });

  it('is a table in Markdown that nothing in a trace can break', () => {
    const markdown = diffMarkdown(diff);
    expect(markdown).toContain("| + |  | $ tm tag x '\\|' '\\<b\\>' |");
    expect(markdown).toContain('# 4 steps: 1 added, 1 dropped, 2 the same');
  });

  it('says in words what cannot be compared', () => {
    const none = diffTrials({ ...before, trace: undefined }, { ...after, trace: [] });
    expect(none.rows).toEqual([]);
    const text = diffText(none, style);
    expect(text).toContain('There are no steps to compare.');
    expect(text).toContain('A has no steps');
    expect(diffText(diffTrials(before, before), style)).toContain('Both are the same trial.');
    const elsewhere = { ...after, record: { ...after.record, scenario: 'other' } };
    expect(diffTrials(before, elsewhere).notes.join()).toContain('different scenarios');
  });
});

describe('the difference of repeats', () => {
  function side(label: string, trials: readonly (readonly string[])[], cases = ['task']): UsualSide {
    const usual = new UsualSteps();
    for (const lines of trials) usual.add(toolSteps(...lines));
    const marks = label.endsWith('v2') ? { replayed: 1 } : {};
    const counts = { trials: trials.length, passed: 1, marks };
    return { side: { label, runId: 'r-1', ...counts }, usual, cases: new Set(cases), unread: 0 };
  }
  const diff = diffRepeats(
    'Sample',
    side('guidance v1', [['add x!2', 'list'], ['list']]),
    side('guidance v2', [['list']]),
  );

  it('shows the share of the trials that have a step', () => {
    const text = diffText(diff, style);
    expect(text).toContain('  A  guidance v1: 2 trials, 1 passed, run r-1');
    expect(text).toContain('  B  guidance v2: 1 trial, 1 passed (1 replayed), run r-1');
    expect(text).toMatch(/^ {2}- {2}1\/2, 1 failed {2}- {4}\$ tm add x$/m);
    expect(text).toMatch(/^ {5}2\/2 {12}1\/1 {2}\$ tm list$/m);
    expect(diffMarkdown(diff)).toContain('| - | 1/2, 1 failed | - | $ tm add x |');
  });

  it('says when cases are mixed, traces left out, or nothing is known', () => {
    const many = diffRepeats('S', { ...side('a', [['list']], ['x', 'y']), unread: 3 }, side('b', [[]]));
    expect(many.notes).toEqual([
      expect.stringContaining('Aggregated over 3 cases'),
      expect.stringContaining('3 trials of A were not read'),
      expect.stringContaining('B has no steps'),
      expect.stringContaining('assay compare'),
    ]);
  });
});

describe('foldedRows', () => {
  const rows = (statuses: string) =>
    [...statuses].map((letter) => ({ status: letter === '.' ? ('same' as const) : ('added' as const) }));
  const shape = (statuses: string) =>
    foldedRows(rows(statuses))
      .map((each) => ('hidden' in each ? each.hidden : each.row.status === 'same' ? '.' : '+'))
      .join('');

  it.each([
    ['', ''],
    ['..........', '10'],
    ['..+..', '..+..'],
    ['....+.....', '....+..3'],
    ['.....+.....', '3..+..3'],
    ['+.......+', '+..3..+'],
    ['+......+', '+......+'],
  ])('folds %j to %j', (given, wanted) => {
    expect(shape(given)).toBe(wanted);
  });
});
