import { type RunHeader, summarizeRun } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import { templatesOf } from '../../compare/case-rates.ts';
import { type AssertionRate, type MetricMean, RunBreakdown } from '../../compare/run-breakdown.ts';
import { healthSection, rateSections } from '../../presentation/breakdown-text.ts';
import { readPlacedRates, readRunFigures } from '../run-figures.ts';
import { detailSections } from './details.ts';

/** All that a report says about a run beside its totals and failures. */
export interface BreakdownReport {
  readonly assertions: readonly AssertionRate[];
  readonly metrics: readonly MetricMean[];
  readonly sections: readonly Section[];
}

const mostRows = 200;

/** Reads every trial of a run; to be done where no request waits for it. */
export async function readRunBreakdown(store: Store, run: RunHeader): Promise<BreakdownReport> {
  const breakdown = new RunBreakdown(templatesOf(run));
  for await (const record of eachTrial(store, run.runId)) breakdown.add(record);
  return breakdownReport(store, run, breakdown);
}

/** The same of a run whose trials were all added. */
export async function breakdownReport(store: Store, run: RunHeader, breakdown: RunBreakdown): Promise<BreakdownReport> {
  const stored = {
    store,
    summary: summarizeRun(run, await store.countTrials(run.runId), run.startedAt),
    judgeShare: null,
  };
  const sections: Section[] = rateSections(await readPlacedRates(stored));
  for await (const section of detailSections(stored, await readRunFigures(stored), 'page')) sections.push(section);
  return {
    assertions: breakdown.assertions().slice(0, mostRows),
    metrics: breakdown.metrics().slice(0, mostRows),
    sections: [...sections, healthSection(breakdown.toolHealth().slice(0, mostRows))].filter(
      ({ blocks }) => blocks.length > 0,
    ),
  };
}
