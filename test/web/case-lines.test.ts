import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, WebSession } from '../../src/testing/support/web-session.ts';

const scenario = `name: Echo # gives back what it gets
call: { command: cat }
cases:
  - { name: one, input: { x: 1 } } # the first
passCriteria: [result.x === input.x]
`;

describe.skipIf(chromiumPath === '')('cases as JSON Lines (left out where there is no Chromium)', () => {
  let session: WebSession;
  beforeAll(async () => {
    session = await WebSession.start({ files: { 'scenarios/echo.yaml': scenario } });
  });
  afterAll(() => session[Symbol.asyncDispose]());

  it('are checked line by line, previewed, saved without loss, and exported again', async () => {
    const page = await session.open('/scenarios/edit?file=scenarios%2Fecho.yaml');
    await page.getByRole('button', { name: 'Import …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import cases' });
    const lines = dialog.getByRole('textbox', { name: 'Lines' });
    await lines.fill('{"name": "two", "input": {"x": 2}}\n{"nam": "three"}\n');
    await dialog.getByText('Line 2: `input` is missing').waitFor();
    await dialog.getByText('Line 2: unknown key `nam`').waitFor();
    const submit = dialog.getByRole('button', { name: /^Import \d+ case/ });
    expect(await submit.isDisabled()).toBe(true);

    const two = { name: 'two', input: { x: 'yes: "no" # –' }, expectedBehavior: 'null' };
    const three = { name: 'three', input: { x: [1.5, null, { y: '1' }] }, passCriteria: ['result.x.length === 3'] };
    await lines.fill(`${JSON.stringify(two)}\n\n${JSON.stringify(three)}\n`);
    await dialog.getByRole('cell', { name: 'three', exact: true }).waitFor();
    await submit.and(page.locator(':enabled')).click();
    await page.getByText('Runs 1 scenario, 3 cases, 3 trials').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const written = await readFile(join(session.folder, 'scenarios', 'echo.yaml'), 'utf8');
    expect(written).toContain('# the first');
    expect(written).toContain('# gives back what it gets');

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('echo.cases.jsonl');
    const exported = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(exported.map((line) => JSON.parse(line))).toEqual([{ name: 'one', input: { x: 1 } }, two, three]);
  });
});
