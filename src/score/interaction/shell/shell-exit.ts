/** The exit code of a command; `failed` where it is only known not to be 0; undefined where it is not known. */
export type ShellExit = number | 'failed' | undefined;

/** Exit of one command, inferred from the exit code of its line. */
export interface InferredExit {
  readonly exit: ShellExit;
  /** Whether it ran for certain. */
  readonly isCertain: boolean;
}

/** Role of a command in finding the one that failed: a test is expected to fail sometimes. */
export type CommandRole = 'tool' | 'test' | 'other' | 'harmless';

/** One part of an and-or chain. */
interface ChainPart {
  /** The operator before it; the first part has none. */
  readonly operator: '&&' | '||' | undefined;
  readonly suspect: CommandRole;
}

/**
 * The fates of the parts of an and-or chain, read from the right:
 *
 * - `a && b` with exit code 0: both ran and exited 0.
 * - `a && b` with another exit code: one of them failed, and the text does not show which. If `b` hardly ever fails
 *   (`echo`, `cd` …) it was `a`. If `b` runs the tool, `b` is taken to have failed and `a` to have succeeded: it is the
 *   reading in which everything that is counted also ran, and the number of failures is right either way. If `b` is
 *   another program, or `a` a test such as `[ -f x ]`, nothing is said of either.
 * - `a || b` with exit code 0: either may have ended it; nothing is said of either.
 * - `a || b` with another exit code: both ran and failed, and the exit code is that of `b`.
 */
export function inferChainExits(parts: readonly ChainPart[], whole: InferredExit): InferredExit[] {
  const fromRight: InferredExit[] = [];
  let exit = whole.exit;
  for (let index = parts.length - 1; index > 0; index--) {
    const { operator, suspect } = parts[index] as ChainPart;
    const isGuarded = parts[index - 1]?.suspect === 'test';
    const [left, right] = operator === '&&' ? splitAnd(exit, isGuarded ? 'other' : suspect) : splitOr(exit);
    fromRight.push({ exit: right.exit, isCertain: right.isCertain && whole.isCertain });
    exit = left;
  }
  return [{ exit, isCertain: whole.isCertain }, ...fromRight.reverse()];
}

type Split = readonly [left: ShellExit, right: InferredExit];

function splitAnd(exit: ShellExit, suspect: CommandRole): Split {
  if (exit === 0) return [0, { exit: 0, isCertain: true }];
  if (exit === undefined || suspect === 'other' || suspect === 'test')
    return [undefined, { exit: undefined, isCertain: false }];
  if (suspect === 'harmless') return [exit, { exit: undefined, isCertain: false }];
  return [0, { exit, isCertain: false }];
}

function splitOr(exit: ShellExit): Split {
  if (exit === 0 || exit === undefined) return [undefined, { exit: undefined, isCertain: false }];
  return ['failed', { exit, isCertain: true }];
}

/** Exit code before `!` inverted it. */
export function withoutNegation(exit: ShellExit): ShellExit {
  if (exit === undefined) return undefined;
  return exit === 0 ? 'failed' : 0;
}
