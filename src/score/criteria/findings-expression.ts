import { createRun, defaultLimits, Overrun, refill } from './budget.ts';
import { createCompilation } from './compile/compile.ts';
import { CriterionError, Obstacle } from './criterion-error.ts';
import { explainAnswer } from './explain/explain.ts';
import { parseSource } from './parse/parse.ts';
import { type Expr, type FindingsScope, findingsRootNames, partsOf, type RootName } from './syntax.ts';
import { describeValue } from './values.ts';

/** A finding that an expression names; without a key, all findings of that kind. */
export interface NamedFinding {
  readonly root: RootName;
  readonly key: string | undefined;
}

/** Why a finding has no value; undefined where it has one. */
type WhyUnknown = (finding: NamedFinding) => string | undefined;

/** A third answer, beside yes and no: it depends on findings that are not known. */
type FindingsAnswer =
  | { readonly state: 'met' | 'not-met'; readonly explanation: string }
  | { readonly state: 'unknown'; readonly reason: string };

/** A boolean expression over findings, of which some may be unknown. */
export interface FindingsExpression {
  readonly source: string;
  readonly named: readonly NamedFinding[];
  /** Throws a `CriterionError` where a part is neither true nor false, or takes too much work. */
  answer(scope: FindingsScope, whyUnknown: WhyUnknown): FindingsAnswer;
}

/** True, false, or why neither can be said. */
type Truth = boolean | Unknown;

class Unknown {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * Compiles a boolean expression over findings, or throws a `CriterionError`. `&&`, `||`, `!` and `?:` are computed with
 * three values: an unknown finding makes the answer unknown, unless the others decide it.
 */
export function compileFindingsExpression(source: string): FindingsExpression {
  const { expr, slotCount } = parseSource(source, findingsRootNames);
  const compilation = createCompilation(source);
  const run = createRun(slotCount, defaultLimits);
  const named = findingsIn(expr);
  return {
    source,
    named,
    answer(scope, whyUnknown) {
      refill(run, defaultLimits);
      const leaf = (part: Expr): Truth => {
        const unknown = findingsIn(part)
          .map(whyUnknown)
          .find((reason) => reason !== undefined);
        if (unknown !== undefined) return new Unknown(unknown);
        return truthOf(source, part, () => compilation.compile(part)(scope, run));
      };
      const truth = evaluate(expr, leaf);
      if (truth instanceof Unknown) return { state: 'unknown', reason: truth.reason };
      const isWhollyKnown = named.every((finding) => whyUnknown(finding) === undefined);
      const explanation = isWhollyKnown
        ? explainAnswer({ compilation, expr, slotCount, scope, value: truth, role: 'pass', limits: defaultLimits })
        : `${source} is ${truth}, whatever could not be judged`;
      return { state: truth ? 'met' : 'not-met', explanation };
    },
  };
}

function evaluate(expr: Expr, leaf: (expr: Expr) => Truth): Truth {
  if (expr.kind === 'logical' && expr.operator !== '??') {
    const deciding = expr.operator === '||';
    let unknown: Unknown | undefined;
    for (const operand of expr.operands) {
      const truth = evaluate(operand, leaf);
      if (truth === deciding) return deciding;
      if (truth instanceof Unknown) unknown ??= truth;
    }
    return unknown ?? !deciding;
  }
  if (expr.kind === 'unary' && expr.operator === '!') {
    const truth = evaluate(expr.operand, leaf);
    return truth instanceof Unknown ? truth : !truth;
  }
  if (expr.kind === 'conditional') {
    const test = evaluate(expr.test, leaf);
    if (!(test instanceof Unknown)) return evaluate(test ? expr.consequent : expr.alternate, leaf);
    const [one, other] = [evaluate(expr.consequent, leaf), evaluate(expr.alternate, leaf)];
    return one === other ? one : test;
  }
  return leaf(expr);
}

/** The value of a part that must be true or false; data without an answer leaves it unknown. */
function truthOf(source: string, { start }: Expr, compute: () => unknown): Truth {
  try {
    const value = compute();
    if (typeof value === 'boolean') return value;
    throw new CriterionError({
      criterion: source,
      message: `it gives ${describeValue(value)}, not true or false`,
      column: start + 1,
      hint: 'compare the value, as in `… >= 0.8`',
    });
  } catch (error) {
    if (error instanceof Obstacle) return new Unknown(error.explanation);
    if (!(error instanceof Overrun)) throw error;
    throw new CriterionError({ criterion: source, message: `it ${error.message}`, column: 1 });
  }
}

/** Every finding that an expression reads: by its name, or all where the name is computed. */
function findingsIn(expr: Expr): NamedFinding[] {
  if (expr.kind === 'member' && expr.object.kind === 'root' && isFindings(expr.object.name))
    return [{ root: expr.object.name, key: expr.key }];
  if (expr.kind === 'root') return isFindings(expr.name) ? [{ root: expr.name, key: undefined }] : [];
  return partsOf(expr).flatMap(findingsIn);
}

function isFindings(root: RootName): boolean {
  return root !== 'input' && root !== 'expected';
}
