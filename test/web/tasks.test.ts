import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CountedClicks } from '../../src/testing/support/counted-clicks.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const tool = (town: string): string =>
  `export const find = ({ order }) => \`Order \${order} is on its way to ${town}\`;\n`;
const scenario = (name: string, expected: string): string =>
  `name: ${name}
call: { module: ./tool.mjs, export: find }
cases:
  - { name: first, input: { order: 1 } }
  - { name: second, input: { order: 2 } }
passCriteria:
  - result.includes('${expected}')
`;

describe.skipIf(chromiumPath === '')('what people come for (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;
  const clicks = new CountedClicks();

  beforeAll(async () => {
    session = await WebSession.start({
      files: {
        'assay.config.json': JSON.stringify({ scenarios: ['calm.yaml', 'towns.yaml'] }),
        'tool.mjs': tool('Oslo'),
        'towns.yaml': scenario('Towns', 'Oslo'),
        'calm.yaml': scenario('Calm', 'Order'),
      },
    });
    page = await session.newPage();
    await visit(page, session.address('/runs'));
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const main = () => page.locator('main');
  const chosen = () => page.getByRole('complementary', { name: 'Chosen case' });
  const dialog = () => page.getByRole('dialog');

  const click = (target: Locator): Promise<void> => clicks.click(target);
  const task = (...given: Parameters<CountedClicks['task']>): Promise<void> => clicks.task(...given);

  async function runAll(): Promise<void> {
    const before = page.url();
    await click(page.getByRole('button', { name: 'New run' }));
    await click(dialog().getByRole('button', { name: 'Run', exact: true }).and(page.locator(':enabled')));
    await page.waitForURL((url) => url.href !== before);
  }

  it('starts a run, when it is known what runs', async () => {
    await task('run everything', 2, async () => {
      await runAll();
      await main().locator('h1').getByText('pass', { exact: true }).waitFor();
    });
  });

  it('sees which cases failed and why, without another click', async () => {
    await writeFile(join(session.folder, 'tool.mjs'), tool('Rome'));
    await visit(page, session.address('/runs'));
    await task('run again and see why it failed', 2, async () => {
      await runAll();
      await main().locator('h1').getByText('fail', { exact: true }).waitFor();
      await chosen().getByText("result.includes('Oslo')").first().waitFor();
      await chosen().getByText('is on its way to Rome').first().waitFor();
    });
    const cases = page.getByRole('table', { name: 'Cases' }).getByRole('rowheader');
    expect(await cases.allTextContents()).toEqual(['Towns › first', 'Towns › second', 'Calm › first', 'Calm › second']);
    const grid = await page.getByRole('table', { name: 'Cases' }).boundingBox();
    expect(grid?.y).toBeLessThan(500);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('goes through the failures and opens a trace', async () => {
    const runPage = page.url();
    await task('look at the second failure and its trace', 2, async () => {
      await click(page.getByRole('table', { name: 'Cases' }).getByRole('link', { name: 'Towns › second' }).first());
      await chosen()
        .getByRole('heading', { name: /^Towns › second/ })
        .waitFor();
      await click(chosen().getByRole('link', { name: 'Open trace' }));
      await page.locator('[data-event]').first().waitFor();
    });
    await page.goBack();
    await chosen()
      .getByRole('heading', { name: /^Towns › second/ })
      .waitFor();
    expect(new URL(page.url()).pathname).toBe(new URL(runPage).pathname);
  });

  it('sees both answers side by side, with the words that differ', async () => {
    await task('compare with the run before', 1, async () => {
      await click(main().getByRole('link', { name: 'Compare', exact: true }));
      await page.getByRole('region', { name: 'Answer of B' }).locator('mark').getByText('Rome').waitFor();
    });
    const marked = (side: string) => page.getByRole('region', { name: `Answer of ${side}` }).locator('mark');
    expect([await marked('A').allTextContents(), await marked('B').allTextContents()]).toEqual([['Oslo'], ['Rome']]);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shares it, for as long as it is wanted, and ends that', async () => {
    await task('share the comparison', 2, async () => {
      await click(main().getByRole('button', { name: 'Share' }));
      await click(dialog().getByRole('button', { name: 'Copy link' }));
      await dialog().getByLabel('Link', { exact: true }).waitFor();
    });
    const link = await dialog().getByLabel('Link', { exact: true }).inputValue();
    const opens = async (): Promise<boolean> => (await fetch(link, { redirect: 'manual' })).status < 400;
    await dialog().getByText('opens until').first().waitFor();
    expect(await opens()).toBe(true);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
    await task('end the link', 1, async () => {
      await click(dialog().getByRole('button', { name: /^End shared-/ }));
      await dialog().getByRole('region', { name: 'Links that open' }).waitFor({ state: 'detached' });
    });
    expect(await opens()).toBe(false);
    await page.keyboard.press('Escape');
  });

  it('goes from the comparison to a case, rates it, and keeps it as a case', async () => {
    await task('open the run, rate the failure and promote it', 5, async () => {
      clicks.count();
      await page.goBack();
      await click(page.getByRole('button', { name: /^Rate Towns › first/ }));
      await dialog().getByLabel('Rater').fill('ann');
      await click(dialog().getByRole('button', { name: 'Rate as fail' }));
      await dialog().waitFor({ state: 'detached' });
      await click(chosen().getByRole('button', { name: /^Promote to case/ }));
      await click(dialog().getByRole('button', { name: 'Write and open' }));
      await page.waitForURL(/\/scenarios\/edit\?file=/);
    });
  });

  it('runs only what did not pass, which a new run chooses by itself', async () => {
    await visit(page, session.address('/runs'));
    await click(page.getByRole('button', { name: 'New run' }));
    await dialog()
      .getByText(/files? chosen: not passed last, changed since, or never run/)
      .waitFor();
    expect(await dialog().getByRole('combobox', { name: 'Files' }).textContent()).not.toContain('calm.yaml');
    await dialog().getByRole('button', { name: 'Choose all files' }).click();
    await dialog().getByText('All files').waitFor();
    await page.keyboard.press('Escape');
  });

  it('adds a setting to a scenario and tries it, with the answer beside the text', async () => {
    await visit(page, session.address('/scenarios/edit?file=towns.yaml'));
    const form = page.getByRole('group', { name: 'Form' });
    await form.getByRole('textbox', { name: /^Name/ }).waitFor();
    expect(await form.getByText('Repeat', { exact: true }).count()).toBe(0);
    await task('add a setting and try the scenario once', 3, async () => {
      await click(form.getByRole('button', { name: 'Add setting' }));
      await page.getByLabel('Search what can be added').fill('description');
      await page.getByLabel('Search what can be added').press('Enter');
      await page.keyboard.type('Where orders are');
      await click(page.getByRole('button', { name: 'Try once' }));
      await page.getByRole('region', { name: 'Playground' }).getByText('is on its way to Rome').first().waitFor();
    });
    expect(await readFile(join(session.folder, 'towns.yaml'), 'utf8')).toMatch(/description: "?Where orders are/);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('keeps what two tabs changed in different places of a file', async () => {
    const other = await session.open('/scenarios/edit?file=calm.yaml');
    await visit(page, session.address('/scenarios/edit?file=calm.yaml'));
    const nameIn = (tab: Page): Locator => tab.getByRole('textbox', { name: /^Name/ }).first();
    await nameIn(page).fill('Calm as ever');
    const criterion = other.getByRole('textbox', { name: /^Pass criteria 1/ });
    await criterion.fill("result.includes('Order 1') || true");
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const written = await readFile(join(session.folder, 'calm.yaml'), 'utf8');
    expect(written).toContain('name: Calm as ever');
    expect(written).toContain('|| true');
    await other.close();
  });

  it('edits the input of a case and runs it again', async () => {
    await visit(page, session.address('/runs'));
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
    await chosen()
      .getByRole('button', { name: /^Edit and rerun/ })
      .waitFor();
    const before = page.url();
    await task('edit and rerun', 2, async () => {
      await click(chosen().getByRole('button', { name: /^Edit and rerun/ }));
      const input = dialog().getByRole('textbox').first();
      await input.fill('order: 7');
      await click(dialog().getByRole('button', { name: 'Run', exact: true }).and(page.locator(':enabled')));
      await page.waitForURL((url) => url.href !== before);
      await chosen().getByText('Order 7 is on its way').first().waitFor();
    });
  });
});
