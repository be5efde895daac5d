import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { formatDuration } from '../../shared/format.ts';
import { shorten } from '../../shared/text.ts';
import { templatesOf } from '../compare/case-rates.ts';
import { guidanceViews } from '../compare/guidance-text.ts';
import { type AssertionRate, type MetricMean, RunBreakdown, type ToolHealthRate } from '../compare/run-breakdown.ts';
import { shareText } from '../presentation/triggering-text.ts';
import { readGuidance } from './guidance-section.ts';
import { readTriggering } from './triggering-section.ts';
import { readSimulatedUsers } from './users-section.ts';

/** A table of a run in words, as the console has it. */
interface BreakdownTable {
  readonly title: string;
  readonly columns: readonly { readonly header: string; readonly isFigure: boolean }[];
  readonly rows: readonly (readonly string[])[];
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
  const hasAgents = run.scenarios.some(({ isAgentDriven }) => isAgentDriven);
  const tables = [
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

const textColumns = new Set(['Scenario', 'Test', 'Tool', 'First problem', 'Breaches']);

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
