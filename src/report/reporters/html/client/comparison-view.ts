import { counted, formatDuration, grouped } from '../../../../shared/format.ts';
import type {
  ChangedCase,
  ComparedSide,
  Comparison,
  FigureUnit,
  MetricComparison,
} from '../../../compare/comparison.ts';
import {
  answerText,
  changeText,
  decidedAnswer,
  intervalText,
  sampleText,
  withinText,
} from '../../../compare/figure-words.ts';
import type { JudgedPair } from '../../../compare/judged-pair.ts';
import type { PairwiseComparison } from '../../../compare/judged-pairs.ts';
import { costText, figureText, percentText, timeText } from '../../../presentation/figures.ts';
import { orderText, quoteSourceText, winnerWords } from '../../../presentation/pair-text.ts';
import { formatRoute } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { element, remark, section, table } from './elements.ts';
import { inSteps } from './virtual-list.ts';

/** Two sides next to each other: the answers first, then what changed. */
export function comparisonView(
  comparison: Comparison,
  judgedTexts: readonly string[],
  rowById: ReadonlyMap<string, TrialRow>,
): HTMLElement {
  const { a, b, differences, metrics, changedCases, notes } = comparison;
  return element(
    'div',
    { class: 'overview' },
    element(
      'section',
      { class: 'card summary' },
      element('h1', {}, comparison.summary),
      element('p', { class: 'muted' }, `${b.label} against ${a.label}`),
      comparison.isForced &&
        remark('warning', 'The sides are not comparable; the figures are shown because the comparison was forced.'),
      table(
        'Sides',
        ['Side', 'Run', 'Started', '#Trials', '#Not judged', '#Cost'],
        [sideRow('A, before', a), sideRow('B, new', b)],
      ),
      ...differences.map(({ message, isDecisive }) => remark(isDecisive ? 'warning' : 'note', message)),
      ...notes.map((note) => remark('note', note)),
    ),
    metrics.length > 0 &&
      section(
        'Answers',
        table(
          'Answers',
          ['Figure', '#A', '#B', '#Difference or ratio', '95 % interval', '#Cases', 'Answer'],
          metrics.map(metricRow),
        ),
        ...metrics.flatMap((metric) => {
          const text = withinText(metric);
          return text ? [remark('note', `${metric.name}, ${text}`)] : [];
        }),
      ),
    comparison.judged !== undefined && judgedSection(comparison.judged, judgedTexts, rowById),
    changedCases.length > 0 &&
      section(
        'Cases that ended differently',
        inSteps('problems', changedCases, 30, (item) => changedItem(item, rowById)),
      ),
    subcommandSection(comparison),
    diagnosisSection(comparison),
  );
}

/** Preferences of the judge: the answer, then every pair with the quotes of both orders. */
function judgedSection(
  judged: PairwiseComparison,
  texts: readonly string[],
  rowById: ReadonlyMap<string, TrialRow>,
): HTMLElement {
  return section(
    'Answers side by side',
    ...texts.map((text, index) => element('p', index === 0 ? {} : { class: 'muted' }, text)),
    inSteps('problems', judged.pairs, 30, (pair) => pairItem(pair, rowById)),
  );
}

const winnerLooks: Readonly<Record<JudgedPair['winner'], string>> = {
  a: 'fail',
  b: 'pass',
  tie: 'skipped',
  'order-dependent': 'skipped',
  'not-judged': 'error',
};

function pairItem(pair: JudgedPair, rowById: ReadonlyMap<string, TrialRow>): HTMLElement {
  const { scenario, caseId, winner, reason, orders, trialA, trialB } = pair;
  return element(
    'li',
    {},
    element('span', { class: `badge ${winnerLooks[winner]}` }, winnerWords[winner]),
    element(
      'div',
      { class: 'what' },
      trialLink(`${scenario} › ${caseId}`, [trialB, trialA], rowById),
      element('span', { class: 'muted' }, [...Object.values(pair.variant), reason].filter(Boolean).join(' · ')),
      ...orders.flatMap((order) => [
        element('span', { class: 'muted' }, orderText(order)),
        ...order.quotes.map((quote) =>
          element('span', {}, element('q', {}, quote.quote), ` (${quoteSourceText(quote)})`),
        ),
      ]),
    ),
  );
}

/** A link to the first of the trials that this page has. */
function trialLink(
  title: string,
  trials: readonly (string | undefined)[],
  rowById: ReadonlyMap<string, TrialRow>,
): HTMLElement {
  const here = trials.find((trialId) => trialId !== undefined && rowById.has(trialId));
  if (here === undefined) return element('span', {}, title);
  return element('a', { href: formatRoute({ view: 'trial', trialId: here, event: null }) }, title);
}

function sideRow(name: string, { label, runId, startedAt, trials, unjudged, costUsd }: ComparedSide) {
  const run = element('div', {}, label === runId ? '' : `${label} `, element('code', {}, runId));
  return { cells: [name, run, timeText(startedAt), grouped(trials), grouped(unjudged), costText(costUsd)] };
}

const unitTexts: Readonly<Record<FigureUnit, (value: number) => string>> = {
  share: percentText,
  usd: costText,
  ms: formatDuration,
  count: figureText,
  number: figureText,
};

function metricRow(metric: MetricComparison) {
  const { name, unit, meanA, meanB, difference, interval, typical, plan } = metric;
  const textOf = unitTexts[unit];
  const signed = (value: number): string => `${value > 0 ? '+' : value < 0 ? '−' : ''}${textOf(Math.abs(value))}`;
  const meanRange = interval === undefined ? 'unknown' : `${signed(interval.low)} to ${signed(interval.high)}`;
  const range = typical ? intervalText(metric) : meanRange;
  const answer = decidedAnswer({ ...metric, within: null });
  const needed =
    plan === undefined || plan.repeats === null
      ? ''
      : `; ${counted(plan.repeats, 'repeat')} of each case would decide it`;
  const isUnknown = answer === 'not-enough-data';
  return {
    isProblem: answer === 'worse',
    cells: [
      name,
      textOf(meanA),
      textOf(meanB),
      typical ? changeText(metric) : signed(difference),
      range,
      sampleText(metric),
      element('strong', { class: `answer ${answer}` }, `${answerText(metric)}${isUnknown ? needed : ''}`),
    ],
  };
}

const changeWords: Readonly<Record<ChangedCase['change'], string>> = {
  broke: 'broke',
  fixed: 'fixed',
  'less-often': 'passes less often',
  'more-often': 'passes more often',
  'only-in-a': 'only in A',
  'only-in-b': 'only in B',
  unjudged: 'not judged',
};

function changedItem(item: ChangedCase, rowById: ReadonlyMap<string, TrialRow>): HTMLElement {
  const { scenario, caseId, change, passedA, triedA, passedB, triedB, reason, trialA, trialB, broken } = item;
  const name = trialLink(`${scenario} › ${caseId}`, [trialB, trialA], rowById);
  const isBad = change === 'broke' || change === 'less-often' || change === 'unjudged';
  const variant = Object.values(item.variant).join(', ');
  return element(
    'li',
    {},
    element(
      'span',
      { class: `badge ${isBad ? 'fail' : change.startsWith('only') ? 'skipped' : 'pass'}` },
      changeWords[change],
    ),
    element(
      'div',
      { class: 'what' },
      name,
      element(
        'span',
        { class: 'muted' },
        [variant, reason, broken.length > 0 ? `no longer holds: ${broken.join(', ')}` : '']
          .filter((text) => text !== '')
          .join(' · '),
      ),
    ),
    element('span', { class: 'number' }, `${passedA}/${triedA} → ${passedB}/${triedB}`),
  );
}

function subcommandSection({ subcommands }: Comparison): HTMLElement | undefined {
  if (subcommands.length === 0) return undefined;
  const rows = subcommands.map(({ subcommand, callsA, callsB, errorsA, errorsB, helpA, helpB }) => ({
    cells: [subcommand, ...[callsA, callsB, errorsA, errorsB, helpA, helpB].map(grouped)],
  }));
  const headers = ['Subcommand', '#Calls A', '#Calls B', '#Errors A', '#Errors B', '#Help A', '#Help B'];
  return section('Subcommands', table('Subcommands', headers, rows));
}

function diagnosisSection({ diagnosis }: Comparison): HTMLElement | undefined {
  const rows = diagnosis.flatMap(({ side, findings }) =>
    findings.map(({ title, cause, advice, evidence, subcommand }) => ({
      cells: [
        side.toUpperCase(),
        subcommand === undefined ? title : `${title}: ${subcommand}`,
        cause,
        advice,
        evidence,
      ],
    })),
  );
  if (rows.length === 0) return undefined;
  return section('Diagnosis', table('Diagnosis', ['Side', 'Pattern', 'Usual cause', 'Advice', 'Evidence'], rows));
}
