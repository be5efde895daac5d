import { counted, grouped } from '../../../shared/format.ts';
import { firstCases } from '../../compare/changed-cases.ts';
import type {
  ChangedCase,
  ComparedCase,
  ComparedSide,
  Comparison,
  FigureDots,
  MetricComparison,
} from '../../compare/comparison.ts';
import {
  answerTo,
  figureText,
  foldedFigures,
  fullChangeText,
  isCompared,
  likeTheseCell,
  rowLabel,
  sampleText,
  sideTexts,
  tasksCell,
} from '../../compare/figure-words.ts';
import type { JudgedPair } from '../../compare/judged-pair.ts';
import { pairwiseTexts } from '../../compare/judged-pairs.ts';
import { regressionWarnings } from '../../compare/regression-warnings.ts';
import {
  type DrawnDifference,
  differencesDrawing,
  dotsDrawing,
  isDrawable,
  ratioDifferences,
  shareDifferences,
} from '../../presentation/comparison-pictures.ts';
import { costText, timeText } from '../../presentation/figures.ts';
import { orderText, quoteSourceText, winnerWords } from '../../presentation/pair-text.ts';
import { caseTitle, changeWords, triesText } from '../../presentation/trial-text.ts';
import type { DrawnTable, WordTable } from './variants-page.ts';

/** A case on both sides, with a trial of each as an example. */
export interface ListedCase {
  readonly look: 'pass' | 'fail' | 'error' | 'skipped';
  readonly word: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** Words of the attempts, and where they stand. */
  readonly quotes: readonly (readonly [quote: string, source: string])[];
  /** `5/5 → 1/5`; empty where one trial of each side was looked at. */
  readonly tries: string;
  readonly trialA: string | null;
  readonly trialB: string | null;
}

/** A list of cases under a title. */
export interface CaseList {
  readonly title: string;
  readonly texts: readonly string[];
  readonly cases: readonly ListedCase[];
}

/** The comparison as the page shows it: put into words and pictures here, which keeps its program small. */
export interface ComparisonPage {
  readonly summary: string;
  readonly against: string;
  readonly sides: WordTable;
  readonly remarks: readonly { readonly tone: 'note' | 'warning'; readonly text: string }[];
  readonly figures: WordTable;
  /** Figures without an answer, in one line. */
  readonly folded: string | null;
  readonly pictures: readonly DrawnTable[];
  readonly lists: readonly CaseList[];
  readonly tables: readonly WordTable[];
}

/** Two sides next to each other: the answers first, then what changed. */
export function comparisonPage(comparison: Comparison): ComparisonPage {
  const { a, b, metrics } = comparison;
  const { listed, folded } = foldedFigures(metrics);
  return {
    summary: comparison.summary,
    against: `${b.label} against ${a.label}`,
    sides: {
      title: 'Sides',
      headers: ['Side', 'Run', 'Started', '#Trials', '#Not judged', '#Cost'],
      rows: [sideRow('A, before', a), sideRow('B, new', b)],
    },
    remarks: remarksOf(comparison),
    figures: {
      title: 'Answers',
      headers: [
        'Figure',
        '#A',
        '#B',
        '#Difference or ratio',
        'On these tasks (95 % interval)',
        'For tasks like these (95 % interval)',
        '#Cases',
      ],
      rows: listed.map(metricRow),
    },
    folded: folded ?? null,
    pictures: picturesOf(comparison),
    lists: [judgedList(comparison), ...changedLists(comparison), unchangedList(comparison)].filter(
      (list) => list.cases.length + list.texts.length > 0,
    ),
    tables: [subcommandTable(comparison), diagnosisTable(comparison)].filter(({ rows }) => rows.length > 0),
  };
}

/** Trials of A that the page leads to, no more than `most`; those of B are trials of its run. */
export function trialsOfA({ changedCases, details, judged }: Comparison, most: number): string[] {
  const listed = [...(judged?.pairs ?? []), ...firstCases(changedCases, most), ...(details?.unchangedCases ?? [])];
  return [...new Set(listed.flatMap(({ trialA }) => trialA ?? []))].slice(0, most);
}

function remarksOf(comparison: Comparison): ComparisonPage['remarks'] {
  const { isForced, differences, notes } = comparison;
  const forced = 'The sides are not comparable; the figures are shown because the comparison was forced.';
  return [
    ...(isForced ? [{ tone: 'warning', text: forced } as const] : []),
    ...regressionWarnings(comparison).map(({ message }) => ({ tone: 'warning', text: `Warning: ${message}` }) as const),
    ...differences.map(
      (one) =>
        ({
          tone: one.isDecisive ? 'warning' : 'note',
          text: isCompared(one) ? `Compared: ${one.message}` : one.message,
        }) as const,
    ),
    ...notes.map((text) => ({ tone: 'note', text }) as const),
  ];
}

function sideRow(name: string, { label, runId, startedAt, trials, unjudged, costUsd }: ComparedSide) {
  const run = label === runId ? runId : `${label} (${runId})`;
  return { cells: [name, run, timeText(startedAt), grouped(trials), grouped(unjudged), costText(costUsd)] };
}

function metricRow(metric: MetricComparison): WordTable['rows'][number] {
  const { plan } = metric;
  const answer = answerTo(metric, 'these-tasks');
  const isOpen = answerTo(metric, 'tasks-like-these') === 'not-enough-data';
  const needed =
    isOpen && plan && plan.repeats !== null ? `; ${counted(plan.repeats, 'repeat')} of each case would decide it` : '';
  return {
    isProblem: answer === 'worse',
    answer,
    cells: [
      rowLabel(metric),
      ...sideTexts(metric),
      fullChangeText(metric),
      tasksCell(metric),
      `${likeTheseCell(metric)}${needed}`,
      sampleText(metric),
    ],
  };
}

/** Further figures are in the table of answers. */
const mostPictures = 8;

function picturesOf({ metrics, details }: Comparison): DrawnTable[] {
  const differences = [
    ['Differences of shares from A to B, in points', shareDifferences(metrics)],
    ['Change of a typical trial from A to B, in percent', ratioDifferences(metrics)],
  ] as const;
  return [
    ...differences.flatMap(([title, rows]) => (rows.length === 0 ? [] : [drawnDifferences(title, rows)])),
    ...(details?.dots ?? [])
      .filter(isDrawable)
      .slice(0, mostPictures)
      .map((dots) => drawnDots(dots, metrics)),
  ];
}

function drawnDifferences(title: string, differences: readonly DrawnDifference[]): DrawnTable {
  const headers = ['Figure', '#Estimate', '#From', '#To'];
  const rows = differences.map(({ label, estimate, low, high }) => ({
    cells: [label, ...[estimate, low, high].map((value) => figureText(value, 'share'))],
  }));
  return { drawing: differencesDrawing(title, differences), table: { title, headers, rows } };
}

function drawnDots(dots: FigureDots, metrics: readonly MetricComparison[]): DrawnTable {
  const metric = metrics.find(({ name }) => name === dots.name);
  const drawing = dotsDrawing(dots, metric);
  const sides = [
    ['A, before', dots.a, metric?.meanA],
    ['B, new', dots.b, metric?.meanB],
  ] as const;
  const text = (value: number | undefined): string => (value === undefined ? '–' : figureText(value, dots.unit));
  const rows = sides.map(([label, side, mean]) => ({
    cells: [
      label,
      grouped(side?.total ?? 0),
      grouped(side?.values.length ?? 0),
      ...[side?.values[0], side?.median, mean, side?.values.at(-1)].map(text),
    ],
  }));
  const headers = ['Side', '#Values', '#Drawn', '#Least', '#Median', '#Mean', '#Greatest'];
  return { drawing, table: { title: drawing.title, headers, rows } };
}

const winnerLooks: Readonly<Record<JudgedPair['winner'], ListedCase['look']>> = {
  a: 'fail',
  b: 'pass',
  tie: 'skipped',
  'order-dependent': 'skipped',
  'not-judged': 'error',
};

/** Preferences of the judge: the answer, then every pair with the quotes of both orders. */
function judgedList({ judged }: Comparison): CaseList {
  return {
    title: 'Answers side by side',
    texts: judged ? pairwiseTexts(judged) : [],
    cases: (judged?.pairs ?? []).map((pair) => ({
      look: winnerLooks[pair.winner],
      word: winnerWords[pair.winner],
      title: caseTitle(pair),
      lines: [pair.reason, ...pair.orders.map(orderText)].filter((line) => line !== ''),
      quotes: pair.orders.flatMap(({ quotes }) =>
        quotes.map((quote) => [quote.quote, quoteSourceText(quote)] as const),
      ),
      tries: '',
      trialA: pair.trialA,
      trialB: pair.trialB,
    })),
  };
}

/** Further ones are in the other formats. */
const mostCases = 2_000;

/** Cases that ended differently, what needs attention first. */
const changeGroups: readonly (readonly [title: string, ...changes: ChangedCase['change'][]])[] = [
  ['Regressions', 'broke', 'less-often'],
  ['Improvements', 'fixed', 'more-often'],
  ['Not judged, or missing in B', 'unjudged', 'only-in-a'],
  ['Only in B', 'only-in-b'],
];

function changedLists({ changedCases }: Comparison): CaseList[] {
  const listed = firstCases(changedCases, mostCases);
  const cut = `${grouped(mostCases)} of ${grouped(changedCases.length)} cases are listed; \`assay compare\` lists all.`;
  return changeGroups.map(([title, ...changes]) => {
    const cases = listed.filter(({ change }) => changes.includes(change));
    return {
      title,
      texts: cases.length > 0 && listed.length < changedCases.length ? [cut] : [],
      cases: cases.map((item) =>
        listedCase(item, lookOf(item), changeWords[item.change], [
          item.reason,
          item.broken.length > 0 ? `no longer holds: ${item.broken.join(', ')}` : '',
        ]),
      ),
    };
  });
}

function lookOf({ change }: ChangedCase): ListedCase['look'] {
  if (change === 'unjudged') return 'error';
  if (change === 'broke' || change === 'less-often') return 'fail';
  return change.startsWith('only') ? 'skipped' : 'pass';
}

/** Their steps may differ all the same. */
function unchangedList({ details }: Comparison): CaseList {
  const { unchangedCases = [], unchangedCount = 0 } = details ?? {};
  const left = unchangedCount - unchangedCases.length;
  return {
    title: 'Cases that ended the same way',
    texts: left > 0 ? [`The first ${unchangedCases.length} of ${grouped(unchangedCount)}.`] : [],
    cases: unchangedCases.map((item) => listedCase(item, 'skipped', 'unchanged', [item.reason])),
  };
}

function listedCase(item: ComparedCase, look: ListedCase['look'], word: string, lines: readonly string[]): ListedCase {
  return {
    look,
    word,
    title: caseTitle(item),
    lines: lines.filter((line) => line !== ''),
    quotes: [],
    tries: triesText(item),
    trialA: item.trialA ?? null,
    trialB: item.trialB ?? null,
  };
}

function subcommandTable({ subcommands }: Comparison): WordTable {
  return {
    title: 'Subcommands',
    headers: ['Subcommand', '#Calls A', '#Calls B', '#Errors A', '#Errors B', '#Help A', '#Help B'],
    rows: subcommands.map(({ subcommand, callsA, callsB, errorsA, errorsB, helpA, helpB }) => ({
      cells: [subcommand, ...[callsA, callsB, errorsA, errorsB, helpA, helpB].map(grouped)],
    })),
  };
}

function diagnosisTable({ diagnosis }: Comparison): WordTable {
  return {
    title: 'Diagnosis',
    headers: ['Side', 'Pattern', 'Usual cause', 'Advice', 'Evidence'],
    rows: diagnosis.flatMap(({ side, findings }) =>
      findings.map(({ title, cause, advice, evidence, subcommand }) => ({
        cells: [
          side.toUpperCase(),
          subcommand === undefined ? title : `${title}: ${subcommand}`,
          cause,
          advice,
          evidence,
        ],
      })),
    ),
  };
}
