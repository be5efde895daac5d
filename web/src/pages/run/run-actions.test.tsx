import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { RunActions } from './run-actions.tsx';

const totals = { planned: 9, pass: 5, fail: 3, error: 1, skipped: 0, notRun: 0 };
const noActions: Partial<RunDetail> = {
  ...{ canCancel: false, canResume: false, canRetryErrors: false, canRescore: false, totals },
  whyNotAgain: 'Its trials were imported: they ran elsewhere.',
  again: { failed: 3, flaky: 0 },
  ...{ cells: [], header: { request: {} } as unknown as RunDetail['header'] },
};

const cellOf = (model: string) => ({ scenario: 's', file: 's.yaml', variant: { model } }) as RunDetail['cells'][number];

function renderActions(actions: Partial<RunDetail>, answers = {}) {
  const run = { runId: 'r-1', ...noActions, ...actions } as RunDetail;
  return renderInApp(() => <RunActions run={run} />, { answers });
}

describe('the actions on a run', () => {
  it('are only those that are possible', async () => {
    const { findByRole, queryByRole } = await renderActions({});
    await findByRole('link', { name: 'Compare' });
    for (const name of ['Cancel', 'Resume', 'Run again']) {
      expect(queryByRole('button', { name })).toBeNull();
    }
  });

  it('compare a run with the one before it, and one with variants within itself', async () => {
    const addressOf = async (cells: RunDetail['cells']): Promise<string | null> => {
      const { findByRole, unmount } = await renderActions({ cells });
      const address = (await findByRole('link', { name: 'Compare' })).getAttribute('href');
      unmount();
      return address;
    };
    expect(await addressOf([cellOf('one')])).toBe('/compare?b=r-1');
    expect(await addressOf([cellOf('one'), cellOf('two')])).toBe('/compare?a=r-1&by=model&valueA=one&valueB=two');
    expect(await addressOf(['one', 'two', 'three'].map(cellOf))).toBe('/compare?a=r-1&by=model');
  });

  it('retry the trials that ended in an error', async () => {
    const answers = { 'POST /api/runs/r-1/retry-errors': { runId: 'r-1' } };
    const { findByRole, findByText, requests, user } = await renderActions({ canRetryErrors: true }, answers);
    await user.click(await findByRole('button', { name: 'Run again' }));
    await user.click(await findByRole('menuitem', { name: /^Retry errors/ }));
    expect(await findByText('Trials that ended in an error run again.')).toBeTruthy();
    expect(requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/api/runs/r-1/retry-errors',
    ]);
  });

  it('run again only the cases that failed, in the words of the command line', async () => {
    const again = { failed: 3, flaky: 0 };
    const { findByRole, queryByRole, requests, user } = await renderActions(
      { whyNotAgain: null, again },
      { 'POST /api/runs': { runId: 'r-2' } },
    );
    await user.click(await findByRole('button', { name: 'Run again' }));
    expect(await findByRole('menuitem', { name: /^Run all again/ })).toBeTruthy();
    expect(queryByRole('menuitem', { name: /^Run flaky/ })).toBeNull();
    await user.click(await findByRole('menuitem', { name: 'Run failed 3 cases, as a new run' }));
    await waitFor(() =>
      expect(requests.find(({ method }) => method === 'POST')?.body).toEqual({ from: 'r-1', failed: true }),
    );
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
