import { figureOf, nameOf } from './coerce.ts';
import type { RecordedCheck, RecordedVerdict } from './recorded-verdict.ts';

/** A score of another program, with what it is called there. */
export interface NamedScore {
  readonly name: string;
  /** A number, a boolean, or a word such as `C` and `pass`. */
  readonly value: unknown;
  readonly reason?: string | undefined;
  /**
   * The meaning of `true` where its name does not say so: `verdict` for a field that says whether it passed, in which
   * anything else is unreadable; `higher` where the program counts it as 1 of 1; unknown otherwise.
   */
  readonly meaning?: 'verdict' | 'higher' | undefined;
  /** A word that sorts and does not judge. */
  readonly isCategory?: boolean | undefined;
}

const passWords = /^(?:c|correct|pass(?:ed)?|true|yes|y|success|succeeded|resolved|ok)$/i;
const failWords = /^(?:i|incorrect|wrong|fail(?:ed|ure)?|false|no|n|noanswer|unresolved|p|partial)$/i;

/**
 * The checks among scores: booleans whose direction is known, words, and numbers where the user says from which on they
 * pass. A number alone is a figure, and so is a boolean such as `flagged`: of some the best is 1, and of others 0. A score
 * that cannot be read where it counts could not be judged.
 */
export function checksOf(scores: readonly NamedScore[], passAt: number | undefined): RecordedCheck[] {
  return scores.flatMap((score) => {
    const { name, value, reason } = score;
    const state = stateOf(score, passAt);
    if (state === undefined) return [];
    const figure = typeof value === 'number' ? figureOf(value) : undefined;
    const why = state === 'error' ? unreadable(score) : (reason ?? String(value));
    return [{ name, state, reason: why, ...(figure !== undefined && { value: figure }) }];
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

function stateOf({ name, value, meaning, isCategory }: NamedScore, passAt: number | undefined): Check | undefined {
  if (typeof value === 'boolean') return isUpward(name, meaning) ? (value ? 'pass' : 'fail') : undefined;
  if (meaning === 'verdict') return 'error';
  if (typeof value === 'number' && Number.isFinite(value)) {
    return passAt === undefined ? undefined : value >= passAt ? 'pass' : 'fail';
  }
  const word = nameOf(value)?.trim() ?? '';
  if (passWords.test(word)) return 'pass';
  if (failWords.test(word)) return 'fail';
  return passAt === undefined || isCategory ? undefined : 'error';
}

type Check = 'pass' | 'fail' | 'error';

function unreadable({ value, meaning }: NamedScore): string {
  return `${JSON.stringify(value ?? null)} is not ${meaning === 'verdict' ? 'true or false' : 'a number'}`;
}

const goodWords =
  /(?:^|_)(?:correct(?:ness)?|pass(?:ed)?|success(?:ful)?|succeeded|resolved|solved|accepted|accurate|accuracy|valid|ok)(?:_|$)/;
const badWords =
  /(?:^|_)(?:in|un|not|no|non|bad|fail(?:ed|ure|s)?|errors?|wrong|toxic(?:ity)?|bias(?:ed)?|unsafe|refus(?:al|ed)|halluc\w*)(?:_|$)/;

/** Whether `true` is better than `false`, by the name of a score or what its program does with it. */
function isUpward(name: string, meaning: NamedScore['meaning']): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return meaning === 'verdict' || (!badWords.test(words) && (meaning === 'higher' || goodWords.test(words)));
}
