import { describe, expect, it } from 'vitest';
import type { ReviewItem, ReviewQueue } from '../../../../src/entry/server/api/review.ts';
import { type Label, neighbour, nextUnlabelled, shownItem, withLabel } from './labelling.ts';

function queueOf(...labels: readonly Label[]): ReviewQueue {
  const items = labels.map(
    (label, index): ReviewItem => ({
      trialId: `t${index}`,
      runId: 'r',
      scenario: 's',
      caseId: `c${index}`,
      question: 'Is it right?',
      durationMs: 1,
      label,
      note: null,
    }),
  );
  const labelled = labels.filter((label) => label !== null).length;
  return { items, labelled, judged: labels.length, file: 'assay.labels.jsonl' };
}

describe('labelling', () => {
  it('counts a label once, and keeps the order', () => {
    const once = withLabel(queueOf(null, null), { trialId: 't0', label: 'pass', note: 'sure' });
    const twice = withLabel(once, { trialId: 't0', label: 'fail', note: null });
    expect(once).toMatchObject({ labelled: 1, items: [{ label: 'pass', note: 'sure' }, { label: null }] });
    expect(twice).toMatchObject({ labelled: 1, items: [{ label: 'fail', note: null }, { label: null }] });
    expect(withLabel(twice, { trialId: 't0', label: null, note: null }).labelled).toBe(0);
  });

  it('leaves the queue alone for a trial that is not in it', () => {
    const queue = queueOf(null);
    expect(withLabel(queue, { trialId: 'other', label: 'pass', note: null })).toBe(queue);
  });

  it('shows the requested trial, else the first without a label', () => {
    const { items } = queueOf('pass', null, null);
    expect(shownItem(items, 't2')?.trialId).toBe('t2');
    expect(shownItem(items, 'gone')?.trialId).toBe('t1');
    expect(shownItem(queueOf('pass', 'fail').items, undefined)?.trialId).toBe('t0');
    expect(shownItem([], undefined)).toBeUndefined();
  });

  it('goes on to the next without a label, around the end', () => {
    const { items } = queueOf(null, 'pass', null, 'fail');
    expect(nextUnlabelled(items, 't0')?.trialId).toBe('t2');
    expect(nextUnlabelled(items, 't2')?.trialId).toBe('t0');
    expect(nextUnlabelled(queueOf('pass', null).items, 't1')).toBeUndefined();
  });

  it('stops at the ends when one walks through', () => {
    const { items } = queueOf(null, null);
    expect(neighbour(items, 't0', -1)?.trialId).toBe('t0');
    expect(neighbour(items, 't0', 1)?.trialId).toBe('t1');
    expect(neighbour(items, 't1', 1)?.trialId).toBe('t1');
  });
});
