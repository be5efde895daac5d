import { within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ScenarioRun, ScenarioStats } from '../../../../../src/entry/server/api/stats.ts';
import { renderInApp } from '../../../testing/render-in-app.tsx';
import { latencyColumns, passRatePoints, scorePoints, scoresOf, tokenPoints } from './stats-charts.ts';
import { StatsTab } from './stats-tab.tsx';

const measured: ScenarioRun = {
  runId: 'r-1',
  name: 'nightly',
  startedAt: 1_700_000_000_000,
  totals: { pass: 3, fail: 1, error: 0 },
  passRate: { rate: 0.75, low: 0.3, high: 0.95, judged: 4 },
  latency: { trials: 2, meanMs: 150, medianMs: 100, p95Ms: 200, slowestMs: 200 },
  tokens: { trials: 2, meanInput: 1_200.4, meanOutput: 300 },
  scores: [
    { name: 'cost-usd', unit: 'usd', mean: 0.02, lowest: 0.01, highest: 0.03, trials: 4, missing: 0 },
    { name: 'judge-score', unit: 'share', mean: 0.8, lowest: 0.5, highest: 1, trials: 4, missing: 0 },
  ],
  trials: [
    { trialId: 't-1', caseId: 'a', outcome: 'pass', durationMs: 100 },
    { trialId: 't-2', caseId: 'b', outcome: 'fail', durationMs: 200 },
    { trialId: 't-3', caseId: 'c', outcome: 'pass', durationMs: null },
  ],
  isCut: false,
};
const unmeasured: ScenarioRun = {
  ...measured,
  runId: 'r-2',
  name: null,
  totals: { pass: 0, fail: 0, error: 2 },
  passRate: null,
  latency: null,
  tokens: null,
  scores: [],
  trials: [],
};

describe('the charts of a scenario', () => {
  it('leave out runs that measured nothing instead of drawing them as 0', () => {
    const runs = [measured, unmeasured];
    expect(passRatePoints(runs)).toMatchObject([{ y: 0.75, low: 0.3, high: 0.95, label: 'nightly' }]);
    expect(tokenPoints(runs)).toMatchObject([{ y: 300 }]);
    expect(scoresOf(runs).map(({ label }) => label)).toEqual(['judge score', 'cost']);
    expect(scorePoints(runs, 'judge-score')).toMatchObject([{ y: 0.8, label: 'nightly' }]);
    expect(latencyColumns(runs)).toMatchObject([{ mean: 150, values: [{ y: 100 }, { y: 200 }] }]);
  });

  it('show the last 10 runs as dots', () => {
    const runs = Array.from({ length: 12 }, (_, index) => ({ ...measured, runId: `r-${index}` }));
    expect(latencyColumns(runs).map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, at) => `r-${at + 2}`));
  });
});

describe('the stats of a scenario', () => {
  const stats: ScenarioStats = { scenario: 'Booking', runs: [measured, unmeasured] };
  const answers = { 'GET /api/scenario-stats': stats };

  it('have a table behind each chart, the newest run first, with what is not known as such', async () => {
    const { findByText, getByRole, getAllByRole, user } = await renderInApp(
      () => <StatsTab scenarios={['Booking']} />,
      {
        answers,
      },
    );
    for (const title of ['Pass rate', 'Output tokens', 'Scores', 'Latency'])
      await user.click(await findByText(`${title} as a table`));
    const cells = (name: string) =>
      within(getByRole('table', { name }))
        .getAllByRole('row')
        .slice(1)
        .map((row) =>
          within(row)
            .getAllByRole('cell')
            .filter((_, index) => index !== 1)
            .map(({ textContent }) => textContent),
        );
    expect(cells('Pass rate of each run')).toEqual([
      ['r-2', '0', '0', '2', '–', '–'],
      ['nightly', '3', '1', '0', '75 %', '30 % to 95 %'],
    ]);
    expect(cells('Tokens of each run')).toEqual([
      ['r-2', '0', '–', '–'],
      ['nightly', '2', '1,200', '300'],
    ]);
    expect(cells('Scores of each run')).toEqual([
      ['r-2', '–', '–'],
      ['nightly', '80 %', '$0.02'],
    ]);
    expect(cells('Latency of each run')).toEqual([
      ['r-2', '0', '–', '–', '–', '–'],
      ['nightly', '2', '150 ms', '100 ms', '200 ms', '200 ms'],
    ]);
    const links = getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(new Set(links)).toEqual(new Set(['/runs/r-1', '/runs/r-2']));
  });

  it('draw the score that is chosen', async () => {
    const { findByRole, findByText, user } = await renderInApp(() => <StatsTab scenarios={['Booking']} />, { answers });
    await findByText('Mean judge score of judged trials, by case');
    await user.selectOptions(await findByRole('combobox', { name: 'Score' }), 'cost');
    await findByText('Mean cost of judged trials, by case');
  });

  it('say that nothing has run yet', async () => {
    const none = { 'GET /api/scenario-stats': { scenario: 'Booking', runs: [] } };
    const { findByText } = await renderInApp(() => <StatsTab scenarios={['Booking']} />, { answers: none });
    expect(await findByText('No figures yet')).toBeTruthy();
  });
});
