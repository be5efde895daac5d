import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failureClustersSchema, runBreakdownSchema, runDetailSchema } from '../../../entry/server/api/runs.ts';
import { finishedTrial } from '../../../testing/samples.ts';
import { fullTrial, storedRun } from '../../../testing/support/report-run.ts';
import { type TrialPage, unpackedTrials } from '../../presentation/packed-trials.ts';
import type { StoredRun } from '../reporter.ts';
import { pageOf } from './page.ts';
import type { ReportDocument, ReportedDetail } from './report-document.ts';

async function htmlOf(run: StoredRun): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of pageOf(run)) pieces.push(piece);
  return pieces.join('');
}

function dataIn(html: string, name: string): unknown[] {
  const elements = html.matchAll(
    new RegExp(`<script type="application/json" class="data-${name}" data-side="">(.*?)</script>`, 'gs'),
  );
  return [...elements].map((match) => JSON.parse(match[1] ?? ''));
}

function detailsIn(html: string): { ordinals: number[]; details: ReportedDetail[] }[] {
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

function programIn(html: string): string {
  const [, packed = ''] = /class="data-program">([^<]*)<\/script>/.exec(html) ?? [];
  return gunzipSync(Buffer.from(packed, 'base64')).toString('utf8');
}

/** Of the program, and of the page of an empty run: one that grows has to say what for. */
const [mostCharacters, mostOfPage] = [700_000, 370_000];

describe('the page of a report', () => {
  it('holds the run, a row for each trial, and all that is known of each', async () => {
    const trials = [fullTrial(0), fullTrial(1, { outcome: 'pass' }), fullTrial(2, { outcome: 'error' })];
    await using run = await storedRun(trials);
    const html = await htmlOf(run);
    const [report] = dataIn(html, 'report') as ReportDocument[];
    expect(report?.run).toMatchObject({
      runId: 'r-report',
      outcome: 'fail',
      totals: { planned: 3, pass: 1, fail: 1, error: 1 },
    });
    expect(report?.problems.clusters.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    const listed = (dataIn(html, 'trials') as TrialPage[]).flatMap(unpackedTrials);
    expect(listed.map(({ ordinal, trialId, outcome }) => [ordinal, trialId, outcome])).toEqual(
      trials.map(({ record }) => [record.ordinal, record.trialId, record.outcome]),
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

  it('holds what the server answers to the pages', async () => {
    const trials = Array.from({ length: 6 }, (_, index) =>
      fullTrial(index, { outcome: index % 2 === 0 ? 'fail' : 'pass' }),
    );
    await using run = await storedRun(trials);
    const [report] = dataIn(await htmlOf(run), 'report') as ReportDocument[];
    const nothing = { canCancel: false, canResume: false, canRetryErrors: false, canRescore: false };
    const detail = { ...report?.run, ...nothing, whyNotAgain: null, again: { failed: 0, flaky: 0 } };
    expect(runDetailSchema.parse(detail)).toMatchObject({ runId: 'r-report' });
    expect(failureClustersSchema.parse(report?.problems).clusters.length).toBeGreaterThan(0);
    expect(runBreakdownSchema.parse(report?.breakdown).sections.length).toBeGreaterThan(0);
  });

  it('obeys only the program and the style sheet that it was written with, and loads nothing', async () => {
    await using run = await storedRun([fullTrial(0)]);
    const html = await htmlOf(run);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const loader = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const styles = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    const program = programIn(html);
    const fingerprint = (text: string): string => createHash('sha256').update(text).digest('base64');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${fingerprint(loader)}' 'sha256-${fingerprint(program)}'`);
    expect(policy).toContain(`style-src 'sha256-${fingerprint(styles)}'`);
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types assay-report");
    expect(policy).not.toContain('unsafe');
    expect(loader).not.toMatch(/https?:|fetch\(|eval\(/);
    expect(styles).not.toMatch(/@import|url\(/);
    expect(styles).toContain('color-scheme');
  });

  it('has a program without what a report cannot do', async () => {
    await using run = await storedRun([]);
    const html = await htmlOf(run);
    const program = programIn(html);
    expect(program.length).toBeGreaterThan(100_000);
    expect(program.length).toBeLessThan(mostCharacters);
    expect(html.length).toBeLessThan(mostOfPage);
    expect(program).not.toMatch(
      /(await |[=,;(:?&|])fetch\(|XMLHttpRequest|EventSource|WebSocket|ZodError|cm-editor|\beval\(|document\.write/,
    );
    const words = ['Run again', 'Copy link', 'Saved filters', 'Edit and run again', 'Let a judge compare'];
    expect(words.filter((word) => program.includes(word))).toEqual([]);
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
    expect(dataIn(html, 'trials')).toEqual([]);
    expect((dataIn(html, 'report') as ReportDocument[])[0]?.run).toMatchObject({
      outcome: 'error',
      status: 'interrupted',
    });
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
