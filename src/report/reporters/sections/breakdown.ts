import { type RunHeader, summarizeRun } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import { templatesOf } from '../../compare/case-rates.ts';
import { type AssertionRate, type MetricMean, RunBreakdown } from '../../compare/run-breakdown.ts';
import { healthSection, rateSections } from '../../presentation/breakdown-text.ts';
import { readPlacedRates, readRunFigures } from '../run-figures.ts';
import { pageSections } from './details.ts';
import { readTogether } from './shared-pages.ts';

/** All that a report says about a run beside its totals and failures. */
export interface BreakdownReport {
  readonly assertions: readonly AssertionRate[];
  readonly metrics: readonly MetricMean[];
  readonly sections: readonly Section[];
}

const mostRows = 200;

/** Reads every trial of a run once; to be done where no request waits for it. */
export async function readRunBreakdown(store: Store, run: RunHeader): Promise<BreakdownReport> {
  const breakdown = new RunBreakdown(templatesOf(run));
  return breakdownReport(store, run, breakdown, async (shared) => {
    for await (const record of eachTrial(shared, run.runId)) breakdown.add(record);
  });
}

/** The same of a run whose trials were all added, or are while the sections are made: in pages that are read for all. */
export async function breakdownReport(
  store: Store,
  run: RunHeader,
  breakdown: RunBreakdown,
  addTrials: (shared: Store) => Promise<void> = async () => undefined,
): Promise<BreakdownReport> {
  const summary = summarizeRun(run, await store.countTrials(run.runId), run.startedAt);
  const stored = { store, summary, judgeShare: null };
  const rates = rateSections(await readPlacedRates(stored));
  const figures = await readRunFigures(stored);
  const adding = async (shared: Store): Promise<readonly Section[]> => addTrials(shared).then(() => []);
  const details = await readTogether(store, [...pageSections(stored, figures), adding]);
  const health = healthSection(breakdown.toolHealth().slice(0, mostRows));
  return {
    assertions: breakdown.assertions().slice(0, mostRows),
    metrics: breakdown.metrics().slice(0, mostRows),
    sections: [...rates, ...details.flat(), health].filter(({ blocks }) => blocks.length > 0),
  };
}
