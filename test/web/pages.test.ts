import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStore, pages, projectFiles } from '../../src/testing/support/web-project.ts';
import { chromiumPath, drawn, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';

/** What is wrong with a page for people who cannot see it well or use no mouse, and where. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Once for each document: it is half a megabyte of code.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  const found = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

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
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address(path));
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await drawn(page);
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await drawn(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    page.off('pageerror', onError);
    expect(complaints).toEqual([]);
  });

  it('is reached by keys alone: by its letters, and by Tab and Enter', async () => {
    await page.setViewportSize({ width: 1360, height: 900 });
    await visit(page, session.address('/'));
    const links = await page.locator('aside[aria-label="Navigation"] nav a').all();
    const letters = 'drcvspnumwt';
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
  });
});
