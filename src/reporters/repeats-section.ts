import { type RepeatedCaseFigures, type RepeatFigures, RepeatTally } from '../compare/repeats.ts';
import { inline } from '../shared/markdown-inline.ts';
import { counted } from '../shared/numbers.ts';
import { printable } from '../shared/printable.ts';
import { eachTrial } from '../store/store.ts';
import type { StoredRun } from './reporter.ts';
import { trialTitle } from './trial-text.ts';

const mostShown = 20;

/** What repeats show: how often each case passes, and how far one try can be relied on. */
export async function repeatsSection({ store, summary }: StoredRun, style: 'console' | 'markdown'): Promise<string> {
  const tally = new RepeatTally();
  for await (const record of eachTrial(store, summary.run.runId)) tally.add(record);
  const figures = tally.figures(mostShown);
  if (figures.cases === 0) return '';
  return style === 'markdown' ? markdownOf(figures) : textOf(figures);
}

function textOf(figures: RepeatFigures): string {
  const rows = figures.shown.map((one) => {
    const { passed, tried } = one;
    return `  ${`${passed}/${tried}`.padStart(7)}  ${rangeText(one).padStart(14)}  ${printable(titleOf(one))}${unjudgedText(one)}`;
  });
  return [`Repeats: ${summaryOf(figures)}`, ...rows, ...moreText(figures).map((text) => `  ${text}`)].join('\n');
}

function markdownOf(figures: RepeatFigures): string {
  const rows = figures.shown.map((one) => {
    const { passed, tried, flakiness } = one;
    const title = `${inline(titleOf(one))}${unjudgedText(one)}`;
    return `| ${title} | ${passed}/${tried} | ${rangeText(one)} | ${percent(flakiness)} |`;
  });
  const head = ['| case | passed | 95 % interval | flakiness |', '|---|---:|---:|---:|'];
  const table = rows.length > 0 ? ['', ...head, ...rows] : [];
  const more = moreText(figures).flatMap((text) => ['', text]);
  return `${['## Repeats', '', summaryOf(figures), ...table, ...more].join('\n')}\n`;
}

/** pass@k and pass^k need a judged try of every case; leaving some out would flatter. */
function summaryOf({ cases, flaky, k, passAtK, passHatK }: RepeatFigures): string {
  const steady = flaky === 0 ? 'all end alike each time' : `${flaky} end now one way and now the other`;
  const counts = `${counted(cases, 'case')}, ${steady}`;
  if (k === 0 || passAtK === undefined || passHatK === undefined) {
    return `${counts}; a case could never be judged, so that pass@k and pass^k are not known`;
  }
  return `${counts}; pass@${k} ${percent(passAtK)} (at least one of ${k}), pass^${k} ${percent(passHatK)} (all of ${k})`;
}

function moreText({ hidden }: RepeatFigures): string[] {
  return hidden > 0 ? [`… and ${counted(hidden, 'more case')} that did not always pass`] : [];
}

function rangeText({ interval }: RepeatedCaseFigures): string {
  return `${Math.round(interval.low * 100)} to ${percent(interval.high)}`;
}

function unjudgedText({ unjudged }: RepeatedCaseFigures): string {
  return unjudged > 0 ? ` (${unjudged} not judged)` : '';
}

function titleOf(one: RepeatedCaseFigures): string {
  return trialTitle({ ...one, repeat: 1 });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
