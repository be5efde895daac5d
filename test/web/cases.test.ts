import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const files = {
  'assay.config.json': JSON.stringify({ scenarios: ['orders.yaml'] }),
  'orders.yaml': `name: Orders
call: { command: cat }
ci: { minPassRate: 0.5 }
cases:
  - { name: sent, input: { state: sent }, passCriteria: ["result.state === 'sent'"] }
  - { name: returned, input: { state: lost }, passCriteria: ["result.state === 'returned'"] }
  - name: old
    input: { state: lost }
    passCriteria: ["result.state === 'kept'"]
    ci: { quarantine: { until: 2999-12-31, owner: Ann } }
`,
};

describe.skipIf(chromiumPath === '')('cases on the pages (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    session = await WebSession.start({ files });
    page = await session.newPage();
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
  });

  it('a run shows whether a build passes by the rules of its files', async () => {
    await visit(page, session.address('/runs'));
    await page.getByRole('button', { name: 'New run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    const heading = page.getByRole('heading', { name: 'CI: Nothing that counts failed' });
    const rules = page.locator('section', { has: heading });
    await heading.waitFor();
    expect(await rules.getByRole('listitem').allTextContents()).toEqual([
      '- Orders › old: quarantined until 2999-12-31 (owner Ann) (passed 0 of 1)',
      '- Orders: pass rate 0.5, at least 0.5 required',
    ]);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('a failed trial is promoted to a case, which opens in the editor', async () => {
    await page.getByRole('table', { name: 'Cases' }).getByRole('link', { name: 'Orders › returned' }).first().click();
    await page
      .getByRole('heading', { name: /^Orders › returned/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Promote to case' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote to case' });
    await dialog.getByText('the checks that it did not pass').waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
    await dialog.getByLabel('What must not happen again').fill('The order is lost.');
    await dialog.getByRole('button', { name: 'Write and open' }).click();
    await page.waitForURL(/\/scenarios\/edit\?file=/);
    await settled(page);
    const file = new URL(page.url()).searchParams.get('file') ?? '';
    const written = await readFile(join(session.folder, file), 'utf8');
    expect(written).toContain("result.state === 'returned'");
    expect(written).toContain('The order is lost.');
    expect(written).toMatch(/source:/);
    await page.getByText('The order is lost.').first().waitFor();
  });

  it('a run is planned by earlier trials; what failed is run again, named, archived and deleted', async () => {
    await visit(page, session.address('/runs'));
    await page.getByRole('button', { name: 'New run' }).click();
    const plan = page.getByRole('dialog').getByRole('region', { name: 'What runs' });
    await plan.getByText('3 trials of 3 cases in 1 scenario; cost: none; time: about').waitFor();
    await plan.getByText('By 3 earlier trials of the same scenarios and variants.').waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('table', { name: 'Runs' })
      .getByRole('link', { name: /Orders/ })
      .first()
      .click();
    await page.waitForURL(/\/runs\/[^/]+$/);
    const before = page.url();
    await act('Run again', /^Run failed 2 cases/);
    await page.waitForURL((url) => url.href !== before);
    await page.getByText('2 of 2 trials failed').waitFor();
    await act('More', /^Name, tags and notes/);
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Second try');
    await page.getByRole('dialog').getByLabel('Tags').fill('nightly');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('main h1').getByText('Second try').waitFor();
    await page.getByText('Assertions', { exact: true }).click();
    await page.getByRole('table', { name: 'Assertions' }).waitFor();
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
    await act('More', /^Archive/);
    await page.getByText('archived', { exact: true }).waitFor();
    await act('More', /^Delete/);
    await page.getByRole('button', { name: 'Delete the run' }).click();
    await page.waitForURL(/\/runs$/);
    await page.getByText('The run was deleted.').waitFor();
  });

  /** Chooses something in a menu. */
  async function act(menu: string, item: RegExp): Promise<void> {
    await page.getByRole('button', { name: menu }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }
});
