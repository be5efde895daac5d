import type { FigureUnit } from './comparison.ts';

/** The smallest difference that matters: in the unit of the figure, or as a share of its mean on both sides. */
export type SmallestDifference =
  | { readonly kind: 'absolute'; readonly value: number }
  | { readonly kind: 'relative'; readonly share: number };

/** How a figure is to be read. */
export interface FigureDefinition {
  readonly unit: FigureUnit;
  /** Null where nobody said which is better. */
  readonly isHigherBetter: boolean | null;
  readonly smallest: SmallestDifference;
}

/** What somebody says about figures, by their names. */
export interface FigureOptions {
  readonly smallest?: ReadonlyMap<string, SmallestDifference>;
  readonly higherIsBetter?: readonly string[];
  readonly lowerIsBetter?: readonly string[];
}

const fivePoints: SmallestDifference = { kind: 'absolute', value: 0.05 };
const tenPercent: SmallestDifference = { kind: 'relative', share: 0.1 };

const goodShare: FigureDefinition = { unit: 'share', isHigherBetter: true, smallest: fivePoints };
const badShare: FigureDefinition = { unit: 'share', isHigherBetter: false, smallest: fivePoints };
const effort: FigureDefinition = { unit: 'count', isHigherBetter: false, smallest: tenPercent };
const time: FigureDefinition = { unit: 'ms', isHigherBetter: false, smallest: tenPercent };
const unknown: FigureDefinition = { unit: 'number', isHigherBetter: null, smallest: tenPercent };

/** What is known of figures beforehand; any other metric is shown without saying which side is better. */
const definitions: Readonly<Record<string, FigureDefinition>> = {
  'pass-rate': goodShare,
  'judge-score': goodShare,
  'composite-score': goodShare,
  'workflow-score': goodShare,
  'cost-usd': { unit: 'usd', isHigherBetter: false, smallest: tenPercent },
  'duration-ms': time,
  tokens: effort,
  'interaction.error_rate': badShare,
  'interaction.retry_rate': badShare,
  'interaction.help_invocations': effort,
  'interaction.first_try_success_rate': goodShare,
  'interaction.total_commands': effort,
  duration: time,
  latency: time,
  'time-to-first-token-ms': time,
  'token-usage': effort,
  'tool-call-count': { ...effort, isHigherBetter: null },
  'turn-count': { ...effort, isHigherBetter: null },
  'response-length': { ...effort, isHigherBetter: null },
};

/** How the figure of this name is read, with what was said about it. */
export function definitionOf(name: string, options: FigureOptions = {}): FigureDefinition {
  const known = Object.hasOwn(definitions, name) ? (definitions[name] ?? unknown) : unknown;
  const isHigherBetter = options.higherIsBetter?.includes(name)
    ? true
    : options.lowerIsBetter?.includes(name)
      ? false
      : known.isHigherBetter;
  return { ...known, isHigherBetter, smallest: smallestOf(known, options.smallest?.get(name)) };
}

/** Percents of a figure that is itself told in percent are points of it. */
function smallestOf({ unit, smallest }: FigureDefinition, said: SmallestDifference | undefined): SmallestDifference {
  if (!said) return smallest;
  return said.kind === 'relative' && unit === 'share' ? { kind: 'absolute', value: said.share } : said;
}

/** In the unit of the figure; the mean of both sides, so that it is the same whichever of them comes first. */
export function smallestDifferenceOf({ smallest }: FigureDefinition, meanA: number, meanB: number): number {
  return smallest.kind === 'absolute' ? smallest.value : (smallest.share * (Math.abs(meanA) + Math.abs(meanB))) / 2;
}
