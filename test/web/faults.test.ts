import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/domain/trace.ts';
import type { Store } from '../../src/keep/store/store.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { chromiumPath, drawn, visit, WebSession } from '../../src/testing/support/web-session.ts';

const manyEvents = 50_000;
const longText = `${'word '.repeat(1_000_000)}the very end`;

function message(at: number, text: string): TraceEvent {
  return { type: 'message', at, seenBy: 'agent', role: 'assistant', text };
}

async function fillWithLargeTrials(store: Store): Promise<void> {
  await store.createRun(runHeader('r-large', { planned: 2, status: 'finished', finishedAt: 1_700_000_060_000 }));
  const long = finishedTrial('r-large', 0);
  const many = finishedTrial('r-large', 1);
  const events = Array.from({ length: manyEvents }, (_, index) => message(index, `event number ${index}`));
  await store.saveTrials([
    { record: { ...long.record, trialId: 't-long' }, trace: [message(1, longText)] },
    { record: { ...many.record, trialId: 't-many' }, trace: events },
  ]);
}

describe.skipIf(chromiumPath === '')('pages in trouble (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    session = await WebSession.start({ fill: fillWithLargeTrials });
    page = await session.newPage();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it('draw only what is in sight of a trace of 50,000 events, and find what is looked for in it', async () => {
    await visit(page, session.address('/trials/t-many'));
    await page.getByText('event number 0', { exact: true }).first().waitFor();
    expect(await page.getByRole('article').count()).toBeLessThan(100);
    await page.getByRole('searchbox', { name: 'Search the trace' }).fill('number 49999');
    await page.getByRole('searchbox', { name: 'Search the trace' }).press('Enter');
    await page.waitForURL(/event=e50000/);
    await page.getByText('hit 1 of 1 in 50,000 events').waitFor();
    await page.getByRole('searchbox', { name: 'Search the trace' }).press('Escape');
    expect(await page.getByRole('searchbox', { name: 'Search the trace' }).inputValue()).toBe('number 49999');
    expect(await page.locator('[data-search]:focus').count()).toBe(0);
    await page.locator('[data-event="49999"]').waitFor();
    expect(await page.getByRole('article').count()).toBeLessThan(100);
  });

  it('show a message of 5 MB in parts', async () => {
    await visit(page, session.address('/trials/t-long?event=e1'));
    const event = page.locator('[data-event="0"]');
    await event.waitFor();
    expect(((await event.textContent()) ?? '').length).toBeLessThan(200_000);
    await event.getByRole('button', { name: /show all/ }).click();
    await drawn(page);
    await page.getByRole('searchbox', { name: 'Search the trace' }).fill('the very end');
    await page.getByText(/^hit 1 of 1 in \d+ events?$/).waitFor();
  });

  it('say that the server is away, and go on when it is back', async () => {
    await visit(page, session.address('/runs'));
    await session.stopServing();
    await page.locator('body').press('g');
    await page.locator('body').press('s');
    const banner = page.getByText('The server does not answer.');
    await banner.first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/scenarios');
    await session.serve();
    await banner.first().waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Scenarios' }).waitFor();
    await page.locator('body').press('g');
    await page.locator('body').press('r');
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor();
  });
});
