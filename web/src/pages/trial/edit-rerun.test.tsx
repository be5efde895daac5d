import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Rerun } from '../../../../src/entry/server/api/trials.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { changesOf, EditRerunButton } from './edit-rerun.tsx';

const talk: Rerun = {
  isPossible: true,
  whyNot: null,
  keys: ['messages', 'userMessages'],
  input: null,
  messages: [],
  userMessages: ['hello'],
};
const answers = (rerun: Rerun) => ({
  'GET /api/trials/t-1/rerun': rerun,
  'POST /api/trials/t-1/rerun': { runId: 'r-2' },
});

describe('edit and rerun', () => {
  it('sends only what was changed', async () => {
    const { findByRole, requests, user } = await renderInApp(() => <EditRerunButton trialId="t-1" />, {
      answers: answers(talk),
    });
    await user.click(await findByRole('button', { name: 'Edit and rerun …' }));
    const run = await findByRole('button', { name: 'Run' });
    expect(run.hasAttribute('disabled')).toBe(true);
    const message = await findByRole('textbox', { name: /User messages 1|^1/ });
    await user.clear(message);
    await user.type(message, 'good bye');
    await user.click(run);
    await waitFor(() => expect(requests.some(({ method }) => method === 'POST')).toBe(true));
    expect(requests.find(({ method }) => method === 'POST')?.body).toEqual({ userMessages: ['good bye'] });
  });

  it('says why it is not possible', async () => {
    const whyNot = 'The scenario is no longer in scenarios/talk.yaml.';
    const { findByRole, findByText, user } = await renderInApp(() => <EditRerunButton trialId="t-1" />, {
      answers: answers({ ...talk, isPossible: false, whyNot }),
    });
    await user.click(await findByRole('button', { name: 'Edit and rerun …' }));
    expect(await findByText(whyNot)).toBeTruthy();
  });

  it('finds what differs from the files', () => {
    const tool: Rerun = { ...talk, keys: ['input'], input: { a: 1 } };
    expect(changesOf(tool, { input: { a: 1 } })).toEqual({});
    expect(changesOf(tool, { input: { a: 2 } })).toEqual({ input: { a: 2 } });
    expect(changesOf(tool, {})).toEqual({ input: null });
    expect(changesOf(talk, { userMessages: ['hello'] })).toEqual({});
  });
});
