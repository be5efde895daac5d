import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { airlineResults } from '../../src/testing/fakes/load/airline-results.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const example = new URL('../../examples/variants/', import.meta.url);
const names = ['agent.mjs', 'assay.config.yaml', 'orders.jsonl', 'orders.yaml'];
const connectors = 'small,medium,large,wasteful';
const best = 'large is the best of 4 variants by pass rate (error rate at most 5 %).';

describe.skipIf(chromiumPath === '')('many variants on the pages (left out where there is no Chromium)', () => {
  let session: WebSession;
  let page: Page;

  beforeAll(async () => {
    const files = await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, example), 'utf8')]));
    session = await WebSession.start({
      files: { ...Object.fromEntries(files), 'airline.json': JSON.stringify(airlineResults()) },
    });
    await assay('run', 'orders.yaml', '--connector', connectors, '--repeat', '5', '--quiet');
    page = await session.newPage();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const assay = (...args: string[]) => assayInProcess(args, { cwd: session.folder });
  const latestRun = async (): Promise<string> => JSON.parse((await assay('show', 'latest', '--json')).stdout).runId;
  const rowsOf = (label: string) => page.getByRole('table', { name: label }).getByRole('row').allTextContents();
  const front = () => page.getByRole('img', { name: 'pass rate against cost' });

  it('shows all variants of a run in one table, with the front as a picture and its data', async () => {
    await visit(page, session.address(`/compare?a=${await latestRun()}&tab=variants`));
    await page.getByText(best).waitFor();
    await settled(page);
    expect((await rowsOf('Variants'))[1]).toMatch(/^large194 % \(85 % to 98 %\)/);
    expect(await front().locator('circle').count()).toBe(4);
    expect((await rowsOf('pass rate against cost')).at(-2)).toMatch(
      /^wastefuldominated by medium, large beyond doubt68 %/,
    );
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows two of them, and all again', async () => {
    await page.getByRole('button', { name: 'Compare two' }).click();
    await page.getByText('A, before').waitFor();
    await page.getByText(best).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All variants' }).click();
    await page.getByText(best).waitFor();
  });

  it('draws the same in the HTML report', async () => {
    await assay('compare', 'latest', '--by', 'connector', '--format', 'html', '-o', 'out');
    await page.goto(`${pathToFileURL(join(session.folder, 'out', 'variants.html')).href}#/variants`);
    await page.getByRole('heading', { name: best }).waitFor();
    expect(await page.getByRole('img', { name: 'pass rate against cost of a trial' }).locator('circle').count()).toBe(
      4,
    );
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows those of an experiment on the page of its run', async () => {
    await assay('experiment', 'orders.yaml', '--by', 'connector', '--connector', connectors);
    await visit(page, session.address(`/runs/${await latestRun()}`));
    await front().waitFor();
    expect(await front().locator('circle').count()).toBe(4);
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows pass^1 to pass^4 of 0.420, 0.273, 0.220 and 0.200 on the page of a run', async () => {
    await assay('import', 'airline.json');
    await visit(page, session.address(`/runs/${await latestRun()}`));
    const rows = await page.getByRole('row').allTextContents();
    const shown = rows.flatMap(
      (row) => /^([1-4])[\d.]+ % \([^)]*\)([\d.]+) % \(/.exec(row)?.slice(1, 3).join(' ') ?? [],
    );
    expect(shown).toEqual(['1 42', '2 27.3', '3 22', '4 20']);
  });
});
