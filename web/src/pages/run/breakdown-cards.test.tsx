import { describe, expect, it } from 'vitest';
import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { BreakdownCards } from './breakdown-cards.tsx';

const run = {
  runId: 'r-1',
  cells: [],
  totals: { planned: 9 },
  header: { request: {} },
} as unknown as RunDetail;

function sectionOf(title: string, words: string, isOpen?: boolean) {
  return { title, ...(isOpen !== undefined && { isOpen }), blocks: [{ kind: 'text', words }] };
}

describe('the sections beside the results of a run', () => {
  it('are open where readers must see them, and those that a run was made for', async () => {
    const sections = [
      sectionOf('Signs of cheating', 'one of nine', true),
      sectionOf('Signs of another kind', 'none at all', false),
      sectionOf('Repeats', 'nine times'),
      sectionOf('Health', 'all well'),
    ];
    const answers = { 'GET /api/runs/r-1/breakdown': { assertions: [], metrics: [], sections } };
    const { findByText, queryByText } = await renderInApp(() => <BreakdownCards run={run} />, { answers });
    expect(await findByText('one of nine')).toBeTruthy();
    expect(queryByText('nine times')).toBeTruthy();
    expect([queryByText('none at all'), queryByText('all well')]).toEqual([null, null]);
  });
});
