import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';

const scenario = (name: string) =>
  `name: ${name}\ncall: { command: cat }\ninput: { x: 1 }\npassCriteria: [result.x === 1]\n`;

describe.skipIf(chromiumPath === '')('who may do what, and where (left out where there is no Chromium)', () => {
  let session: WebSession;
  beforeAll(async () => {
    session = await WebSession.start({
      args: ['.'],
      files: {
        'first/assay.config.json': '{ "personas": { "ann": { "goal": "buy" } } }',
        'first/scenarios/one.yaml': scenario('One'),
        'second/assay.config.json': '{}',
        'second/scenarios/two.yaml': scenario('Two'),
      },
    });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it('every project of a workspace has its own pages and its own data', async () => {
    const page = await session.open('/scenarios');
    await page.getByRole('link', { name: 'One' }).waitFor();
    await page.getByRole('button', { name: 'Project: first' }).click();
    await page.getByRole('menuitem', { name: 'second' }).click();
    await page.waitForURL(/\/projects\/[^/]+\/$/);
    await settled(page);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Scenarios' }).click();
    await page.getByRole('link', { name: 'Two' }).click();
    await page.waitForURL(/\/projects\/[^/]+\/scenarios\/edit/);
    await page.getByRole('button', { name: 'Try once' }).click();
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.waitForURL(/\/projects\/[^/]+\/runs\/r-/);
    await page.locator('main h1').getByText('pass', { exact: true }).waitFor();
    await visit(page, session.address('/runs'));
    expect(await page.locator('main').textContent()).not.toContain('Playground');
    await page.close();
  });

  it('a reader sees everything and can change nothing, with the reason', async () => {
    const { stdout } = await assay(['token', 'create', 'guest', '--role', 'reader'], { cwd: session.folder });
    const page = await session.openAs(stdout.trim(), '/scenarios/edit?file=scenarios%2Fone.yaml');
    await page.getByText('This file can only be read here: Needs the role editor').waitFor();
    const buttons = page.getByRole('button', { name: 'Needs the role runner; your token has the role reader' });
    expect(await buttons.count()).toBe(2);
    for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete the file' }).count()).toBe(0);
    await page.locator('.cm-content').press('z');
    expect(await page.locator('.cm-content').textContent()).toContain('name: Onecall');
    await page.getByText('guest: role reader').waitFor();

    await visit(page, session.address('/scenarios'));
    expect(await page.getByRole('link', { name: 'New scenario' }).count()).toBe(0);
    await visit(page, session.address('/personas?name=ann'));
    await page.getByText('can only be read here: Needs the role editor').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await page.context().close();
  });
});
