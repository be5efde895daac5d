import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { RunActions } from './run-actions.tsx';

const noActions = { canCancel: false, canResume: false, canRetryErrors: false, canRescore: false };

function renderActions(actions: Partial<typeof noActions>, answers = {}) {
  const run = { runId: 'r-1', ...noActions, ...actions } as RunDetail;
  return renderInApp(() => <RunActions run={run} />, { answers });
}

describe('the actions on a run', () => {
  it('are only those that are possible', async () => {
    const { findByRole, queryByRole } = await renderActions({});
    await findByRole('link', { name: 'Compare' });
    for (const name of ['Cancel', 'Resume', 'Retry errors', 'Score again']) {
      expect(queryByRole('button', { name })).toBeNull();
    }
  });

  it('retry the trials that ended in an error', async () => {
    const answers = { 'POST /api/runs/r-1/retry-errors': { runId: 'r-1' } };
    const { findByRole, findByText, requests, user } = await renderActions({ canRetryErrors: true }, answers);
    await user.click(await findByRole('button', { name: 'Retry errors' }));
    expect(await findByText('Trials that ended in an error run again.')).toBeTruthy();
    expect(requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/api/runs/r-1/retry-errors',
    ]);
  });

  it('show the message of a refusal', async () => {
    const { findByRole, findByText, user } = await renderActions({ canResume: true });
    await user.click(await findByRole('button', { name: 'Resume' }));
    expect(await findByText('There is no such thing.')).toBeTruthy();
  });

  it('cancel only after a confirmation', async () => {
    const answers = { 'POST /api/runs/r-1/cancel': { runId: 'r-1' } };
    const { findByRole, requests, user } = await renderActions({ canCancel: true }, answers);
    await user.click(await findByRole('button', { name: 'Cancel' }));
    const confirm = await findByRole('button', { name: 'Cancel the run' });
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
    await user.click(confirm);
    await waitFor(() => expect(requests.map(({ path }) => path)).toContain('/api/runs/r-1/cancel'));
  });
});
