import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillForWalk, walkFiles } from '../../bench/usability-walk.mjs';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { chromiumPath, drawn, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';

const fewTrials = 20;
const mostTabs = 80;

interface Focus {
  readonly tag: string;
  readonly name: string;
  /** Null where nothing can be activated or typed into: a page or a part of it that took over the focus. */
  readonly isVisible: boolean | null;
}

/** The element that has the focus, and whether a user can see that. */
const focusOf = `(() => {
  const element = document.activeElement;
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '';
  const box = element.getBoundingClientRect();
  const isInView = box.bottom > 0 && box.top < innerHeight && box.width > 0;
  const isEditor = element.closest('.cm-editor.cm-focused') !== null;
  // The link of a row has its outline around the row.
  const hasOutline = [undefined, '::after'].some((part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  return {
    tag: element.tagName,
    name: name.trim(),
    isVisible: element.tabIndex < 0 ? null : isInView && (hasOutline || isEditor),
  };
})()`;

describe.skipIf(chromiumPath === '')('the way by keys alone (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    session = await WebSession.start({
      files: walkFiles,
      fill: (store) => fillForWalk(store, { runHeader, finishedTrial }, fewTrials),
    });
    page = await session.newPage();
    await visit(page, session.address('/'));
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const link = (name: string): Locator => page.locator('main').getByRole('link', { name, exact: true });
  const button = (name: string): Locator => page.locator('main').getByRole('button', { name, exact: true });

  /** The focus after what was pressed has been drawn; it is never lost, and never out of sight. */
  async function focus(): Promise<Focus> {
    await drawn(page);
    const found = await page.evaluate<Focus>(focusOf);
    expect(found.tag, 'the focus is lost').not.toBe('BODY');
    expect(found.isVisible, `${found.tag} ${found.name}`).not.toBe(false);
    return found;
  }

  async function press(...keys: readonly string[]): Promise<Focus> {
    for (const key of keys) await page.keyboard.press(key);
    return await focus();
  }

  /** Presses Tab, or Shift+Tab, until an element has the focus. */
  async function tabTo(wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await wanted.waitFor({ state: 'attached' });
    const passed: string[] = [];
    while (passed.length < mostTabs) {
      const { tag, name } = await press(key);
      if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
      passed.push(`${tag} ${name.slice(0, 40)}`);
    }
    throw new Error(`${key} does not lead to ${wanted}: ${passed.join(', ')}`);
  }

  /** Waits for a page that a key led to. */
  async function arrived(address: RegExp): Promise<void> {
    await page.waitForURL(address);
    await settled(page);
    await focus();
  }

  it('leads from the first page to the newest failure', async () => {
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }));
    await press('Enter');
    await tabTo(link('Open').first());
    await press('Enter');
    await arrived(/\/runs\/r-newest/);
    await tabTo(page.getByRole('table', { name: 'Cases' }).getByRole('link').first());
    await press('Enter');
    await arrived(/\/trials\//);
  });

  it('searches in its trace', async () => {
    await press('/');
    expect((await focus()).tag).toBe('INPUT');
    await page.keyboard.type('in');
    await press('Enter');
    await page.getByText('hit 1 of 3 in 3 events').waitFor();
    await press('Escape');
    await press('n');
    await page.getByText('hit 2 of 3 in 3 events').waitFor();
    await press('N');
    await page.getByText('hit 1 of 3 in 3 events').waitFor();
    await press('Tab');
  });

  it('mends and saves the scenario in the editor', async () => {
    await tabTo(link('orders.yaml').first(), 'Shift+Tab');
    await press('Enter');
    await arrived(/\/scenarios\/edit/);
    await tabTo(page.locator('.cm-content'));
    await press('Control+End', 'ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('2');
    await press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await focus();
    expect(await readFile(join(session.folder, 'orders.yaml'), 'utf8')).toContain('result.total === 42');
    await press('Escape', 'Shift+Tab');
    // Alt and the left arrow: a key of the browser, which the page does not receive.
    await page.goBack();
    await arrived(/\/trials\//);
  });

  it('runs only that case, compares it with before, and shares the comparison', async () => {
    await tabTo(button('Run this case'));
    await press('Enter');
    await page.locator('main h1').getByText('pass', { exact: true }).waitFor();
    await focus();
    await tabTo(link('Compare'));
    await press('Enter');
    await arrived(/\/compare/);
    await tabTo(button('Show the figures anyway'));
    await press('Enter');
    await page.getByText('fixed', { exact: true }).first().waitFor();
    await focus();
    await tabTo(button('Share'), 'Shift+Tab');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Copy link' }));
    await press('Enter');
    await page.getByLabel('Link', { exact: true }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await focus()).name).toBe('Share');
  });
});
