import type { Pattern } from './library/pattern.ts';

/** The data a criterion can see: JSON values, each absent when there is nothing to see. */
export interface CriteriaScope {
  result?: unknown;
  error?: unknown;
  input?: unknown;
  expected?: unknown;
}

/** The data that an expression over findings can see: those of other evaluators, by their names. */
export interface FindingsScope extends Pick<CriteriaScope, 'input' | 'expected'> {
  /** Whether each assertion passed. */
  results?: Readonly<Record<string, unknown>>;
  /** Scores of assertions that give one. */
  scores?: Readonly<Record<string, unknown>>;
  metrics?: Readonly<Record<string, unknown>>;
  /** Answer of the judge to each of its criteria. */
  judge?: Readonly<Record<string, unknown>>;
}

/** Everything that some expression can see. */
export type AnyScope = CriteriaScope & FindingsScope;

/** Name of a root variable of the language. */
export type RootName = keyof AnyScope;

/** The root variables of the language. */
export const rootNames: readonly RootName[] = ['result', 'error', 'input', 'expected'];

/** Those of expressions over findings. */
export const findingsRootNames: readonly RootName[] = ['results', 'scores', 'metrics', 'judge', 'input', 'expected'];

/** Where a node stands in the source: character offsets, end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** Unary operators of the language. */
export type UnaryOperator = '!' | '-' | '+' | 'typeof';
/** Operators that compare two values. */
export type ComparisonOperator = '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=';
/** Operators that compute a value from two. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '**';
/** Operators that may leave their right side alone. */
export type LogicalOperator = '&&' | '||' | '??';

/** A value written in the criterion itself. */
export type LiteralValue = undefined | null | boolean | number | string;

/** Reading a property whose name is known from the source. */
export type MemberExpr = Span & { kind: 'member'; object: Expr; key: string; optional: boolean };
/** A call of a method that takes values. */
export type MethodExpr = Span & {
  kind: 'method';
  receiver: Expr;
  name: string;
  args: Argument[];
  /** `receiver?.name(…)` */
  optional: boolean;
  /** `receiver.name?.(…)` */
  optionalCall: boolean;
};
/** A call of an array method that takes a callback. */
export type IterationExpr = Omit<MethodExpr, 'kind'> & { kind: 'iteration'; callback: Callback };
/** A regular expression applied to a text. */
export type PatternExpr = Omit<MethodExpr, 'kind'> & { kind: 'pattern'; pattern: Pattern };
/** A comparison of two values. */
export type ComparisonExpr = Span & { kind: 'comparison'; operator: ComparisonOperator; left: Expr; right: Expr };
/** A chain of operands joined by one logical operator, flattened to keep long chains shallow. */
export type LogicalExpr = Span & { kind: 'logical'; operator: LogicalOperator; operands: Expr[] };
/** A call of a function the language knows by name, such as `Math.max`. */
export type FunctionExpr = Span & { kind: 'function'; name: string; args: Argument[] };

/** The closed list of expressions; whatever cannot be written as one of these is not part of the language. */
export type Expr =
  | (Span & { kind: 'literal'; value: LiteralValue })
  | (Span & { kind: 'root'; name: RootName })
  | (Span & { kind: 'parameter'; name: string; slot: number })
  | MemberExpr
  | (Span & { kind: 'index'; object: Expr; index: Expr; optional: boolean })
  /** The extent of an optional chain: a short-circuit inside it makes the whole of it undefined. */
  | (Span & { kind: 'chain'; expression: Expr })
  | MethodExpr
  | IterationExpr
  | PatternExpr
  | FunctionExpr
  | (Span & { kind: 'unary'; operator: UnaryOperator; operand: Expr })
  | ComparisonExpr
  | (Span & { kind: 'arithmetic'; operator: ArithmeticOperator; left: Expr; right: Expr })
  | (Span & { kind: 'in'; key: Expr; object: Expr })
  | LogicalExpr
  | (Span & { kind: 'conditional'; test: Expr; consequent: Expr; alternate: Expr })
  | (Span & { kind: 'template'; texts: string[]; parts: Expr[] })
  | (Span & { kind: 'array'; elements: Argument[] })
  | (Span & { kind: 'object'; entries: ObjectEntry[] });

/** `...items` in a list of arguments or elements. */
type Spread = Span & { kind: 'spread'; argument: Expr };
/** One argument of a call or element of an array literal. */
export type Argument = Expr | Spread;
/** One part of an object literal. */
export type ObjectEntry = { kind: 'property'; key: Expr; value: Expr } | Spread;

/** Destructuring of one argument of a callback. */
export type Binding =
  | { kind: 'slot'; slot: number }
  | { kind: 'fields'; text: string; fields: { key: string; target: Binding }[] }
  | { kind: 'items'; text: string; items: (Binding | undefined)[] };

/** A function given to an array method; it exists only in that place and is never a value. */
export type Callback =
  | (Span & { kind: 'arrow'; bindings: Binding[]; body: Expr; cost: number })
  | (Span & { kind: 'reference'; name: string })
  | (Span & { kind: 'none' });

/** Lists the direct sub-expressions of an expression, the bodies of callbacks included. */
export function partsOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'root':
    case 'parameter':
      return [];
    case 'member':
      return [expr.object];
    case 'index':
      return [expr.object, expr.index];
    case 'chain':
      return [expr.expression];
    case 'method':
    case 'pattern':
      return [expr.receiver, ...expr.args.map(withoutSpread)];
    case 'iteration': {
      const body = expr.callback.kind === 'arrow' ? [expr.callback.body] : [];
      return [expr.receiver, ...body, ...expr.args.map(withoutSpread)];
    }
    case 'function':
      return expr.args.map(withoutSpread);
    case 'unary':
      return [expr.operand];
    case 'comparison':
    case 'arithmetic':
      return [expr.left, expr.right];
    case 'in':
      return [expr.key, expr.object];
    case 'logical':
      return expr.operands;
    case 'conditional':
      return [expr.test, expr.consequent, expr.alternate];
    case 'template':
      return expr.parts;
    case 'array':
      return expr.elements.map(withoutSpread);
    case 'object':
      return expr.entries.flatMap(partsOfEntry);
  }
}

function withoutSpread(argument: Argument): Expr {
  return argument.kind === 'spread' ? argument.argument : argument;
}

function partsOfEntry(entry: ObjectEntry): Expr[] {
  return entry.kind === 'property' ? [entry.key, entry.value] : [entry.argument];
}
