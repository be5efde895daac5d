import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ReviewItem } from '../../../../src/entry/server/api/review.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { LabelForm } from './label-form.tsx';
import type { Labelling } from './labelling.ts';
import { ReviewPage } from './review-page.tsx';

const item: ReviewItem = {
  trialId: 't-1',
  runId: 'r-1',
  scenario: 'Search',
  caseId: 'first',
  question: 'This must have happened:\n- finds the order',
  durationMs: 12,
  label: null,
  note: null,
};

async function renderForm(shown: ReviewItem, canUndo = false) {
  const calls: unknown[] = [];
  const labelling: Labelling = {
    canUndo,
    label: (label, note) => void calls.push(['label', label, note]),
    undo: () => void calls.push(['undo']),
    move: (direction) => void calls.push(['move', direction]),
  };
  return { ...(await renderInApp(() => <LabelForm item={shown} labelling={labelling} />)), calls };
}

describe('the form of a label', () => {
  it('labels with the note, by button', async () => {
    const { findByRole, getByRole, user, calls } = await renderForm(item);
    await user.type(await findByRole('textbox'), 'wrong order');
    await user.click(getByRole('button', { name: /^Fail/ }));
    expect(calls).toEqual([['label', 'fail', 'wrong order']]);
  });

  it('labels and moves by key, but not while the note is typed', async () => {
    const { findByRole, user, calls } = await renderForm(item);
    const note = await findByRole('textbox');
    await user.type(note, 'pf');
    note.blur();
    await user.keyboard('p{ArrowRight}');
    expect(calls).toEqual([
      ['label', 'pass', 'pf'],
      ['move', 1],
    ]);
  });

  it('shows the given label, and undoes only what was done', async () => {
    const { findByRole, getByRole } = await renderForm({ ...item, label: 'pass' });
    expect((await findByRole('button', { name: /^Pass/ })).getAttribute('aria-pressed')).toBe('true');
    expect(getByRole('button', { name: /^Undo/ }).hasAttribute('disabled')).toBe(true);
  });
});

describe('the review page', () => {
  it('says what to do while no trial is judged', async () => {
    const answers = { 'GET /api/review': { items: [], labelled: 0, judged: 0, file: 'assay.labels.jsonl' } };
    const { findByText } = await renderInApp(() => <ReviewPage />, { path: '/review', answers });
    expect(await findByText('No judge has decided a trial yet')).toBeTruthy();
  });

  it('saves a label and shows the next trial without one', async () => {
    const items = [item, { ...item, trialId: 't-2', caseId: 'second' }];
    const answers = {
      'GET /api/review': { items, labelled: 0, judged: 2, file: 'assay.labels.jsonl' },
      'PUT /api/labels': { ...item, label: 'pass' },
    };
    const { findByRole, requests, router, user } = await renderInApp(() => <ReviewPage />, {
      path: '/review',
      answers,
    });
    await user.click(await findByRole('button', { name: /^Pass/ }));
    await waitFor(() => expect(requests.map(({ method }) => method)).toContain('PUT'));
    expect(requests.find(({ method }) => method === 'PUT')?.body).toEqual({
      trialId: 't-1',
      label: 'pass',
      rater: '',
      note: '',
    });
    await waitFor(() => expect(router.state.location.search).toMatchObject({ trial: 't-2' }));
  });
});
