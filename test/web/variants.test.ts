import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { airlineResults } from '../../src/testing/fakes/load/airline-results.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const example = new URL('../../examples/variants/', import.meta.url);
const names = ['agent.mjs', 'assay.config.yaml', 'orders.jsonl', 'orders.yaml'];
const connectors = 'small,medium,large,wasteful';
/** A judge that finds both answers equal; where one of them failed, no judge is needed. */
const tie = { reasoning: 'Both say the same.', evidence: [{ event: 'x-e2', quote: 'is on its way' }], better: 'tie' };
/** 24 pairs, each in both orders. */
const judgingMs = 60_000;
/** The answer is that of the figure, corrected for the six pairs of variants. */
const ofTwo = 'Not enough data to prefer a side: B wins 6, A wins 0, 18 ties of 24 cases';
const best = 'large is the best of 4 variants by pass rate (error rate at most 5 %).';

describe.skipIf(chromiumPath === '')('many variants on the pages (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;
  let judge: Awaited<ReturnType<typeof startScriptedModel>>;

  beforeAll(async () => {
    judge = await startScriptedModel({ rules: [{ reply: { json: tie } }] });
    const files = await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, example), 'utf8')]));
    session = await WebSession.start({
      files: { ...Object.fromEntries(files), 'airline.json': JSON.stringify(airlineResults()) },
      env: judgeEnv(),
    });
    await assay('run', 'orders.yaml', '--connector', connectors, '--repeat', '5', '--quiet');
    page = await session.newPage();
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await judge[Symbol.asyncDispose]();
  });

  const judgeEnv = () => ({ OPENAI_API_KEY: 'any', ...judge.environment });
  const assay = (...args: string[]) => assayInProcess(args, { cwd: session.folder, env: judgeEnv() });
  const latestRun = async (): Promise<string> => JSON.parse((await assay('show', 'latest', '--json')).stdout).runId;
  const rowsOf = (label: string) => page.getByRole('table', { name: label }).getByRole('row').allTextContents();
  const front = () => page.getByRole('img', { name: 'pass rate against cost' });

  it('shows all variants of a run in one table, with the front as a picture and its data', async () => {
    await visit(page, session.address(`/compare?a=${await latestRun()}&tab=variants`));
    await page.getByText(best).waitFor();
    await settled(page);
    expect((await rowsOf('pass rate'))[1]).toMatch(/^large194 % \(85 % to 98 %\)/);
    expect(await front().locator('circle').count()).toBe(4);
    expect((await rowsOf('Pareto front of quality')).at(-2)).toMatch(
      /^wastefuldominated by medium, large beyond chance/,
    );
    const answers = page.getByRole('group', { name: 'Answers by case and variant' });
    await answers.getByRole('rowheader').first().waitFor();
    expect(await answers.getByRole('columnheader').count()).toBe(5);
    // Only cases that some variants pass more often than others.
    const [row] = await answers
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader') })
      .all();
    const passed = (await row?.getByText(/^\d of 5 passed$/).allTextContents()) ?? [];
    expect(passed).toHaveLength(4);
    expect(new Set(passed).size).toBeGreaterThan(1);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows two of them, and all again', async () => {
    await page.getByRole('button', { name: 'Compare two' }).click();
    await page.getByText('A, before').waitFor();
    await page.getByText(best).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All variants' }).click();
    await page.getByText(best).waitFor();
  });

  it('shows the answers of all variants side by side on the page of a run, with the words that differ', async () => {
    await visit(page, session.address(`/runs/${await latestRun()}`));
    await page.getByRole('button', { name: 'Variants side by side' }).click();
    const answers = page.getByRole('group', { name: 'Answers by case and variant' });
    await answers.locator('mark').first().waitFor();
    expect(await answers.getByRole('columnheader').count()).toBe(5);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('lists cases by a verdict or a figure, and walks through them by keys', async () => {
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address(`/runs/${await latestRun()}`));
    const cases = page.getByRole('table', { name: 'Cases' });
    const chosen = page.getByRole('complementary', { name: 'Chosen case' });
    const condition = async (figure: string, fill: () => Promise<unknown>): Promise<void> => {
      await page.getByRole('button', { name: 'Figure or verdict' }).click();
      await page.getByRole('dialog').getByLabel('Figure or evaluator').selectOption(figure);
      await fill();
      await page.getByRole('dialog').getByRole('button', { name: 'Show these cases' }).click();
    };
    await condition('Cost', () => page.getByRole('dialog').getByLabel('Value in USD').fill('1000000'));
    await page.getByText('No case matches').waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the filter cost more than 1000000 USD' }).click();
    await condition('contains', () => page.getByRole('dialog').getByLabel('Verdict').selectOption('failed'));
    await page.getByRole('button', { name: 'Remove the filter contains failed' }).waitFor();
    await cases.getByRole('rowheader').first().waitFor();
    const address = page.url();
    const first = await chosen.getByRole('link', { name: 'Open trace' }).getAttribute('href');
    await page.keyboard.press(']');
    await page.waitForURL((url) => url.searchParams.has('trial'));
    await settled(page);
    expect(await chosen.getByRole('link', { name: 'Open trace' }).getAttribute('href')).not.toBe(first);
    await page.keyboard.press('[');
    await page.waitForURL((url) => first?.endsWith(url.searchParams.get('trial') ?? '?') === true);
    expect(address).toContain('figure=');
    expect(await chosen.getByRole('button', { name: 'Copy the link to this trial' }).count()).toBe(1);
  });

  it('draws the same in the HTML report', async () => {
    await assay('compare', 'latest', '--by', 'connector', '--format', 'html', '-o', 'out');
    await page.goto(`${pathToFileURL(join(session.folder, 'out', 'variants.html')).href}`);
    await page.getByText(best).waitFor();
    expect(await front().locator('circle').count()).toBe(4);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('lets a judge compare the answers of two, and keeps its preferences', async () => {
    const two = `/compare?a=${await latestRun()}&by=connector&valueA=small&valueB=large`;
    await visit(page, session.address(two));
    await page.getByLabel('Judge model').fill('openai/gpt-4o-mini');
    await page.getByRole('button', { name: 'Judge answers' }).click();
    for (const isAgain of [false, true]) {
      if (isAgain) await visit(page, session.address(two));
      await page.getByText(ofTwo).waitFor({ timeout: judgingMs });
      expect(await page.getByText('No position bias found: the first place gets 50 %').count()).toBe(1);
      expect(await page.getByText('e2, verified').count()).toBeGreaterThan(10);
      expect(await page.getByText('A shown first: prefers neither').count()).toBeGreaterThan(5);
    }
    await page.getByText(/^\d+ figures? with their intervals$/).click();
    expect((await rowsOf('Figures')).filter((row) => row.startsWith('judge preference'))).toHaveLength(1);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows the preferences with their quotes in the HTML report', async () => {
    const two = ['--by', 'connector', '--a', 'small', '--b', 'large', '--judge', '--judge-model', 'openai/gpt-4o-mini'];
    await assay('compare', 'latest', ...two, '--format', 'html', '-o', 'out');
    await page.goto(`${pathToFileURL(join(session.folder, 'out', 'comparison.html')).href}`);
    await page.getByText(ofTwo).waitFor();
    expect(await page.locator('.font-mono', { hasText: 'is on its way' }).count()).toBeGreaterThan(10);
    expect(await page.getByText('No position bias found').count()).toBe(1);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('ranks all of them by the preferences of a judge, on the page and in the HTML report', async () => {
    await visit(page, session.address(`/compare?a=${await latestRun()}&tab=variants`));
    await page.getByLabel('Judge model').fill('openai/gpt-4o-mini');
    await page.getByRole('button', { name: 'Judge answers' }).click();
    const answer = page.getByText(/large comes first|The judge prefers large/);
    await answer.waitFor({ timeout: judgingMs });
    await visit(page, page.url());
    await answer.waitFor();
    expect((await rowsOf('Ranking by a judge'))[1]).toMatch(/^1\. large\d+ %\d+ % to \d+ %/);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
    const judged = ['--judge', '--judge-model', 'openai/gpt-4o-mini', '--format', 'html', '-o', 'out'];
    const { stderr } = await assay('compare', 'latest', '--by', 'connector', ...judged);
    await page.goto(`${pathToFileURL(join(session.folder, 'out', 'ranking.html')).href}`);
    await page.getByRole('heading', { name: 'Ranking by a judge' }).waitFor();
    expect(await page.getByText(/1\. large/).count(), stderr).toBe(1);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows those of an experiment on the page of its run', async () => {
    await assay('experiment', 'orders.yaml', '--by', 'connector', '--connector', connectors);
    await visit(page, session.address(`/runs/${await latestRun()}`));
    await front().waitFor();
    expect(await front().locator('circle').count()).toBe(4);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows pass^1 to pass^4 of 0.420, 0.273, 0.220 and 0.200 on the page of a run', async () => {
    await assay('import', 'airline.json');
    await visit(page, session.address(`/runs/${await latestRun()}`));
    const rows = await page.getByRole('row').allTextContents();
    const shown = rows.flatMap(
      (row) => /^([1-4])[\d.]+ % \([^)]*\)([\d.]+) % \(/.exec(row)?.slice(1, 3).join(' ') ?? [],
    );
    expect(shown).toEqual(['1 42', '2 27.3', '3 22', '4 20']);
  });
});
