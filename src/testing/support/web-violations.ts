import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { drawn } from './web-session.ts';

/** Problems of a page for people who cannot see it well or use no mouse, and where. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Once for each document: it is half a megabyte of code.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  const found = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Those of a page in light, its contrasts in dark, and how much wider it is than a screen of 360 pixels. */
export async function violationsInAllLooks(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1360, height: 900 });
  await drawn(page);
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await drawn(page);
  const dark = await violations(page, ['color-contrast']);
  await page.setViewportSize({ width: 360, height: 740 });
  await drawn(page);
  const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1360, height: 900 });
  return [...light, ...dark, ...(excess > 0 ? [`${excess} pixels too wide`] : [])];
}
