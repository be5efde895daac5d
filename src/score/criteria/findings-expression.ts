import type { Expression, Node } from 'acorn';
import { createRun, defaultLimits, Overrun, refill } from './budget.ts';
import type { Compilation } from './compile/compilation.ts';
import { CriterionError, Obstacle } from './criterion-error.ts';
import { explainAnswer } from './explain/explain.ts';
import { compileSource } from './parse/parse.ts';
import { type FindingsScope, findingsRootNames, type RootName } from './scope.ts';
import { operandsOf, writtenKey } from './syntax.ts';
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
  const { root, compilation } = compileSource(source, findingsRootNames);
  const run = createRun(compilation.slotCount, defaultLimits);
  const named = findingsIn(compilation, root);
  return {
    source,
    named,
    answer(scope, whyUnknown) {
      refill(run, defaultLimits);
      const leaf = (part: Expression): Truth => {
        const unknown = findingsIn(compilation, part)
          .map(whyUnknown)
          .find((reason) => reason !== undefined);
        if (unknown !== undefined) return new Unknown(unknown);
        return truthOf(source, part, () => compilation.compile(part)(scope, run));
      };
      const truth = evaluate(root, leaf);
      if (truth instanceof Unknown) return { state: 'unknown', reason: truth.reason };
      const isWhollyKnown = named.every((finding) => whyUnknown(finding) === undefined);
      const explanation = isWhollyKnown
        ? explainAnswer({ compilation, root, scope, value: truth, role: 'pass', limits: defaultLimits })
        : `${source} is ${truth}, whatever could not be judged`;
      return { state: truth ? 'met' : 'not-met', explanation };
    },
  };
}

function evaluate(node: Expression, leaf: (node: Expression) => Truth): Truth {
  if (node.type === 'LogicalExpression' && node.operator !== '??') {
    const deciding = node.operator === '||';
    let unknown: Unknown | undefined;
    for (const operand of operandsOf(node)) {
      const truth = evaluate(operand, leaf);
      if (truth === deciding) return deciding;
      if (truth instanceof Unknown) unknown ??= truth;
    }
    return unknown ?? !deciding;
  }
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    const truth = evaluate(node.argument, leaf);
    return truth instanceof Unknown ? truth : !truth;
  }
  if (node.type === 'ConditionalExpression') {
    const test = evaluate(node.test, leaf);
    if (!(test instanceof Unknown)) return evaluate(test ? node.consequent : node.alternate, leaf);
    const [one, other] = [evaluate(node.consequent, leaf), evaluate(node.alternate, leaf)];
    return one === other ? one : test;
  }
  return leaf(node);
}

/** The value of a part that must be true or false; data without an answer leaves it unknown. */
function truthOf(source: string, { start }: Expression, compute: () => unknown): Truth {
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
function findingsIn(compilation: Compilation, node: Node): NamedFinding[] {
  const root = findingsRoot(compilation, node);
  if (root !== undefined) return [{ root, key: undefined }];
  const member = node as Expression;
  if (member.type === 'MemberExpression') {
    const holder = findingsRoot(compilation, member.object);
    const key = writtenKey(member);
    if (holder !== undefined && key !== undefined) return [{ root: holder, key }];
  }
  return compilation.partsOf(node).flatMap((part) => findingsIn(compilation, part));
}

function findingsRoot({ rootNodes }: Compilation, node: Node): RootName | undefined {
  const root = rootNodes.get(node);
  return root === 'input' || root === 'expected' ? undefined : root;
}
