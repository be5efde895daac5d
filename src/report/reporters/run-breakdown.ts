import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { formatDuration, grouped, unknownFigure } from '../../shared/format.ts';
import { shorten } from '../../shared/text.ts';
import { templatesOf } from '../compare/case-rates.ts';
import { guidanceViews } from '../compare/guidance-text.ts';
import { type AssertionRate, type MetricMean, RunBreakdown, type ToolHealthRate } from '../compare/run-breakdown.ts';
import type { PlacedRate } from '../compare/run-figures.ts';
import { percentText, rangeText } from '../presentation/figures.ts';
import { shareText } from '../presentation/triggering-text.ts';
import { type CriteriaReport, performanceCells, performanceHead, readCriteriaReport } from './criteria-report.ts';
import { readGuidance } from './guidance-section.ts';
import { readPlacedRates } from './run-figures.ts';
import { readTriggering } from './triggering-section.ts';
import { readSimulatedUsers } from './users-section.ts';

/** A table of a run in words, as the console has it. */
interface BreakdownTable {
  readonly title: string;
  readonly columns: readonly { readonly header: string; readonly isFigure: boolean }[];
  readonly rows: readonly (readonly string[])[];
  /** Where each row is a trial, which it leads to. */
  readonly trialIds?: readonly string[] | undefined;
  /** Rows that were left out. */
  readonly unlisted: number;
  readonly notes: readonly string[];
  readonly findings: readonly BreakdownFinding[];
}

/** A diagnosis, with the commands that it rests on. */
interface BreakdownFinding {
  readonly title: string;
  readonly text: string;
  readonly commands: readonly string[];
}

/** All that a report says about a run beside its totals and failures. */
export interface BreakdownReport {
  readonly assertions: readonly AssertionRate[];
  readonly metrics: readonly MetricMean[];
  readonly tables: readonly BreakdownTable[];
}

const mostRows = 200;
const mostTables = 20;

/** Reads every trial of a run; to be done where no request waits for it. */
export async function readRunBreakdown(store: Store, run: RunHeader): Promise<BreakdownReport> {
  const breakdown = new RunBreakdown(templatesOf(run));
  for await (const record of eachTrial(store, run.runId)) breakdown.add(record);
  return breakdownReport(store, run, breakdown);
}

/** The same of a run whose trials were all added. */
export async function breakdownReport(store: Store, run: RunHeader, breakdown: RunBreakdown): Promise<BreakdownReport> {
  const hasAgents = run.scenarios.some(({ isAgentDriven }) => isAgentDriven);
  const stored = { store, summary: summarizeRun(run, await store.countTrials(run.runId), run.startedAt) };
  const tables = [
    ...rateTables(await readPlacedRates(stored)),
    ...criteriaTables(await readCriteriaReport(stored, mostRows)),
    ...(hasAgents ? await guidanceTables(store, run.runId) : []),
    ...(hasAgents ? await triggeringTables(store, run.runId) : []),
    ...healthTables(breakdown.toolHealth()),
    ...(run.scenarios.some(({ isConversation }) => isConversation) ? await userTables(store, run.runId) : []),
  ];
  return {
    assertions: breakdown.assertions().slice(0, mostRows),
    metrics: breakdown.metrics().slice(0, mostRows),
    tables,
  };
}

/** The rate of each scenario and of each variant, where there are several; every rate has its own interval. */
function rateTables(rates: readonly PlacedRate[]): BreakdownTable[] {
  const byScenario = rates.filter(({ variant }) => variant === null);
  const byVariant = rates.filter(({ scenario }) => scenario === null);
  const rowsOf = (placed: readonly PlacedRate[], name: 'scenario' | 'variant'): string[][] =>
    placed.length < 2 ? [] : placed.map((rate) => [rate[name] || 'default', ...rateCells(rate)]);
  const figures = ['Passed', 'Rate', '95 % interval', 'Cases'];
  return [
    ...tableOf('Pass rate by scenario', ['Scenario', ...figures], rowsOf(byScenario, 'scenario'), []),
    ...tableOf('Pass rate by variant', ['Variant', ...figures], rowsOf(byVariant, 'variant'), []),
  ];
}

function rateCells({ passed, trials, rate, interval, cases }: PlacedRate): string[] {
  const [share, range] = [rate === null ? unknownFigure : percentText(rate), interval && rangeText(interval)];
  return [`${grouped(passed)} / ${grouped(trials)}`, share, range ?? unknownFigure, grouped(cases)];
}

/** Tests of tools that are called directly, and their times. */
function criteriaTables(report: CriteriaReport | null): BreakdownTable[] {
  if (!report) return [];
  const tests = report.tests.map(({ title, counts, durationMs }) => [
    title,
    counts,
    durationMs === null ? unknownFigure : formatDuration(durationMs),
  ]);
  const notes = report.isCut ? ['Only the first tests of the run are listed here; the list of trials has all.'] : [];
  return [
    ...tableOf('Tests', ['Test', 'Criteria', 'Took'], tests, notes).map((table) => ({
      ...table,
      trialIds: report.tests.slice(0, mostRows).map(({ trialId }) => trialId),
    })),
    ...tableOf('Performance', performanceHead.map(capitalized), report.performance.map(performanceCells), []),
  ];
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

async function guidanceTables(store: Store, runId: string): Promise<BreakdownTable[]> {
  const views = guidanceViews(await readGuidance(store, runId));
  return views.slice(0, mostTables).map(({ title, columns, rows, notes, findings }) => ({
    ...{ title: `Guidance and variants: ${title}`, rows, unlisted: 0, notes, findings },
    columns: columns.map((header, index) => ({ header, isFigure: index > 0 })),
  }));
}

async function triggeringTables(store: Store, runId: string): Promise<BreakdownTable[]> {
  const found = await readTriggering(store, runId);
  const rows = found.map(({ title, figures }) => {
    const { truePositives, falseNegatives, falsePositives, trueNegatives } = figures;
    const wanted = `${truePositives}/${truePositives + falseNegatives}`;
    const wrong = `${falsePositives}/${falsePositives + trueNegatives}`;
    return [title, shareText(figures.precision), shareText(figures.recall), wanted, wrong];
  });
  const columns = ['Scenario', 'Precision', 'Recall', 'Triggered as wanted', 'Triggered wrongly'];
  return tableOf('Skill triggering', columns, rows, ['Each prompt counts once; 95 % intervals.']);
}

function healthTables(tests: readonly ToolHealthRate[]): BreakdownTable[] {
  const rows = tests.map(({ scenario, test, tool, passed, failed, unjudged, meanMs, problem }) => [
    ...[test, tool, scenario, String(passed), String(failed), String(unjudged), formatDuration(meanMs)],
    shorten(problem ?? '', 300),
  ]);
  const columns = ['Test', 'Tool', 'Scenario', 'Passed', 'Failed', 'Not judged', 'Mean time', 'First problem'];
  return tableOf('Tool health', columns, rows, []);
}

async function userTables(store: Store, runId: string): Promise<BreakdownTable[]> {
  const rows = await readSimulatedUsers(store, runId);
  return tableOf('Simulated users', ['Scenario', 'Kept to the brief', 'Not reviewed', 'Breaches'], rows, []);
}

const textColumns = new Set(['Scenario', 'Variant', 'Criteria', 'Test', 'Tool', 'First problem', 'Breaches']);

function tableOf(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  notes: readonly string[],
): BreakdownTable[] {
  if (rows.length === 0) return [];
  const unlisted = Math.max(0, rows.length - mostRows);
  const described = columns.map((header) => ({ header, isFigure: !textColumns.has(header) }));
  return [{ title, columns: described, rows: rows.slice(0, mostRows), unlisted, notes, findings: [] }];
}
