import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { unpackedTrials } from '../../src/report/presentation/packed-trials.ts';
import type { CommandResult } from '../../src/testing/support/assay.ts';

/** What a view says about the trial of a scenario. */
export interface Shown {
  readonly outcome: 'pass' | 'not passed';
  /** Figures by name; undefined where the view shows none. */
  readonly figures?: Readonly<Record<string, number | null>>;
}

/** A report, read back: what it says about each scenario. */
export type View = ReadonlyMap<string, Shown>;

export const reporters = ['console', 'json', 'junit', 'markdown', 'html', 'csv', 'github'] as const;

const shown = (isPass: boolean, figures?: Shown['figures']): Shown => ({
  outcome: isPass ? 'pass' : 'not passed',
  ...(figures && { figures }),
});

/** Every report of a run whose reports were written into a folder. */
export async function readViews(folder: string, { stdout }: CommandResult): Promise<Record<string, View>> {
  const text = (name: string) => readFile(join(folder, name), 'utf8');
  return {
    console: consoleView(stdout),
    json: jsonView(await text('run.json')),
    junit: junitView(await text('junit.xml')),
    markdown: markdownView(await text('report.md')),
    html: htmlView(await text('report.html')),
    csv: csvView(await text('trials.csv')),
    github: githubView(await text('github-summary.md')),
  };
}

export interface TrialDocument {
  readonly scenario: string;
  readonly outcome: string;
  readonly costUsd: number | null;
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Trials as the JSON report and the API have them. */
export function trialsView(trials: readonly TrialDocument[]): View {
  return new Map(
    trials.map(({ scenario, outcome, costUsd, metrics }) => [
      scenario,
      shown(outcome === 'pass', { costUsd, ...metrics }),
    ]),
  );
}

function jsonView(text: string): View {
  return trialsView((JSON.parse(text) as { trials: TrialDocument[] }).trials);
}

function consoleView(text: string): View {
  const lines = text.matchAll(/^ {2}(\S) (.+) (\d+)\/(\d+)(?: .*)?$/gm);
  return new Map([...lines].map(([, mark, name = '', passed]) => [name, shown(mark === '✓' || Number(passed) > 0)]));
}

function junitView(text: string): View {
  const suites = text.matchAll(
    /<testsuite name="([^"]*)" tests="\d+" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/g,
  );
  return new Map(
    [...suites].map(([, name = '', ...problems]) => [unescaped(name), shown(problems.every((count) => count === '0'))]),
  );
}

function markdownView(text: string): View {
  const items = text.matchAll(/^- (\S) (.+) (\d+)\/(\d+)(?: .*)?$/gm);
  return new Map(
    [...items].map(([, mark, name = '', passed]) => [
      name.replace(/\\(.)/g, '$1'),
      shown(mark === '✓' || Number(passed) > 0),
    ]),
  );
}

function htmlView(text: string): View {
  const pages = text.matchAll(/<script type="application\/json" class="data-trials"[^>]*>([\s\S]*?)<\/script>/g);
  const trials = [...pages].flatMap(([, json = '']) => unpackedTrials(JSON.parse(json)));
  return trialsView(trials);
}

function csvView(text: string): View {
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  const figure = (cell: string | undefined) => (cell === undefined || cell === '' ? null : Number(cell));
  return new Map(
    rows.map((row) => {
      const metrics = Object.entries(row).filter(([name]) => name.startsWith('metric.'));
      const figures = Object.fromEntries(metrics.map(([name, cell]) => [name.slice('metric.'.length), figure(cell)]));
      return [row.scenario ?? '', shown(row.outcome === 'pass', { costUsd: figure(row.cost_usd), ...figures })];
    }),
  );
}

function githubView(text: string): View {
  const items = text.matchAll(/<li>(\S+) <code>([^<]*)<\/code>: (\d+) of \d+/g);
  return new Map(
    [...items].map(([, mark, name = '', passed]) => [unescaped(name), shown(mark === '✅' || Number(passed) > 0)]),
  );
}

function unescaped(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
