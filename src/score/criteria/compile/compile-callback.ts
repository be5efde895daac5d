import type { ArrowFunctionExpression, CallExpression, Expression, Pattern } from 'acorn';
import { type Run, spendSteps } from '../budget.ts';
import { type CallSite, Obstacle } from '../criterion-error.ts';
import { functions, sequence } from '../library/functions.ts';
import { refuse, refuseOutside } from '../parse/refusals.ts';
import { describeValue, readOwn } from '../values.ts';
import type { Callback, Compilation } from './compilation.ts';

/** Compiles the first argument of an array method: an arrow function or the name of a known function. */
export function compileCallback(
  compilation: Compilation,
  { arguments: [first], start, end }: CallExpression,
  method: string,
  need: 'required' | 'optional',
): Callback {
  if (first === undefined && need === 'optional') return { invoke: undefined, start: end, end };
  const missing = `\`${method}\` needs an arrow function`;
  const example = 'such as `item => item.ok`';
  if (first === undefined || first.type === 'SpreadElement') return refuse(compilation.source, start, missing, example);
  if (first.type === 'ArrowFunctionExpression') return compileArrow(compilation, first);
  const name = compilation.source.slice(first.start, first.end);
  const call = functions.get(name);
  if (call !== undefined && !compilation.bound.has(name.split('.')[0] ?? '')) {
    const site = compilation.siteOf(first);
    return {
      invoke: (_scope, run, a, b, c) => {
        spendSteps(run, 2);
        return call([a, b, c], run, site);
      },
      start: first.start,
      end: first.end,
    };
  }
  if (first.type === 'FunctionExpression')
    return refuseOutside(compilation, first, '`function`', 'use an arrow function');
  return refuse(compilation.source, first.start, missing, example);
}

/** Compiles an arrow function; calling it costs as many steps as it has nodes. */
function compileArrow(compilation: Compilation, node: ArrowFunctionExpression): Callback {
  const { start, end } = node;
  if (node.async) return refuseOutside(compilation, node, '`async`');
  if (node.body.type === 'BlockStatement')
    return refuseOutside(compilation, node.body, 'a function body in braces', 'write `item => condition`');
  const body: Expression = node.body;
  const bound = new Map(compilation.bound);
  const binds = node.params.map((parameter) => compileBinding(compilation, parameter, bound));
  const nodesBefore = compilation.nodeCount;
  const evaluate = compilation.compileWithin(body, bound);
  const cost = 1 + binds.length + compilation.nodeCount - nodesBefore;
  const [only, ...others] = binds;
  if (only && others.length === 0)
    return {
      invoke: (scope, run, item) => {
        spendSteps(run, cost);
        only(item, run);
        return evaluate(scope, run);
      },
      ...{ body, start, end },
    };
  return {
    invoke: (scope, run, a, b, c, d) => {
      spendSteps(run, cost);
      const values = [a, b, c, d];
      binds.forEach((bind, position) => {
        bind(values[position], run);
      });
      return evaluate(scope, run);
    },
    ...{ body, start, end },
  };
}

/** Gives one parameter of a callback its value for one call. */
type Bind = (value: unknown, run: Run) => void;

function compileBinding(compilation: Compilation, pattern: Pattern, bound: Map<string, number>): Bind {
  const site: CallSite = { text: compilation.source.slice(pattern.start, pattern.end) };
  switch (pattern.type) {
    case 'Identifier': {
      const slot = compilation.slotCount++;
      bound.set(pattern.name, slot);
      return (value, run) => {
        run.slots[slot] = value;
      };
    }
    case 'ObjectPattern': {
      const fields = pattern.properties.map((property) => {
        if (property.type === 'RestElement') return refuseOutside(compilation, property, 'a rest parameter');
        const key = fieldName(compilation, property.key, property.computed);
        return { key, bind: compileBinding(compilation, property.value, bound) };
      });
      return (value, run) => {
        requireItem(value, site);
        for (const { key, bind } of fields) bind(readOwn(value, key), run);
      };
    }
    case 'ArrayPattern': {
      const binds = pattern.elements.map((element) => element && compileBinding(compilation, element, bound));
      return (value, run) => {
        requireItem(value, site);
        const items = sequence(value, run, site);
        binds.forEach((bind, position) => {
          bind?.(items[position], run);
        });
      };
    }
    case 'RestElement':
      return refuseOutside(compilation, pattern, 'a rest parameter');
    case 'AssignmentPattern':
      return refuseOutside(compilation, pattern, 'a default value');
    default:
      return refuseOutside(compilation, pattern, pattern.type);
  }
}

function requireItem(value: unknown, { text }: CallSite): void {
  if (value === undefined || value === null)
    throw new Obstacle(`an item is ${describeValue(value)}, so ${text} cannot be read from it`);
}

function fieldName(compilation: Compilation, key: Expression, computed: boolean): string {
  if (!computed && key.type === 'Identifier') return key.name;
  if (!computed && key.type === 'Literal') return String(key.value);
  return refuseOutside(compilation, key, 'a computed key in a parameter');
}
