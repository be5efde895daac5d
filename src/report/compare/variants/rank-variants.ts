import { counted } from '../../../shared/format.ts';
import type { CollectedSide } from '../collected-side.ts';
import type { FigureChoice } from '../compare-figures.ts';
import type { FigureAnswer, MetricComparison } from '../comparison.ts';
import { figureLabel } from '../figure-words.ts';
import { comparedPair } from './compared-pairs.ts';
import { isOnTheseCases, pairAnswer } from './pair-answers.ts';
import type { BestVariants, RankRange } from './variant-table.ts';

/** How often the best variant may be left out of those that may be the best. */
export const errorRate = 0.05;

/** Every two variants, compared by some figures. */
export class PairsOfVariants {
  readonly #metrics = new Map<string, ReadonlyMap<string, MetricComparison>>();

  constructor(sides: readonly CollectedSide[], choice: FigureChoice & { readonly force?: boolean | undefined }) {
    for (const [index, a] of sides.entries()) {
      for (const b of sides.slice(index + 1)) {
        const { metrics } = comparedPair(a, b, choice);
        this.#metrics.set(keyOf(a.label, b.label), new Map(metrics.map((metric) => [metric.name, metric])));
      }
    }
  }

  /** Puts another answer in the place of the one for two variants. */
  replace(a: string, b: string, metric: MetricComparison): void {
    const direct = this.#metrics.get(keyOf(a, b));
    const [first, second] = direct ? [a, b] : [b, a];
    const others = direct ?? this.#metrics.get(keyOf(b, a)) ?? new Map();
    const changed = direct ? metric : { ...metric, answer: mirrored(metric.answer) };
    this.#metrics.set(keyOf(first, second), new Map([...others, [metric.name, changed]]));
  }

  /** How `b` compares with `a`; undefined where a figure was not compared. */
  answerOf(figure: string, a: string, b: string): FigureAnswer | undefined {
    const direct = this.#metrics.get(keyOf(a, b))?.get(figure);
    if (direct) return pairAnswer(direct);
    const swapped = this.#metrics.get(keyOf(b, a))?.get(figure);
    return swapped && mirrored(pairAnswer(swapped));
  }

  /** Whether any answer of the figure holds for the tried cases alone. */
  isOnTheseCases(figure: string): boolean {
    return [...this.#metrics.values()].some((metrics) => {
      const metric = metrics.get(figure);
      return metric !== undefined && isOnTheseCases(metric);
    });
  }
}

function keyOf(a: string, b: string): string {
  return JSON.stringify([a, b]);
}

const opposites: Readonly<Partial<Record<FigureAnswer, FigureAnswer>>> = {
  better: 'worse',
  worse: 'better',
  higher: 'lower',
  lower: 'higher',
};

function mirrored(answer: FigureAnswer): FigureAnswer {
  return opposites[answer] ?? answer;
}

/**
 * The places that each variant may have. Each is compared with the k - 1 others at a level that is divided by k - 1, so
 * each range, and the statement that the best is among those that may have the first place, errs as often as promised.
 */
export function rankRanges(
  labels: readonly string[],
  figure: string,
  pairs: PairsOfVariants,
): ReadonlyMap<string, RankRange> {
  const ranges = new Map<string, RankRange>();
  for (const label of labels) {
    const answers = labels.flatMap((other) => (other === label ? [] : (pairs.answerOf(figure, label, other) ?? [])));
    if (answers.length === 0 || answers.some((answer) => answer === 'higher' || answer === 'lower')) continue;
    const better = answers.filter((answer) => answer === 'better').length;
    const worse = answers.filter((answer) => answer === 'worse').length;
    ranges.set(label, { best: 1 + better, worst: labels.length - worse });
  }
  return ranges;
}

/** The variants that may be the best, as a statement that is wrong as rarely as it says. */
export function bestVariants(
  labels: readonly string[],
  figure: string,
  pairs: PairsOfVariants,
  ranges: ReadonlyMap<string, RankRange>,
  noun: 'run' | 'variant',
): BestVariants {
  const found = labels.filter((label) => ranges.get(label)?.best === 1);
  const isEquivalent =
    found.length > 1 &&
    found.every((label) =>
      found.every((other) => other === label || pairs.answerOf(figure, label, other) === 'no-difference'),
    );
  const isLimited = pairs.isOnTheseCases(figure);
  const kind = found.length === 0 ? 'none' : found.length === 1 ? 'one' : 'several';
  const compared = labels.filter((label) => ranges.has(label)).length;
  const best = { kind, labels: found, errorRate, isEquivalent, isOnTheseCases: isLimited } as const;
  return { ...best, summary: bestSentence(best, compared, figureLabel(figure), noun) };
}

function bestSentence(
  { labels, isEquivalent, isOnTheseCases: isLimited }: Omit<BestVariants, 'summary'>,
  compared: number,
  figure: string,
  noun: string,
): string {
  const [first = ''] = labels;
  const on = isLimited ? ' on these tasks' : '';
  const of = `of ${counted(compared, noun)} by ${figure}${on}`;
  if (compared === 0) return `The ${noun}s cannot be ranked by ${figure}.`;
  if (labels.length === 0) return `No ${noun} is the best ${of}: each is worse than another one.`;
  if (labels.length === 1) return `${first} is the best ${of} (error rate at most 5 %).`;
  if (isEquivalent) return `${listed(labels)} are the best ${of}, without a difference that matters between them.`;
  if (labels.length === compared) return `Not enough data to distinguish the ${compared} ${noun}s by ${figure}${on}.`;
  return `The best ${of} is one of ${listed(labels)} (error rate at most 5 %); not enough data to distinguish these.`;
}

function listed(labels: readonly string[]): string {
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}
