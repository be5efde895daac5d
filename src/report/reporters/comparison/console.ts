import { createColors } from 'picocolors';
import { fitted } from '../../../shared/display-width.ts';
import { counted } from '../../../shared/format.ts';
import { printable } from '../../../shared/text.ts';
import type { ChangedCase, ComparedSide, Comparison, Difference, MetricComparison } from '../../compare/comparison.ts';
import {
  comparedText,
  figuresOfScreen,
  isCompared,
  likeTheseCell,
  rowLabel,
  tasksCell,
} from '../../compare/figure-rows.ts';
import { answerTo, changeText, planText, sideTexts } from '../../compare/figure-words.ts';
import { pairwiseTexts } from '../../compare/judged-pairs.ts';
import { caseTitle, changeWords, lookCommand, triesText } from '../../presentation/trial-text.ts';
import { triggeringText } from '../../presentation/triggering-text.ts';
import type { ReportStyle } from '../reporter.ts';
import { type Layout, layoutOf, sectionsText } from '../table-layout.ts';

type Colors = ReturnType<typeof createColors>;

/** Lines of a usual terminal: changed cases get as many of them as the rest leaves. */
const screenLines = 24;
/** Their title, one case with its command, and how many more there are. */
const fewestCaseLines = 4;
/** Cases that chance explains say little. */
const shownOthers = 5;
const shownCompared = 2;
const shownSubcommands = 15;
const shownCommands = 3;

/** The comparison for a terminal; it begins with the answer, and fits on one screen where it can. */
export function comparisonText(comparison: Comparison, style: ReportStyle): string {
  const colors = createColors(style.color);
  const layout = layoutOf(style);
  const paint = answerColors(colors)[comparison.answerOnTheseTasks ?? comparison.answer];
  const before = [
    layout.wrapped(printable(comparison.summary), '').map((line) => colors.bold(paint(line))),
    sideLines(comparison, layout),
    differenceLines(comparison, colors, layout),
    figureLines(comparison, colors, layout),
    triggeringLines(comparison, layout),
    judgedLines(comparison, layout),
  ];
  const after = [subcommandLines(comparison, layout), diagnosisLines(comparison, layout)];
  const roomBeside = (...sections: readonly (readonly string[])[]): number =>
    screenLines - sections.reduce((sum, lines) => sum + linesWithGap(lines), 0);
  const forCases = hasCases(comparison) ? fewestCaseLines + 1 : 0;
  const notes = noteLines(comparison, layout, roomBeside(...before, ...after) - forCases);
  const room = roomBeside(...before, ...after, notes);
  const cases = hasCases(comparison) ? caseLines(comparison, colors, layout, Math.max(fewestCaseLines, room)) : [];
  return sectionsText([...before, cases, ...after, notes]);
}

/** Where nothing was compared, nothing changed either: the differences count the cases that one side lacks. */
function hasCases({ changedCases, metrics }: Comparison): boolean {
  return changedCases.length > 0 && metrics.length > 0;
}

/** With the empty line before the next section. */
function linesWithGap(lines: readonly string[]): number {
  return lines.length === 0 ? 0 : lines.join('\n').split('\n').length + 1;
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

function sideLines({ a, b, differences }: Comparison, layout: Layout): string[] {
  const compared = comparedText(differences, shownCompared);
  return [
    ...[sideLine('A', a), sideLine('B', b)].map(layout.cut),
    ...(compared === undefined ? [] : layout.wrapped(printable(`Compared: ${compared}`), '    ', '  ')),
  ];
}

function sideLine(name: 'A' | 'B', { label, trials, startedAt }: ComparedSide): string {
  const when = new Date(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  return `  ${name}  ${printable(label)}  ${when}  ${counted(trials, 'trial')}`;
}

function differenceLines({ differences, isForced }: Comparison, colors: Colors, layout: Layout): string[] {
  const others = differences.filter((one) => !isCompared(one));
  if (others.length === 0) return [];
  const line = ({ message, isDecisive }: Difference): string[] => {
    const lines = layout.wrapped(printable(message), '    ', isDecisive ? '  ! ' : '  - ');
    return isDecisive ? lines.map((text) => colors.yellow(text)) : lines;
  };
  const title = isForced ? 'Not comparable; shown because it was forced' : 'Other differences between A and B';
  return [title, ...others.flatMap(line)];
}

/** Rows of a table; where they do not fit, each is a block with both questions below each other. */
function figureLines({ metrics }: Comparison, colors: Colors, layout: Layout): string[] {
  if (metrics.length === 0) return [];
  const { rows, lines } = figuresOfScreen(metrics);
  const head = ['', 'A → B', 'on these tasks (95 %)', 'for tasks like these'];
  const [titles = '', ...table] = layout.tableRows([head, ...rows.map(figureRow)], '  ');
  const isTable = titles !== '';
  const figures = rows.flatMap((metric, index) => {
    const own = isTable ? [table[index] ?? ''] : figureBlock(metric, index === 0, layout);
    const answer = answerTo(metric, 'these-tasks');
    return answer === 'better' || answer === 'worse' ? own.map(answerColors(colors)[answer]) : own;
  });
  const folded = lines.flatMap((text) => layout.wrapped(printable(text), '    ', '  '));
  return [...(isTable ? [colors.dim(titles)] : []), ...figures, ...folded];
}

function figureRow(metric: MetricComparison): string[] {
  return [printable(rowLabel(metric)), sideTexts(metric).join(' → '), tasksText(metric), likeTheseCell(metric)];
}

function tasksText(metric: MetricComparison): string {
  return `${changeText(metric)}, ${tasksCell(metric)}`;
}

function figureBlock(metric: MetricComparison, isFirst: boolean, layout: Layout): string[] {
  const cell = (question: string, text: string): string[] =>
    layout.wrapped(text, ' '.repeat(26), `    ${question.padEnd(20)}  `);
  const values = `  ${printable(rowLabel(metric))}  ${sideTexts(metric).join(' → ')}`;
  return [
    layout.cut(isFirst ? `${values}  (95 % intervals in brackets)` : values),
    ...cell('on these tasks', tasksText(metric)),
    ...cell('for tasks like these', likeTheseCell(metric)),
  ];
}

/** As many cases as there is room for, at least one. */
function caseLines({ changedCases }: Comparison, colors: Colors, layout: Layout, room: number): string[] {
  const certain = changedCases.filter(({ isBeyondChance }) => isBeyondChance);
  const others = changedCases.filter(({ isBeyondChance }) => !isBeyondChance).slice(0, shownOthers);
  const lines: string[] = ['Changed cases (trials that passed)'];
  let listed = 0;
  for (const changed of [...certain, ...others]) {
    const own = oneCase(changed, colors, layout);
    const isLast = listed + 1 === changedCases.length;
    if (listed > 0 && lines.length + own.length + (isLast ? 0 : 1) > room) break;
    lines.push(...own);
    listed++;
  }
  const more = changedCases.length - listed;
  return more > 0 ? [...lines, `  … and ${counted(more, 'more case')}; --json lists all`] : lines;
}

function oneCase(changed: ChangedCase, colors: Colors, layout: Layout): string[] {
  const { change, reason, broken, isBeyondChance } = changed;
  const word = changeWords[change].padEnd(10);
  const paint = change === 'broke' ? colors.red : change === 'fixed' ? colors.green : (text: string) => text;
  // Chance explains the others: their counts say all.
  const why = isBeyondChance ? (broken.length > 0 ? `now fails: ${broken.join(', ')}` : reason) : '';
  const title = printable(`${caseTitle(changed)}${why === '' ? '' : `, ${why}`}`);
  const line = `  ${paint(word)}  ${fitted(`${triesText(changed)}  ${title}`, layout.width - 14)}`;
  const look = isBeyondChance ? lookCommand(changed) : '';
  return look === '' ? [line] : [line, colors.dim(`      ${look}`)];
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

/**
 * Limits of the comparison, which change what it means, and the size that would decide the first figure where there is room;
 * sizes are in the JSON document too.
 */
function noteLines({ notes, metrics: [question] }: Comparison, layout: Layout, room: number): string[] {
  const plan = question && planText(question);
  const linesOf = (text: string): string[] => layout.wrapped(printable(text), '    ', '  - ');
  const limits = notes.flatMap(linesOf);
  const size = plan === undefined ? [] : linesOf(`For tasks like these, ${plan}.`);
  return limits.length + size.length < room ? [...size, ...limits] : limits;
}
