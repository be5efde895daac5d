import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { finishedTrial } from '../../../testing/samples.ts';
import { fullTrial, storedRun } from '../../../testing/support/report-run.ts';
import type { StoredRun } from '../reporter.ts';
import { pageOf } from './page.ts';
import type { PageHead, RowPage, TrialDetail } from './page-data.ts';

async function htmlOf(run: StoredRun): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of pageOf(run)) pieces.push(piece);
  return pieces.join('');
}

function dataIn(html: string, name: string): unknown[] {
  const elements = html.matchAll(new RegExp(`<script type="application/json" class="${name}">(.*?)</script>`, 'gs'));
  return [...elements].map((match) => JSON.parse(match[1] ?? ''));
}

function detailsIn(html: string): { ordinals: number[]; details: TrialDetail[] }[] {
  const elements = html.matchAll(
    /class="data-details" data-side="" data-traces="\d+" data-trials="([\d ]+)">([^<]*)<\/script>/g,
  );
  return [...elements].map(([, ordinals = '', body = '']) => ({
    ordinals: ordinals.split(' ').map(Number),
    details: gunzipSync(Buffer.from(body, 'base64'))
      .toString('utf8')
      .split('\n')
      .map((line) => JSON.parse(line)),
  }));
}

describe('the page of a report', () => {
  it('holds the run, a row for each trial, and all that is known of each', async () => {
    const trials = [fullTrial(0), fullTrial(1, { outcome: 'pass' }), fullTrial(2, { outcome: 'error' })];
    await using run = await storedRun(trials);
    const html = await htmlOf(run);
    const [head] = dataIn(html, 'data-head') as PageHead[];
    expect(head).toMatchObject({
      runId: 'r-report',
      outcome: 'fail',
      totals: { planned: 3, pass: 1, fail: 1, error: 1 },
    });
    expect(head?.problems.count).toBe(2);
    const [page] = dataIn(html, 'data-rows') as RowPage[];
    expect(page?.rows.map(([ordinal, trialId]) => [ordinal, trialId])).toEqual(
      trials.map(({ record }) => [record.ordinal, record.trialId]),
    );
    const found = detailsIn(html).flatMap(({ ordinals, details }) =>
      details.map((detail, index) => [ordinals[index], detail] as const),
    );
    // Trials that did not pass come first.
    expect(found.map(([ordinal]) => ordinal)).toEqual([0, 2, 1]);
    for (const [ordinal, { record, trace }] of found) {
      expect(record).toEqual(trials[ordinal ?? -1]?.record);
      expect(trace).toEqual(trials[ordinal ?? -1]?.trace);
    }
  });

  it('obeys only the program and the style sheet that it was written with, and loads nothing', async () => {
    await using run = await storedRun([fullTrial(0)]);
    const html = await htmlOf(run);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const program = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const styles = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    const fingerprint = (text: string): string => createHash('sha256').update(text).digest('base64');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${fingerprint(program)}'`);
    expect(policy).toContain(`style-src 'sha256-${fingerprint(styles)}'`);
    expect(policy).not.toContain('unsafe');
    const addresses = (program + styles).match(/https?:\/\/[^'"`\s)]+/g) ?? [];
    expect([...new Set(addresses)]).toEqual(['http://www.w3.org/2000/svg']);
    expect(styles).not.toMatch(/@import|url\(/);
    expect(styles).toContain('color-scheme');
  });

  it('has a small program that brings nothing but itself', async () => {
    await using run = await storedRun([]);
    const program = /<script>(.*?)<\/script>/s.exec(await htmlOf(run))?.[1] ?? '';
    expect(program.length).toBeGreaterThan(10_000);
    expect(program.length).toBeLessThan(60_000);
    expect(program).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|fetch\(|XMLHttpRequest|Zod/,
    );
  });

  it.each(['</script><script>alert(1)</script>', '<!-- <script>', ']]>', '</title><svg/onload=alert(1)>'])(
    'has no place where %j becomes markup',
    async (text) => {
      await using plain = await storedRun([fullTrial(0, { text: 'plain' })], { runId: 'r-report' });
      const trial = fullTrial(0, { text });
      await using run = await storedRun([trial]);
      const [expected, html] = [await htmlOf(plain), await htmlOf(run)];
      const tags = (page: string): string[] => page.match(/<[/!]?[a-z-]+/gi) ?? [];
      expect(tags(html)).toEqual(tags(expected));
    },
  );

  it('says what is left of an empty run', async () => {
    await using run = await storedRun([], { status: 'interrupted', planned: 4 });
    const html = await htmlOf(run);
    expect(dataIn(html, 'data-rows')).toEqual([]);
    expect((dataIn(html, 'data-head') as PageHead[])[0]).toMatchObject({ outcome: 'error', status: 'interrupted' });
  });

  it('is written in pieces that do not grow with the run', async () => {
    const longestPiece = async (trials: number): Promise<number> => {
      await using run = await storedRun(
        Array.from({ length: trials }, (_, index) => finishedTrial('r-report', index, { outcome: 'pass' })),
      );
      let longest = 0;
      for await (const piece of pageOf(run)) longest = Math.max(longest, piece.length);
      return longest;
    };
    expect(await longestPiece(2_000)).toBeLessThan(1.1 * (await longestPiece(1_000)));
  });
});
