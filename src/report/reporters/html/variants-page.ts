import type { FigureAnswer } from '../../compare/comparison.ts';
import { figureLabel } from '../../compare/figure-words.ts';
import {
  type JudgedRanking,
  rankingCells,
  rankingHeads,
  rankingTexts,
  variantPairText,
} from '../../compare/judged-ranking.ts';
import type { FrontFigure, VariantTable } from '../../compare/variants/variant-table.ts';
import {
  againstAnswer,
  againstText,
  estimateText,
  figureIn,
  figureNamesIn,
  frontNames,
  frontText,
  perSuccessText,
  rankText,
  rowHead,
} from '../../compare/variants/variant-words.ts';
import type { Drawing, DrawnShape } from '../../presentation/drawing.ts';
import { type FrontPicture, frontPicture } from '../../presentation/front-picture.ts';

/** A table in words; headers that begin with `#` are over numbers. */
export interface WordTable {
  readonly title: string;
  readonly headers: readonly string[];
  readonly rows: readonly {
    readonly cells: readonly string[];
    readonly isProblem?: boolean;
    /** Where the last cell is an answer. */
    readonly answer?: FigureAnswer;
  }[];
}

/** A picture with its data. */
export interface DrawnTable {
  readonly drawing: Drawing;
  readonly table: WordTable;
}

/** The table of variants as the page shows it: put into words here, which keeps its program small. */
export interface VariantsPage {
  readonly summary: string;
  readonly reference: string;
  readonly overview: WordTable;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly fronts: readonly DrawnTable[];
  readonly figures: readonly WordTable[];
  /** Present where a judge ranked the variants. */
  readonly ranking?: RankingPage | undefined;
}

/** The ranking of a judge: the answer, the table, and one line for each pair of variants and each note. */
interface RankingPage {
  readonly summary: string;
  readonly table: WordTable;
  readonly pairs: readonly string[];
  readonly notes: readonly string[];
}

const frontFigures = ['cost-usd', 'duration-ms'] as const;

/** All variants of the run: which is the best, what each takes, and every figure. */
export function variantsPage(table: VariantTable, ranking?: JudgedRanking): VariantsPage {
  return {
    summary: table.summary,
    reference: `${table.by === 'run' ? 'Runs' : `Variants by ${table.by}`}; the reference is ${table.reference}.`,
    overview: overviewOf(table),
    warnings: [
      ...table.traps.map(({ summary }) => summary),
      ...table.interactions.flatMap(({ isCertain, summary }) => (isCertain ? [summary] : [])),
    ],
    notes: table.notes,
    fronts: frontFigures.flatMap((against) => frontOf(table, against) ?? []),
    figures: figureNamesIn(table.variants, table.question).map((name) => figureTable(table, name)),
    ...(ranking && { ranking: rankingPage(ranking) }),
  };
}

function rankingPage(ranking: JudgedRanking): RankingPage {
  const [variant = '', ...numbers] = rankingHeads;
  return {
    summary: ranking.summary,
    table: {
      title: 'Ranking by the judge',
      headers: [variant, ...numbers.map((head) => `#${head}`)],
      rows: ranking.ranked.map((one) => ({ cells: rankingCells(one) })),
    },
    pairs: ranking.pairs.map(variantPairText),
    notes: rankingTexts(ranking),
  };
}

function overviewOf({ variants, question, by }: VariantTable): WordTable {
  const spent = [...new Set(variants.flatMap(({ perSuccess }) => perSuccess.map(({ name }) => name)))];
  return {
    title: `${rowHead(by)}s`,
    headers: [
      rowHead(by),
      '#Rank',
      `#${figureLabel(question)}`,
      ...spent.map((name) => `#${name} per success`),
      '#Trials',
    ],
    rows: variants.map((row) => {
      const figure = figureIn(row, question);
      const perSuccess = spent.map((name) => {
        const found = row.perSuccess.find((each) => each.name === name);
        return found ? perSuccessText(found) : '–';
      });
      return {
        cells: [row.label, rankText(row), figure ? estimateText(figure) : '–', ...perSuccess, String(row.trials)],
      };
    }),
  };
}

function frontOf(table: VariantTable, against: FrontFigure): DrawnTable | undefined {
  const picture = frontPicture(table, against, 480, 300);
  if (!picture) return undefined;
  const rows = table.variants.flatMap((row) => {
    const [quality, spent] = [figureIn(row, table.question), figureIn(row, against)];
    const place = row.front.find((each) => each.against === against);
    if (!quality || !spent || !place) return [];
    return [{ cells: [row.label, frontText(place), estimateText(quality), estimateText(spent)] }];
  });
  const headers = [rowHead(table.by), 'Front', `#${figureLabel(table.question)}`, `#${frontNames[against]}`];
  return { drawing: frontDrawing(picture), table: { title: `Pareto front: ${picture.title}`, headers, rows } };
}

function frontDrawing({ title, width, height, xTicks, yTicks, points, line }: FrontPicture): Drawing {
  const [left, bottom] = [56, height - 36];
  return {
    title,
    width,
    height,
    shapes: [
      ...yTicks.flatMap(({ at, text }): DrawnShape[] => [
        ['line', { x1: left, x2: width - 24, y1: at, y2: at, class: 'grid' }],
        ['text', { x: left - 6, y: at + 4, 'text-anchor': 'end' }, text],
      ]),
      ...xTicks.map(({ at, text }): DrawnShape => ['text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, text]),
      ['polyline', { points: line.join(' '), class: 'steps' }],
      ...points.flatMap(({ x, y, left: from, right, top, bottom: to, isOnFront, text, label }): DrawnShape[] => [
        ['line', { x1: from, x2: right, y1: y, y2: y, class: 'range' }, text],
        ['line', { x1: x, x2: x, y1: top, y2: to, class: 'range' }, text],
        ['circle', { cx: x, cy: y, r: 5, class: isOnFront ? 'clear' : 'unclear' }, text],
        ['text', { x: x + 8, y: y - 8, class: 'name' }, label],
      ]),
    ],
  };
}

function figureTable({ variants, reference, by }: VariantTable, name: string): WordTable {
  const rows = variants.map((row) => {
    const figure = figureIn(row, name);
    const metric = row.differences.find((each) => each.name === name);
    const against = row.isReference ? 'reference' : metric ? againstText(metric) : '–';
    const answer = metric ? againstAnswer(metric) : '';
    return { cells: [row.label, figure ? estimateText(figure) : '–', against, answer], isProblem: answer === 'worse' };
  });
  const headers = [rowHead(by), '#Mean (95 % interval)', `#Against ${reference}`, 'Answer'];
  return { title: figureLabel(name), headers, rows };
}
