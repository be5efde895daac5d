import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStore, pages, projectFiles } from '../../src/testing/support/web-project.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

/** Boxes with a bar to scroll sideways that hold neither a table nor a text in lines. */
const strayBars = `[...document.querySelectorAll('body *')]
  .filter((box) => {
    const { overflowX, borderTopWidth, borderBottomWidth } = getComputedStyle(box);
    const borders = parseFloat(borderTopWidth) + parseFloat(borderBottomWidth);
    return ['auto', 'scroll'].includes(overflowX) && box.offsetHeight - box.clientHeight - borders > 5;
  })
  .filter((box) => !box.closest('pre') && !box.querySelector('table, [role=table], pre, .cm-content'))
  .map((box) => box.outerHTML.slice(0, 200))`;

describe.skipIf(chromiumPath === '')('every page (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    const text = 'the booking was refused';
    session = await WebSession.start({ files: projectFiles(text), fill: (store) => fillStore(store, text) });
    page = await session.newPage();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it.each(Object.entries(pages))('%s can be used by everyone, in light, dark and on 360 pixels', async (_, path) => {
    const complaints: string[] = [];
    const onError = (error: Error): void => void complaints.push(error.message);
    page.on('pageerror', onError);
    await visit(page, session.address(path));
    expect(await violationsInAllLooks(page)).toEqual([]);
    page.off('pageerror', onError);
    expect(complaints).toEqual([]);
  });

  it('loads at most 200 kB of scripts at first', async () => {
    const loading: Promise<Buffer>[] = [];
    const onResponse = (response: Response): void => {
      if (response.request().resourceType() === 'script') loading.push(response.body());
    };
    page.on('response', onResponse);
    await visit(page, session.address('/'));
    page.off('response', onResponse);
    const sizes = (await Promise.all(loading)).map((body) => gzipSync(body).length);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });

  it.each(Object.entries(pages))('%s has no scroll bar below what is neither a table nor a text', async (_, path) => {
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address(path));
    expect(await page.evaluate<readonly string[]>(strayBars)).toEqual([]);
  });

  it('is reached by keys alone: by its letters, and by Tab and Enter', async () => {
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address('/'));
    const links = await page.locator('aside[aria-label="Navigation"] nav a').all();
    const letters = 'drcvespnumwt';
    expect(links).toHaveLength(letters.length);
    for (const letter of letters) {
      await page.locator('body').press('g');
      await page.locator('body').press(letter);
      await settled(page);
    }
    await page.waitForURL('**/settings');
    await visit(page, session.address('/'));
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    const reached: string[] = [];
    for (let presses = 0; presses < 20 && !reached.includes('Runs'); presses++) {
      await page.keyboard.press('Tab');
      reached.push((await page.locator(':focus').textContent())?.trim() ?? '');
    }
    expect(reached).toContain('Runs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/runs');
    await settled(page);
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('draws the scores of a scenario over its runs, with a table of the same figures', async () => {
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address(pages['Scenario, stats'] ?? ''));
    const chart = page.locator('figure', { hasText: /^Mean .+ of judged trials, by case/ });
    const points = await chart.getByRole('listitem').getByRole('link').all();
    expect(points).toHaveLength(2);
    const choice = page.getByRole('combobox', { name: 'Score' });
    const names = await choice.locator('option').allTextContents();
    expect(names).toContain('judge score');
    await choice.selectOption('judge score');
    await chart.getByText('Mean judge score of judged trials').waitFor();
    await page.getByText('Scores as a table').click();
    const table = page.getByRole('table', { name: 'Scores of each run' });
    const cells = await table.getByRole('row').last().getByRole('cell').allTextContents();
    const [first] = await chart.getByRole('link').all();
    const shown = cells[2 + names.indexOf('judge score')] ?? 'no cell';
    expect(await first?.getAttribute('aria-label')).toContain(shown);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('is found by a part of its name, as runs are; one that is not there leads to the others', async () => {
    await visit(page, session.address('/runs/no-such-run'));
    await page.getByRole('link', { name: 'All runs' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, run or scenario' }).fill('conn');
    await page.getByRole('option', { name: 'Connectors' }).waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/connectors');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
