import {
  type Block,
  code,
  firstOf,
  type Item,
  list,
  type Section,
  type Tone,
  table,
  text,
} from '../../shared/blocks/block.ts';
import { counted } from '../../shared/format.ts';
import { firstRows } from '../../shared/rows.ts';
import { beyondChance } from '../compare/changed-cases.ts';
import type {
  ChangedCase,
  ComparedSide,
  ComparisonOfRows,
  Difference,
  MetricComparison,
} from '../compare/comparison.ts';
import {
  comparedText,
  figureLegend,
  figuresOfScreen,
  foldedFigures,
  isCompared,
  likeTheseCell,
  rowLabel,
  tasksCell,
} from '../compare/figure-rows.ts';
import { answerTo, changeText, planText, sideTexts } from '../compare/figure-words.ts';
import { pairwiseTexts } from '../compare/judged-pairs.ts';
import { triggeringText } from './figures.ts';
import { findingItems } from './guidance-text.ts';
import { caseTitle, changeWords, lookCommand, triesText } from './trial-text.ts';

/** How much of a comparison is shown. */
interface Room {
  readonly cases: number;
  /** Whether the size that would decide the first figure is shown; the JSON document has those of all. */
  readonly hasPlan: boolean;
  /** Whether figures that did not change are folded, and cases that chance explains left out. */
  readonly isScreen: boolean;
}

const pageRoom: Room = { cases: 50, hasPlan: true, isScreen: false };
/** Cases that chance explains say little. */
const shownOthers = 5;
const shownCompared = 2;
const shownSubcommands = 15;

const answerTones: Partial<Record<ComparisonOfRows['answer'], Tone>> = {
  better: 'good',
  worse: 'bad',
  'not-enough-data': 'unsure',
  'not-comparable': 'unsure',
  'nothing-to-compare': 'unsure',
};

/** The comparison, which begins with the answer. */
export function comparisonSections(comparison: ComparisonOfRows, room: Room = pageRoom): Section[] {
  const { summary, differences, notes, isForced, metrics, triggering, judged, diagnosis } = comparison;
  const tone = answerTones[comparison.answerOnTheseTasks ?? comparison.answer];
  const others = differences.filter((one) => !isCompared(one));
  const plan = room.hasPlan && metrics[0] ? planText(metrics[0]) : undefined;
  const triggered = triggering
    ? (['a', 'b'] as const).map((side) => ({ name: side.toUpperCase(), words: triggeringText(triggering[side]) }))
    : [];
  return [
    { title: [{ text: summary, tone }], level: 1, blocks: sideBlocks(comparison, room) },
    {
      title: isForced ? 'Not comparable; shown because it was forced' : 'Other differences between A and B',
      blocks: [list(others.map(differenceItem))],
    },
    { title: room.isScreen ? undefined : 'Figures', blocks: figureBlocks(metrics, room) },
    { title: 'Skill triggering (each prompt counts once; 95 % intervals)', blocks: [list(triggered)] },
    { title: 'Answers side by side', blocks: [list(judged ? pairwiseTexts(judged) : [])] },
    caseSection(comparison, room),
    { blocks: subcommandBlocks(comparison) },
    {
      title: 'How the tool was used',
      blocks: [list(diagnosis.flatMap(({ side, findings }) => findingItems(findings, side.toUpperCase())))],
    },
    {
      title: room.isScreen ? undefined : 'Notes',
      blocks: [list([...(plan ? [`For tasks like these, ${plan}.`] : []), ...notes])],
    },
  ];
}

function sideBlocks({ a, b, differences }: ComparisonOfRows, { isScreen }: Room): Block[] {
  const compared = comparedText(differences, isScreen ? shownCompared : undefined);
  const sides = list([sideItem('A', a), sideItem('B', b)]);
  return compared === undefined ? [sides] : [sides, text(`Compared: ${compared}`)];
}

function differenceItem({ message, isDecisive }: Difference): Item {
  return isDecisive ? { words: message, mark: 'error', tone: 'unsure' } : { words: message };
}

function subcommandBlocks({ subcommands }: ComparisonOfRows): Block[] {
  const { listed, more } = firstOf(subcommands, shownSubcommands, (hidden) => counted(hidden, 'more subcommand'));
  const rows = listed.map(({ subcommand, callsA, callsB, errorsA, errorsB, helpA, helpB }) => [
    subcommand,
    ...[`${callsA} → ${callsB}`, `${errorsA} → ${errorsB}`, `${helpA} → ${helpB}`],
  ]);
  return [table(['subcommand', '#calls', '#errors', '#help'], rows), ...more.map((words) => text(words))];
}

function sideItem(name: 'A' | 'B', { label, runId, trials, startedAt }: ComparedSide): Item {
  const run = label === runId ? '' : `, run ${runId}`;
  const when = new Date(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  return { name, words: `${label}${run}, ${when}, ${counted(trials, 'trial')}`, isOneLine: true };
}

/** Rows of a table; on one screen, figures that did not change are a line. */
function figureBlocks(metrics: readonly MetricComparison[], { isScreen }: Room): Block[] {
  if (metrics.length === 0) return [];
  const { listed, folded } = foldedFigures(metrics);
  const legend = [...(folded === undefined ? [] : [folded]), ...figureLegend(metrics)];
  const { rows, lines } = isScreen ? figuresOfScreen(metrics) : { rows: listed, lines: legend };
  const cells = rows.map((metric) => {
    const tone = answerTones[answerTo(metric, 'these-tasks')];
    const tasks = `${changeText(metric)}, ${tasksCell(metric)}`;
    const isDecided = tone === 'good' || tone === 'bad';
    return {
      cells: [
        rowLabel(metric),
        sideTexts(metric).join(' → '),
        isDecided ? [{ text: tasks, tone: 'strong' as const }] : tasks,
        likeTheseCell(metric),
      ],
      tone: isDecided ? tone : undefined,
    };
  });
  return [
    table(['figure', '#A → B', 'on these tasks (95 %)', 'for tasks like these'], cells),
    ...lines.map((words) => text(words)),
  ];
}

/** Where nothing was compared, nothing changed either: the differences count the cases that one side lacks. */
function caseSection({ changedCases, metrics }: ComparisonOfRows, { cases, isScreen }: Room): Section {
  const certain = beyondChance(changedCases).length;
  const listed = firstRows(changedCases, Math.min(cases, isScreen ? certain + shownOthers : cases));
  const hidden = changedCases.length - listed.length;
  const more = hidden > 0 ? [text(`… and ${counted(hidden, 'more case')}; --json lists all`)] : [];
  const items = listed.map((changed) => caseItem(changed, isScreen));
  return {
    title: 'Changed cases (trials that passed)',
    blocks: metrics.length === 0 || items.length === 0 ? [] : [list(items), ...more],
  };
}

/** Chance explains some changes: their counts say all. */
function caseItem(changed: ChangedCase, isScreen: boolean): Item {
  const { change, reason, broken, isBeyondChance } = changed;
  const why = isBeyondChance ? (broken.length > 0 ? `now fails: ${broken.join(', ')}` : reason) : '';
  const look = isBeyondChance ? lookCommand(changed) : '';
  return {
    name: changeWords[change],
    words: `${triesText(changed)}, ${caseTitle(changed)}${why === '' ? '' : `, ${why}`}`,
    tone: change === 'broke' ? 'bad' : change === 'fixed' ? 'good' : undefined,
    isOneLine: true,
    below: [...(isScreen || why === '' || why === reason ? [] : [reason]), ...(look === '' ? [] : [[code(look)]])],
  };
}
