import { createHash } from 'node:crypto';
import type { TrialRecord } from '../../../domain/record.ts';
import { withinHeap } from '../../../keep/store/heap-room.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { templatesOf } from '../../compare/case-rates.ts';
import { firstCases } from '../../compare/changed-cases.ts';
import type { Comparison, ComparisonOfRows } from '../../compare/comparison.ts';
import { RunBreakdown } from '../../compare/run-breakdown.ts';
import { experimentTable } from '../../compare/variants/variants-of-run.ts';
import { TrialPacker, type TrialPage } from '../../presentation/packed-trials.ts';
import { readClusteredFailures } from '../failure-clusters.ts';
import type { StoredRun } from '../reporter.ts';
import { readCounted, runView } from '../run-view.ts';
import { breakdownReport } from '../sections/breakdown.ts';
import { type DetailChunk, detailChunks, detailChunksOf } from './detail-chunks.ts';
import { type PageProgram, readProgram } from './page-program.ts';
import type { ReportDocument, ReportSide } from './report-document.ts';

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
 * The pages of the run with their data inside, piece by piece: a row for each trial, the run, the program, and last the
 * details, which it unpacks one by one. The program can start before the details have been read.
 */
export async function* pageOf(run: StoredRun): AsyncGenerator<string, void> {
  const program = await readProgram();
  yield opening(run, program);
  const breakdown = new RunBreakdown(templatesOf(run.summary.run));
  for await (const page of trialPages(run, breakdown)) yield dataElement('trials', page);
  yield dataElement('report', await reportDocument(run, breakdown));
  const before = await recordsOfA(run);
  if (before.length > 0) yield dataElement('trials', packedPage(before), 'a');
  yield `<script type="application/gzip" class="data-program">${program.packed}</script>\n`;
  yield `<script>${program.loader}</script>\n`;
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
  for (const trialId of trialsOfA(comparison)) {
    const record = await store.findTrial(trialId);
    if (record?.trialId === trialId) found.push(record);
  }
  return found;
}

function trialsOfA({ changedCases, details, judged }: ComparisonOfRows): string[] {
  const listed = [...(judged?.pairs ?? []), ...firstCases(changedCases, mostOfA), ...(details?.unchangedCases ?? [])];
  return [...new Set(listed.flatMap(({ trialA }) => trialA ?? []))].slice(0, mostOfA);
}

const trialsPerPage = 500;
/** Characters of inputs and answers in a page; trials that come later are without. */
const mostText = 12_000_000;

/** The trials of a run as lists have them, in plan order; each is added to the breakdown, which needs all of them too. */
async function* trialPages({ store, summary }: StoredRun, breakdown: RunBreakdown): AsyncGenerator<TrialPage, void> {
  let written = 0;
  let packer = new TrialPacker({ hasTexts: true });
  for await (const record of withinHeap(eachTrial(store, summary.run.runId))) {
    breakdown.add(record);
    packer.add(record);
    if (packer.size < trialsPerPage) continue;
    yield packer.packed();
    written += packer.characters;
    packer = new TrialPacker({ hasTexts: written < mostText });
  }
  if (packer.size > 0) yield packer.packed();
}

function packedPage(records: readonly TrialRecord[]): TrialPage {
  const packer = new TrialPacker({ hasTexts: false });
  for (const record of records) packer.add(record);
  return packer.packed();
}

function detailElement({ ordinals, traces, body }: DetailChunk, side: ReportSide): string {
  const names = `class="data-details" data-side="${side}" data-traces="${traces}" data-trials="${ordinals.join(' ')}"`;
  return `<script type="application/gzip" ${names}>${body}</script>\n`;
}

function dataElement(name: string, value: unknown, side: ReportSide = ''): string {
  const attributes = `type="application/json" class="data-${name}" data-side="${side}"`;
  return `<script ${attributes}>${embeddedJson(value)}</script>\n`;
}

function opening(
  { summary: { run, outcome, reason }, comparison, opensWith }: StoredRun,
  program: PageProgram,
): string {
  const isComparison = opensWith === 'comparison' && comparison !== undefined;
  const title = escapedHtml(isComparison ? comparison.summary : `${outcome}: ${reason} · ${run.runId}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy(program)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${program.styles}</style>
</head>
<body>
<div id="app"><noscript><h1>${title}</h1><p>This report needs the JavaScript inside this page: allow it to read the report. It makes no network requests.</p></noscript></div>
`;
}

/**
 * Nothing is loaded from anywhere. Only the program of the page, the loader that unpacks it and the one style sheet are
 * obeyed: also the policy that the loader is allowed to make gives out nothing else that would run.
 */
function contentPolicy({ loader, code, styles }: PageProgram): string {
  return [
    "default-src 'none'",
    `script-src '${fingerprint(loader)}' '${fingerprint(code)}'`,
    `style-src '${fingerprint(styles)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types assay-report',
  ].join('; ');
}

function fingerprint(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

async function reportDocument(stored: StoredRun, breakdown: RunBreakdown): Promise<ReportDocument> {
  const { summary, store, comparison } = stored;
  const { run } = summary;
  const { members, ...problems } = await readClusteredFailures(store, run.runId);
  return {
    run: runView(summary, await readCounted(stored), false),
    problems,
    members: [...members],
    breakdown: await breakdownReport(store, run, breakdown),
    comparison: comparison ? listedComparison(comparison) : null,
    variants: stored.variants ?? (await experimentTable(run, store)) ?? null,
    ranking: stored.ranking ?? null,
    opensWith: stored.opensWith ?? 'run',
  };
}

/** Further ones are in the other formats. */
const mostCases = 2_000;

function listedComparison(comparison: ComparisonOfRows): Comparison {
  const { changedCases, notes } = comparison;
  const cut = `${mostCases} of ${changedCases.length} changed cases are listed; \`assay compare\` lists all.`;
  return {
    ...comparison,
    changedCases: firstCases(changedCases, mostCases),
    notes: changedCases.length <= mostCases ? notes : [...notes, cut],
  };
}
