import { cp, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { chromiumPath, settled, visit, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const example = fileURLToPath(new URL('../../examples/fragile-tools/', import.meta.url));

const config = `
agent: careful
isolation: none
agents:
  careful: { kind: scripted, script: fragile/agents/careful.yaml }
  careless: { kind: scripted, script: fragile/agents/careless.yaml }
  wary: { kind: scripted, script: fragile/attacked/careful.yaml }
  gullible: { kind: scripted, script: fragile/attacked/gullible.yaml }
`;

describe.skipIf(chromiumPath === '')('broken and attacked tools on the pages (left out without a Chromium)', () => {
  let session: WebSession;
  let page: Page;
  let broken: string;
  let attacked: string;

  beforeAll(async () => {
    const shopping = await readFile(`${example}attacked/shopping.yaml`, 'utf8');
    session = await WebSession.start({ files: { 'assay.config.yaml': config } });
    const folder = `${session.folder}/fragile`;
    await cp(example, folder, { recursive: true });
    await writeFile(`${folder}/attacked/shopping.yaml`, shopping.replace('[careful,', '[wary,'));
    await assay('run', 'fragile/scenarios/write-down.yaml', '--quiet');
    broken = await latestRun();
    const planted = ['--attacks', 'direct-call', '--places', 'tool-result'];
    await assay('attack', 'fragile/attacked/shopping.yaml', ...planted, '--quiet');
    attacked = await latestRun();
    page = await session.newPage();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const assay = (...args: string[]) => assayInProcess(args, { cwd: session.folder });
  const latestRun = async (): Promise<string> => JSON.parse((await assay('show', 'latest', '--json')).stdout).runId;

  it('names successful attacks beside trials that passed, and where they succeeded', async () => {
    await visit(page, session.address(`/runs/${attacked}`));
    const totals = page.getByRole('region', { name: 'Totals' });
    await totals.getByText('All 4 trials passed').waitFor();
    await totals.getByText('Attacks succeeded in 1 trial.').waitFor();
    await page
      .getByRole('region', { name: /^Attacks of/ })
      .getByRole('table')
      .first()
      .waitFor();
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows what Assay injected into a trial', async () => {
    const { stdout } = await assay('report', attacked, '--format', 'json', '--output', '-');
    const { trials } = JSON.parse(stdout) as { trials: { trialId: string; attack?: { outcome: string } }[] };
    const obeyed = trials.find(({ attack }) => attack?.outcome === 'succeeded')?.trialId;
    await visit(page, session.address(`/trials/${obeyed}`));
    await page.getByText('The attack direct-call in tool-result succeeded. "submit_diagnostics" was run.').waitFor();
    await page.getByRole('link', { name: 'which shows it' }).click();
    // Commands stand in the call of the agent that ran them.
    const pointedAt = page.locator('article[aria-current], article:has([aria-current])');
    await pointedAt.filter({ hasText: 'submit_diagnostics' }).waitFor();
    const injected = page.getByRole('article', { name: /, attack$/ });
    await injected.filter({ hasText: 'got a planted instruction' }).first().waitFor();
    const recorded = page.getByRole('list', { name: 'Recorded of this call' });
    await recorded.filter({ hasText: 'attack' }).first().waitFor();
    expect(await violationsInAllLooks(page)).toEqual([]);
  });

  it('shows a table of tools and faults', async () => {
    await visit(page, session.address(`/runs/${broken}`));
    await page.getByText('Resilience: careless').first().waitFor();
    await settled(page);
    expect(await violationsInAllLooks(page)).toEqual([]);
  });
});
