import { createColors } from 'picocolors';
import { fitted } from '../../../shared/display-width.ts';
import { counted } from '../../../shared/format.ts';
import { printable } from '../../../shared/text.ts';
import type { ChangedCase, ComparedSide, Comparison, Difference, MetricComparison } from '../../compare/comparison.ts';
import {
  answerTo,
  changeText,
  foldedFigures,
  isCompared,
  likeTheseCell,
  planText,
  rowLabel,
  sideTexts,
  tasksCell,
} from '../../compare/figure-words.ts';
import { pairwiseTexts } from '../../compare/judged-pairs.ts';
import { caseTitle, changeWords, lookCommand, triesText } from '../../presentation/trial-text.ts';
import { triggeringText } from '../../presentation/triggering-text.ts';
import type { ReportStyle } from '../reporter.ts';
import { type Layout, layoutOf, sectionsText } from '../table-layout.ts';

type Colors = ReturnType<typeof createColors>;

/** Cases that changed beyond chance, and the first of the others: a comparison fits on one screen. */
const shownCases = { certain: 10, others: 5 };
const shownSubcommands = 15;
const shownCommands = 3;

/** The comparison for a terminal; its first line is the answer. */
export function comparisonText(comparison: Comparison, style: ReportStyle): string {
  const colors = createColors(style.color);
  const layout = layoutOf(style);
  const paint = answerColors(colors)[comparison.answerOnTheseTasks ?? comparison.answer];
  const sections = [
    layout.wrapped(printable(comparison.summary), '').map((line) => colors.bold(paint(line))),
    [sideLine('A', comparison.a), sideLine('B', comparison.b)].map(layout.cut),
    differenceLines(comparison, colors, layout),
    figureLines(comparison, colors, layout),
    triggeringLines(comparison, layout),
    judgedLines(comparison, layout),
    caseLines(comparison, colors, layout),
    subcommandLines(comparison, layout),
    diagnosisLines(comparison, layout),
    planLines(comparison, layout),
    comparison.notes.length > 0
      ? ['Notes', ...comparison.notes.flatMap((note) => layout.wrapped(printable(note), '    ', '  - '))]
      : [],
  ];
  return sectionsText(sections);
}

function triggeringLines({ triggering }: Comparison, layout: Layout): string[] {
  if (!triggering) return [];
  const line = (side: 'a' | 'b'): string[] =>
    layout.wrapped(triggeringText(triggering[side]), '     ', `  ${side.toUpperCase()}  `);
  return ['Skill triggering (each prompt counts once; 95 % intervals)', ...line('a'), ...line('b')];
}

function judgedLines({ judged }: Comparison, layout: Layout): string[] {
  if (!judged) return [];
  const texts = pairwiseTexts(judged);
  return ['Answers side by side', ...texts.flatMap((text) => layout.wrapped(printable(text), '    ', '  '))];
}

function answerColors({ green, red, yellow }: Colors): Record<Comparison['answer'], (text: string) => string> {
  const plain = (text: string): string => text;
  return {
    better: green,
    worse: red,
    higher: plain,
    lower: plain,
    'no-difference': plain,
    'not-enough-data': yellow,
    'not-comparable': yellow,
    'nothing-to-compare': yellow,
  };
}

function sideLine(name: 'A' | 'B', { label, trials, startedAt }: ComparedSide): string {
  const when = new Date(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  return `  ${name}  ${printable(label)}  ${when}  ${counted(trials, 'trial')}`;
}

function differenceLines({ differences, isForced }: Comparison, colors: Colors, layout: Layout): string[] {
  if (differences.length === 0) return [];
  const line = ({ message, isDecisive }: Difference): string[] => {
    const lines = layout.wrapped(printable(message), '    ', isDecisive ? '  ! ' : '  - ');
    return isDecisive ? lines.map((text) => colors.yellow(text)) : lines;
  };
  const [compared, others] = [differences.filter(isCompared), differences.filter((one) => !isCompared(one))];
  const title = isForced ? 'Not comparable; shown because it was forced' : 'Other differences between A and B';
  return [
    ...(compared.length === 0 ? [] : ['Compared', ...compared.flatMap(line)]),
    ...(others.length === 0 ? [] : [title, ...others.flatMap(line)]),
  ];
}

function figureLines({ metrics }: Comparison, colors: Colors, layout: Layout): string[] {
  if (metrics.length === 0) return [];
  const { listed, folded } = foldedFigures(metrics);
  const head = ['', 'A → B', 'on these tasks (95 %)', 'for tasks like these'];
  const [titles = '', ...lines] = layout.tableRows([head, ...listed.map(figureRow)], '  ');
  const paints = answerColors(colors);
  return [
    ...(titles === '' ? [] : [colors.dim(titles)]),
    ...lines.map((line, index) => {
      const metric = listed[index];
      const answer = metric ? answerTo(metric, 'these-tasks') : 'no-difference';
      return answer === 'better' || answer === 'worse' ? paints[answer](line) : line;
    }),
    ...(folded === undefined ? [] : layout.wrapped(printable(folded), '    ', '  ')),
  ];
}

function figureRow(metric: MetricComparison): string[] {
  const cells = [`${changeText(metric)}, ${tasksCell(metric)}`, likeTheseCell(metric)];
  return [printable(rowLabel(metric)), sideTexts(metric).join(' → '), ...cells];
}

function caseLines({ changedCases }: Comparison, colors: Colors, layout: Layout): string[] {
  if (changedCases.length === 0) return [];
  const certain = changedCases.filter(({ isBeyondChance }) => isBeyondChance).slice(0, shownCases.certain);
  const others = changedCases.filter(({ isBeyondChance }) => !isBeyondChance).slice(0, shownCases.others);
  const listed = [...certain, ...others].flatMap((changed) => oneCase(changed, colors, layout));
  const more = changedCases.length - certain.length - others.length;
  return ['Changed cases', ...listed, ...(more > 0 ? [`  … and ${counted(more, 'more case')}; --json lists all`] : [])];
}

function oneCase(changed: ChangedCase, colors: Colors, layout: Layout): string[] {
  const { change, reason, broken, isBeyondChance } = changed;
  const word = changeWords[change].padEnd(10);
  const paint = change === 'broke' ? colors.red : change === 'fixed' ? colors.green : (text: string) => text;
  const head = fitted(`${triesText(changed)}  ${printable(caseTitle(changed))}`, layout.width - 14);
  const look = lookCommand(changed);
  const detail = (text: string): string => layout.cut(`      ${text}`);
  const line = `  ${paint(word)}  ${head}`;
  // Chance explains the others: their counts say all.
  if (!isBeyondChance && isJudgedOnBoth(changed)) return [line];
  return [
    line,
    ...(broken.length > 0 ? [detail(`now fails: ${printable(broken.join(', '))}`)] : []),
    ...(reason === '' || broken.length > 0 ? [] : [detail(printable(reason))]),
    ...(look === '' ? [] : [colors.dim(`      ${look}`)]),
  ];
}

function isJudgedOnBoth({ triedA, triedB }: ChangedCase): boolean {
  return triedA > 0 && triedB > 0;
}

function subcommandLines({ subcommands }: Comparison, layout: Layout): string[] {
  if (subcommands.length === 0) return [];
  const head = ['subcommand', 'calls A', 'B', 'errors A', 'B', 'help A', 'B'];
  const rows = subcommands
    .slice(0, shownSubcommands)
    .map(({ subcommand, callsA, callsB, errorsA, errorsB, helpA, helpB }) => [
      printable(subcommand),
      ...[callsA, callsB, errorsA, errorsB, helpA, helpB].map(String),
    ]);
  const more = subcommands.length - shownSubcommands;
  return [
    ...layout.tableLines([head, ...rows], '  '),
    ...(more > 0 ? [`  … and ${counted(more, 'more subcommand')}`] : []),
  ];
}

function diagnosisLines({ diagnosis }: Comparison, layout: Layout): string[] {
  const lines = diagnosis.flatMap(({ side, findings }) =>
    findings.flatMap(({ title, evidence, advice, commands, isGood }) => [
      ...layout.wrapped(printable(`${side.toUpperCase()}: ${title} (${evidence})`), '     ', '  '),
      ...(isGood ? [] : layout.wrapped(advice, '     ')),
      ...commands.slice(0, shownCommands).map(({ command }) => layout.cut(`       ${printable(command.line)}`)),
    ]),
  );
  return lines.length > 0 ? ['How the tool was used', ...lines] : [];
}

/** Of the first figure, which is the question; those of the others are in the JSON document. */
function planLines({ metrics: [question] }: Comparison, layout: Layout): string[] {
  const plan = question && planText(question);
  return plan
    ? [
        'What you would need to decide for tasks like these',
        ...layout.wrapped(printable(`${question.name}: ${plan}`), '    ', '  '),
      ]
    : [];
}
