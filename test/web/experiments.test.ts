import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { experimentFiles, HeldAgents } from '../../src/testing/support/held-agents.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

describe.skipIf(chromiumPath === '')('experiments on the pages (left out where there is no Chromium)', () => {
  let agents: HeldAgents;
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    agents = await HeldAgents.start();
    session = await WebSession.start({ files: await experimentFiles(agents.url) });
    page = await session.newPage();
  });
  afterAll(async () => {
    await agents[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
  });

  const dialog = () => page.getByRole('dialog', { name: 'New experiment' });
  const looks = () => page.getByRole('table', { name: 'Looks after each round' });

  it('plans one in the form, and says why it cannot be made', async () => {
    await visit(page, session.address('/runs'));
    await page.getByRole('button', { name: 'New experiment' }).click();
    await dialog().getByRole('button', { name: 'Start' }).click();
    await dialog().getByText('Choose what is compared').waitFor();
    await dialog().getByLabel('Compare by').selectOption('connector');
    await dialog().getByText('connector is missing').waitFor();
    await dialog().getByLabel('Variants').fill('before, after');
    await dialog().getByText('24 cases, compared with before: 96 trials in the first of at most 5 rounds').waitFor();
    await dialog().getByLabel('At most, in trials').fill('40');
    await dialog().getByText('One round has 48 trials, more than the limit of 40.').waitFor();
    await dialog().getByLabel('At most, in trials').fill('480');
    await dialog().getByLabel('Smallest difference that matters').fill('none');
    await dialog().getByText('A number above 0, such as 0.05 or 5%').waitFor();
    await dialog().getByLabel('Smallest difference that matters').fill('5%');
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows how it stands after each round while it runs', async () => {
    await dialog().getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    await page.getByText('Round 2 of 5 runs').waitFor();
    expect(await looks().getByRole('row').count()).toBe(2);
    expect(await looks().getByRole('row').last().textContent()).toContain('not decided');
    await page.getByText('up to the end of round 2 of at most 5').waitFor();
    agents.release();
    await page.getByText('Decided in round 2 of 5, after 192 of at most 480 trials').waitFor();
    await page.locator('main h1').getByText('decided', { exact: true }).waitFor();
    expect(await looks().getByRole('row').count()).toBe(3);
    expect(await looks().getByRole('row').last().textContent()).toMatch(
      /67 % → 88 %\+21 points3\.7 to 38.*better than before/,
    );
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('is marked in the list', async () => {
    await visit(page, session.address('/runs'));
    await page.getByText('experiment by connector: after better than before').waitFor();
  });
});
