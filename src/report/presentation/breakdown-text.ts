import { type Section, table } from '../../shared/blocks/block.ts';
import { counted, formatDuration, grouped, unknownFigure } from '../../shared/format.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import { shorten } from '../../shared/text.ts';
import { figureLabel, figureText } from '../compare/figure-words.ts';
import type { AssertionRate, MetricMean, ToolHealthRate } from '../compare/run-breakdown.ts';
import type { PlacedRate } from '../compare/run-figures.ts';
import { percentText, rangeText } from './figures.ts';

const rateHeads = ['#passed', '#rate', '#95 % interval'];

function rateCells({ passed, trials, rate, interval }: PassRate): string[] {
  const range = interval === null ? unknownFigure : rangeText(interval);
  return [`${grouped(passed)} / ${grouped(trials)}`, rate === null ? unknownFigure : percentText(rate), range];
}

/** The rate of each scenario and of each variant, where there are several; every rate has its own interval. */
export function rateSections(rates: readonly PlacedRate[]): Section[] {
  return (['scenario', 'variant'] as const).flatMap((name) => {
    const other = name === 'scenario' ? 'variant' : 'scenario';
    const placed = rates.filter((rate) => rate[other] === null);
    const rows = placed.map((rate) => [rate[name] || 'default', ...rateCells(rate), grouped(rate.cases)]);
    const blocks = [table([name, ...rateHeads, '#cases'], rows)];
    return rows.length < 2 ? [] : [{ title: `Pass rate by ${name}`, blocks }];
  });
}

export function assertionSection(assertions: readonly AssertionRate[]): Section {
  const rows = assertions.map(({ name, rate, unjudged }) => ({
    cells: [name, ...rateCells(rate), unjudged === 0 ? '' : grouped(unjudged)],
    tone: rate.passed < rate.trials ? ('bad' as const) : undefined,
  }));
  return { title: 'Assertions', blocks: [table(['assertion', ...rateHeads, '#not judged'], rows)] };
}

/** A value that was not observed is unknown, never 0. */
export function metricSection(metrics: readonly MetricMean[]): Section {
  const rows = metrics.map(({ name, unit, mean, lowest, highest, trials, missing }) => {
    const values = [mean, lowest, highest].map((value) => (value === null ? unknownFigure : figureText(value, unit)));
    const unknown = missing > 0 ? `, ${counted(missing, 'unknown', 'unknown')}` : '';
    return [figureLabel(name), ...values, `${grouped(trials)}${unknown}`];
  });
  return { title: 'Metrics', blocks: [table(['metric', '#mean', '#lowest', '#highest', '#trials'], rows)] };
}

/** The tests of MCP servers over all trials. */
export function healthSection(tests: readonly ToolHealthRate[]): Section {
  const heads = ['test', 'tool', 'scenario', '#passed', '#failed', '#not judged', '#mean time', 'first problem'];
  const rows = tests.map(({ scenario, test, tool, passed, failed, unjudged, meanMs, problem }) => [
    ...[test, tool, scenario, String(passed), String(failed), String(unjudged), formatDuration(meanMs)],
    shorten(problem ?? '', 300),
  ]);
  return { title: 'Tool health', blocks: rows.length === 0 ? [] : [table(heads, rows)] };
}
