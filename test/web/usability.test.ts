import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillForWalk, usabilityWalk, walkFiles } from '../../bench/usability-walk.mjs';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { chromiumPath, settled, WebSession } from '../../src/testing/support/web-session.ts';
import { violationsInAllLooks } from '../../src/testing/support/web-violations.ts';

const mostClicks = 12;
/** A store of 100,000 trials is filled first. */
const fillingMs = 300_000;

describe.skipIf(chromiumPath === '')(
  'from the newest failure to a shared result (left out where there is no Chromium)',
  () => {
    let session: WebSession;
    let page: Page;
    let link: string;

    beforeAll(async () => {
      session = await WebSession.start({
        files: walkFiles,
        fill: (store) => fillForWalk(store, { runHeader, finishedTrial }),
      });
      page = await session.newPage();
      page.setDefaultTimeout(60_000);
    }, fillingMs);
    afterAll(() => session[Symbol.asyncDispose]());

    it(
      'takes at most 12 clicks and no load of a page, on 100,000 trials',
      async () => {
        const walk = await usabilityWalk(page, (path) => session.address(path));
        const lines = walk.steps.map(({ name, ms, clicks }) => `  ${name}: ${clicks} clicks, ${ms.toFixed(0)} ms`);
        process.stdout.write(`${lines.join('\n')}\n`);
        expect(walk.clicks).toBeLessThanOrEqual(mostClicks);
        expect(walk.isSamePage).toBe(true);
        expect(await readFile(join(session.folder, 'orders.yaml'), 'utf8')).toContain('result.total === 42');
        link = walk.link;
      },
      fillingMs,
    );

    it('gives a link that opens the comparison for a reader, and not the token of the one who shares', async () => {
      expect(await violationsInAllLooks(page)).toEqual([]);
      const token = new URL(link).searchParams.get('token') ?? '';
      expect(token).toMatch(/^assay_/);
      const colleague = await session.openAs(token, new URL(link).pathname + new URL(link).search);
      await settled(colleague);
      await colleague.getByText('fixed', { exact: true }).first().waitFor();
      expect(colleague.url()).not.toContain(token);
      const answer = await colleague.evaluate("fetch('/api/session').then((response) => response.json())");
      expect(answer).toMatchObject({ role: 'reader', tokenName: expect.stringMatching(/^shared-/) });
      // A reader has no access to give.
      await colleague.getByRole('button', { name: 'Share' }).click();
      await colleague.getByRole('button', { name: 'Copy link' }).click();
      const given = await colleague.getByLabel('Link', { exact: true }).inputValue();
      expect(given).toMatch(/\/compare\?/);
      expect(given).not.toContain('token');
      await colleague.context().close();
    });

    it('gives a file that opens from disk with the comparison and the traces of both sides', async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download HTML' }).click(),
      ]);
      const path = join(session.folder, 'shared.html');
      await download.saveAs(path);
      const file = await session.newPage();
      await file.goto(pathToFileURL(path).href);
      await file.getByRole('heading', { level: 2, name: 'Answer' }).waitFor();
      await file
        .getByText(/pass rate/)
        .first()
        .waitFor();
      const late = file.getByRole('listitem').filter({ hasText: 'Orders › late' });
      await late.getByRole('link', { name: 'Trial of A' }).click();
      await file.getByText('result.total is 42, not 41').first().waitFor();
      await file.locator('[data-event]').first().waitFor();
    });
  },
);
