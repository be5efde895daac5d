import type { Run } from '../budget.ts';
import { Obstacle } from '../criterion-error.ts';
import type { Expr, MemberExpr } from '../syntax.ts';
import { describeValue, isDataObject, readOwn, toText } from '../values.ts';
import { type Compilation, type Evaluate, shortCircuit, textOf } from './evaluate.ts';

/** Whether an expression belongs to an optional chain that may end before it. */
function mayShortCircuit(expr: Expr): boolean {
  switch (expr.kind) {
    case 'member':
    case 'index':
      return expr.optional || mayShortCircuit(expr.object);
    case 'method':
    case 'iteration':
    case 'pattern':
      return expr.optional || expr.optionalCall || mayShortCircuit(expr.receiver);
    default:
      return false;
  }
}

/** Compiles reading a property by name. */
export function compileMember(compilation: Compilation, expr: MemberExpr): Evaluate {
  const { key, optional } = expr;
  const object = compilation.compile(expr.object);
  const missing = missingPart(compilation.source, expr.object, expr, 'read');
  const read = key === 'length' ? readLength : (value: unknown): unknown => readOwn(value, key);
  if (!mayShortCircuit(expr)) {
    return (scope, run) => {
      const value = object(scope, run);
      if (value === undefined || value === null) throw missing(value);
      return read(value);
    };
  }
  return (scope, run) => {
    const value = object(scope, run);
    if (value === shortCircuit) return shortCircuit;
    if (value === undefined || value === null) {
      if (optional) return shortCircuit;
      throw missing(value);
    }
    return read(value);
  };
}

function readLength(value: unknown): unknown {
  return typeof value === 'string' || Array.isArray(value) ? value.length : readOwn(value, 'length');
}

/** Compiles reading a property or item by a computed key. */
export function compileIndex(compilation: Compilation, expr: Expr & { kind: 'index' }): Evaluate {
  const object = compilation.compile(expr.object);
  const index = compilation.compile(expr.index);
  const missing = missingPart(compilation.source, expr.object, expr, 'read');
  return (scope, run) => {
    const value = object(scope, run);
    if (value === shortCircuit) return shortCircuit;
    if (value === undefined || value === null) {
      if (expr.optional) return shortCircuit;
      throw missing(value);
    }
    return readIndex(value, index(scope, run), run);
  };
}

function readIndex(value: unknown, index: unknown, run: Run): unknown {
  if (typeof index === 'number' && Array.isArray(value))
    return index >= 0 && index < value.length ? value[index] : undefined;
  return readOwn(value, toText(index, run));
}

/** Explains that a part could not be reached because what holds it is missing. */
export function missingPart(
  source: string,
  holder: Expr,
  part: Expr,
  verb: 'read' | 'called',
): (value: undefined | null) => Obstacle {
  return (value) => {
    const holderText = textOf(source, holder);
    return new Obstacle(`${holderText} is ${value}, so ${textOf(source, part)} cannot be ${verb}`);
  };
}

/** Compiles `key in object`, which looks at own properties only. */
export function compileIn(compilation: Compilation, expr: Expr & { kind: 'in' }): Evaluate {
  const key = compilation.compile(expr.key);
  const object = compilation.compile(expr.object);
  const text = textOf(compilation.source, expr.object);
  return (scope, run) => {
    const name = toText(key(scope, run), run);
    const value = object(scope, run);
    if (Array.isArray(value) || isDataObject(value)) return Object.hasOwn(value, name);
    throw new Obstacle(`${text} is ${describeValue(value)}, so nothing can be in it`);
  };
}
