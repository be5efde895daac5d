import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelsIn, withLabel } from './labels.ts';

const text = `{"trialId":"t-1","label":"pass"}
// by hand, not JSON
{ "trialId": "t-1", "label": "fail", "rater": "ann", "team": "blue" }

{"trialId":"t-2","label":"maybe"}
{"trialId":"t-1","label":"pass","rater":"ann"}`;

describe('labels in a file', () => {
  it('are read where they are labels', () => {
    expect(labelsIn(text).map(({ trialId, label, rater }) => [trialId, label, rater])).toEqual([
      ['t-1', 'pass', undefined],
      ['t-1', 'fail', 'ann'],
      ['t-1', 'pass', 'ann'],
    ]);
  });

  it('have one line for each trial and rater; other lines stay as they are', () => {
    const after = withLabel(text, { trialId: 't-1', rater: 'ann', label: 'pass', note: 'fine' });
    const lines = text.split('\n');
    lines[2] = '{"trialId":"t-1","label":"pass","rater":"ann","team":"blue","note":"fine"}';
    expect(after).toBe(lines.slice(0, 5).join('\n'));
    expect(withLabel(after, { trialId: 't-1', rater: 'ann', label: 'fail' })).toContain('"note":"fine"');
    expect(withLabel(after, { trialId: 't-1', rater: 'ann', label: 'fail', note: '' })).not.toContain('note');
  });

  it('are added at the end and taken back', () => {
    const added = withLabel(text, { trialId: 't-9', rater: '', label: 'fail' });
    expect(added).toBe(`${text}\n{"trialId":"t-9","label":"fail"}\n`);
    expect(withLabel(added, { trialId: 't-9', rater: '', label: null })).toBe(`${text}\n`);
    expect(withLabel('a\r\n', { trialId: 't', rater: '', label: 'pass' })).toBe(
      'a\r\n{"trialId":"t","label":"pass"}\r\n',
    );
    expect(withLabel('', { trialId: 't', rater: '', label: null })).toBe('');
  });

  it('never lose a line of another rater', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 20, unit: 'binary' }).filter((each) => !each.includes('\n')),
      fc
        .record({
          trialId: fc.constantFrom('a', 'b'),
          label: fc.constantFrom('pass', 'fail'),
          rater: fc.constantFrom('x', 'y'),
        })
        .map((each) => JSON.stringify(each)),
    );
    const change = fc.record({
      trialId: fc.constantFrom('a', 'b'),
      rater: fc.constantFrom('x', 'y', ''),
      label: fc.constantFrom('pass' as const, 'fail' as const, null),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), change, (lines, wanted) => {
        const after = withLabel(lines.join('\n'), wanted);
        const isOwn = (each: string) => {
          const [label] = labelsIn(each);
          return label?.trialId === wanted.trialId && (label.rater ?? '') === wanted.rater;
        };
        const others = after.split('\n').filter((each) => !isOwn(each) && each !== '');
        expect(others).toEqual(lines.filter((each) => !isOwn(each) && each !== ''));
        expect(after.split('\n').filter(isOwn)).toHaveLength(wanted.label === null ? 0 : 1);
      }),
      { numRuns: 500, seed: 8 },
    );
  });
});
