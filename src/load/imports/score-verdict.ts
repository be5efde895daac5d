import { figureOf, nameOf } from './coerce.ts';
import type { RecordedCheck, RecordedVerdict } from './recorded-verdict.ts';

/** A score of another program, with what it is called there. */
export interface NamedScore {
  readonly name: string;
  /** A number, a boolean, or a word such as `C` and `pass`. */
  readonly value: unknown;
  readonly reason?: string | undefined;
}

const passWords = /^(?:c|correct|pass(?:ed)?|true|yes|y|success|succeeded|resolved|ok)$/i;
const failWords = /^(?:i|incorrect|wrong|fail(?:ed|ure)?|false|no|n|noanswer|unresolved|p|partial)$/i;

/**
 * The checks among scores: booleans, words, and numbers where the user says from which on they pass. A number alone is
 * a figure: on some scales 1 is the best and on others the worst.
 */
export function checksOf(scores: readonly NamedScore[], passAt: number | undefined): RecordedCheck[] {
  return scores.flatMap(({ name, value, reason }) => {
    const state = stateOf(value, passAt);
    if (state === undefined) return [];
    const figure = typeof value === 'number' ? figureOf(value) : undefined;
    return [{ name, state, reason: reason ?? String(value), ...(figure !== undefined && { value: figure }) }];
  });
}

/** The numbers among scores. */
export function figuresOf(scores: readonly NamedScore[]): Record<string, number> {
  const figures = scores.flatMap(({ name, value }) => {
    const figure = typeof value === 'number' ? figureOf(value) : undefined;
    return figure === undefined ? [] : [[name, figure] as const];
  });
  return Object.fromEntries(figures);
}

/** A trial passes when all of its checks do; undefined without checks. */
export function verdictOfChecks(checks: readonly RecordedCheck[]): RecordedVerdict | undefined {
  const [first] = checks;
  if (!first) return undefined;
  const deciding =
    checks.find(({ state }) => state === 'fail') ?? checks.find(({ state }) => state !== 'pass') ?? first;
  const { name, state, reason, value } = deciding;
  const isAll = state === 'pass' && checks.length > 1;
  return {
    state,
    reason: isAll ? `all ${checks.length} scores passed` : `${name}: ${reason}`,
    ...(value !== undefined && checks.length === 1 && { value }),
  };
}

function stateOf(value: unknown, passAt: number | undefined): 'pass' | 'fail' | undefined {
  if (typeof value === 'boolean') return value ? 'pass' : 'fail';
  if (typeof value === 'number') {
    if (passAt === undefined || !Number.isFinite(value)) return undefined;
    return value >= passAt ? 'pass' : 'fail';
  }
  const word = nameOf(value)?.trim() ?? '';
  return passWords.test(word) ? 'pass' : failWords.test(word) ? 'fail' : undefined;
}
