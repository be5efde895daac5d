import { createHash } from 'node:crypto';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunSummary } from '../../../domain/run.ts';
import { counted } from '../../../shared/format.ts';
import type { AttackTable } from '../../compare/attack-table.ts';
import { experimentTable } from '../../compare/variants/variants-of-run.ts';
import { attackView, attackWarning } from '../../presentation/attack-text.ts';
import { ciReport } from '../../presentation/ci-text.ts';
import { experimentLines } from '../../presentation/experiment-text.ts';
import { flakyText, passOfKTable } from '../../presentation/figures.ts';
import { resilienceView } from '../../presentation/resilience-text.ts';
import { readAttackTables } from '../attack-section.ts';
import { readCriteriaReport } from '../criteria-report.ts';
import { readFailureClusters } from '../failure-clusters.ts';
import type { StoredRun } from '../reporter.ts';
import { readCiReport, readPlacedRates, readRunFigures } from '../run-figures.ts';
import clientCode from './client/main.ts?bundled';
import styles from './client/report.css?raw';
import { comparisonPage, trialsOfA } from './comparison-page.ts';
import { type DetailChunk, detailChunks, detailChunksOf } from './detail-chunks.ts';
import { type PageHead, type PageSide, rowPages, rowsOfA } from './page-data.ts';
import { variantsPage } from './variants-page.ts';

/**
 * A value as JSON that can stand inside a script element: without `<` nothing in it can end the element, open a
 * comment or begin another script.
 */
function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}

/** Text as it may stand between tags and inside a quoted attribute. */
function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The report as one page, piece by piece: what the run is, a row for each trial, the program that shows them, and last
 * the details, which it unpacks one by one. The program can start before the details have been read.
 */
export async function* pageOf(run: StoredRun): AsyncGenerator<string, void> {
  yield opening(run);
  yield dataElement('data-head', await pageHead(run));
  for await (const page of rowPages(run)) yield dataElement('data-rows', page);
  const before = await recordsOfA(run);
  if (before.length > 0) yield dataElement('data-rows', rowsOfA(before));
  yield `<script>${clientCode}</script>\n`;
  for await (const chunk of detailChunks(run)) yield detailElement(chunk, '');
  for await (const chunk of detailChunksOf(before, run.store)) yield detailElement(chunk, 'a');
  yield '</body>\n</html>\n';
}

/** With more trials of A the page would be that of two runs. */
const mostOfA = 1_000;

/** The trials of A that the comparison leads to; none where both sides are of one run, or A is not in the store. */
async function recordsOfA({ comparison, store, summary }: StoredRun): Promise<TrialRecord[]> {
  if (!comparison || comparison.a.runId === summary.run.runId) return [];
  const found: TrialRecord[] = [];
  for (const trialId of trialsOfA(comparison, mostOfA)) {
    const record = await store.findTrial(trialId);
    if (record?.trialId === trialId) found.push(record);
  }
  return found;
}

function detailElement({ ordinals, traces, body }: DetailChunk, side: PageSide): string {
  const names = `class="data-details" data-side="${side}" data-traces="${traces}" data-trials="${ordinals.join(' ')}"`;
  return `<script type="application/gzip" ${names}>${body}</script>\n`;
}

function dataElement(name: string, value: unknown): string {
  return `<script type="application/json" class="${name}">${embeddedJson(value)}</script>\n`;
}

function opening({ summary: { run, outcome, reason }, comparison, opensWith }: StoredRun): string {
  const isComparison = opensWith === 'comparison' && comparison !== undefined;
  const title = escapedHtml(isComparison ? comparison.summary : `${outcome}: ${reason} · ${run.runId}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<div id="app"><noscript><h1>${title}</h1><p>This report needs the JavaScript inside this page: allow it to read the report. It makes no network requests.</p></noscript></div>
`;
}

/** Nothing is loaded from anywhere, and only the one program and the one style sheet of the page are obeyed. */
function contentPolicy(): string {
  return [
    "default-src 'none'",
    `script-src '${fingerprint(clientCode)}'`,
    `style-src '${fingerprint(styles)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function fingerprint(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** More groups than this are too many to read; all trials are in the list. */
const mostProblems = 100;
/** The list of trials has all of them. */
const mostTests = 200;

async function pageHead(stored: StoredRun): Promise<PageHead> {
  const { summary, comparison, store } = stored;
  const { run, ...rest } = summary;
  const { origin } = run.request;
  const variants = stored.variants ?? (await experimentTable(run, store));
  const attacks = await readAttackTables(stored);
  const figures = await readRunFigures(stored);
  return {
    ...rest,
    ...figures,
    resilience: (figures.resilience ?? []).map(resilienceView),
    runId: run.runId,
    startedAt: run.startedAt,
    status: run.status,
    assayVersion: run.assayVersion,
    origin: origin === null ? null : originText(origin),
    hookProblems: run.hookProblems ?? [],
    findings: [...attackFindings(attacks), ...(await readFindings(stored))],
    flaky: figures.repeats ? flakyText(figures.repeats) : '',
    passOfK: figures.repeats ? passOfKTable(figures.repeats) : undefined,
    scenarios: run.scenarios.map(({ name, file }) => ({ name, file })),
    rates: await readPlacedRates(stored),
    problems: await readFailureClusters(store, run.runId, mostProblems),
    comparison: comparison ? comparisonPage(comparison) : null,
    firstView: stored.opensWith ?? 'overview',
    variants: variants && variantsPage(variants, stored.ranking),
    attacks: attacks.map(attackView),
    criteria: await readCriteriaReport(stored, mostTests),
  };
}

function attackFindings(attacks: readonly AttackTable[]): PageHead['findings'] {
  const text = attackWarning(attacks);
  return text === undefined ? [] : [{ tone: 'warning', text }];
}

async function readFindings(stored: StoredRun): Promise<PageHead['findings']> {
  const experiment = experimentLines(stored.summary.run).map((text) => ({ tone: 'note', text }) as const);
  const verdict = await readCiReport(stored);
  if (!verdict) return experiment;
  const { outcome, summary, lines, unlisted } = ciReport(verdict);
  return [
    ...experiment,
    { tone: outcome === 'pass' ? 'note' : 'warning', text: summary },
    ...lines.map(({ mark, text }) => ({ tone: mark === 'note' ? mark : 'warning', text }) as const),
    ...(unlisted === 0 ? [] : [{ tone: 'note', text: `… and ${counted(unlisted, 'more line')}` } as const]),
  ];
}

function originText(origin: NonNullable<RunSummary['run']['request']['origin']>): string {
  if (origin.kind === 'edit') return `input of trial ${origin.trialId}, edited; not evidence`;
  if (origin.kind === 'rescore') return `evaluated again from run ${origin.runId}`;
  if (origin.kind === 'rule') return `collected traces, judged by the rule ${origin.rule}`;
  return `${origin.kind === 'import' ? 'imported' : 'evaluated'} from ${origin.file} (${origin.format})`;
}
