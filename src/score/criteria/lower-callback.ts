import type { ArrowFunctionExpression, Expression, Pattern as ParameterPattern } from 'acorn';
import { functions } from './functions.ts';
import { type Lowering, refuse, refuseOutside } from './lowering.ts';
import { partsOf } from './parts-of.ts';
import type { Binding, Callback, Expr } from './syntax.ts';

/** Lowers the first argument of an array method: an arrow function or the name of a known function. */
export function lowerCallback(lowering: Lowering, node: Expression, method: string): Callback {
  const { start, end } = node;
  if (node.type === 'ParenthesizedExpression') return lowerCallback(lowering, node.expression, method);
  if (node.type === 'ArrowFunctionExpression') return lowerArrow(lowering, node);
  const name = lowering.source.slice(start, end);
  const rootName = name.split('.')[0] ?? '';
  if (functions.has(name) && !lowering.bound.has(rootName)) return { kind: 'reference', name, start, end };
  if (node.type === 'FunctionExpression') return refuseOutside(lowering, node, '`function`', 'use an arrow function');
  return refuse(lowering.source, start, `\`${method}\` needs an arrow function`, 'such as `item => item.ok`');
}

function lowerArrow(lowering: Lowering, node: ArrowFunctionExpression): Callback {
  if (node.async) return refuseOutside(lowering, node, '`async`');
  if (node.body.type === 'BlockStatement') {
    return refuseOutside(lowering, node.body, 'a function body in braces', 'write `item => condition`');
  }
  const bound = new Map(lowering.bound);
  const bindings = node.params.map((parameter) => lowerBinding(lowering, parameter, bound));
  const body = lowering.lowerWithin(node.body, bound);
  return {
    kind: 'arrow',
    bindings,
    body,
    cost: 1 + bindings.length + countParts(body),
    start: node.start,
    end: node.end,
  };
}

function lowerBinding(lowering: Lowering, pattern: ParameterPattern, bound: Map<string, number>): Binding {
  const text = lowering.source.slice(pattern.start, pattern.end);
  switch (pattern.type) {
    case 'Identifier': {
      const slot = lowering.newSlot();
      bound.set(pattern.name, slot);
      return { kind: 'slot', slot };
    }
    case 'ObjectPattern': {
      const fields = pattern.properties.map((property) => {
        if (property.type === 'RestElement') return refuseOutside(lowering, property, 'a rest parameter');
        const key = fieldName(lowering, property.key, property.computed);
        return { key, target: lowerBinding(lowering, property.value, bound) };
      });
      return { kind: 'fields', text, fields };
    }
    case 'ArrayPattern': {
      const items = pattern.elements.map((element) => (element ? lowerBinding(lowering, element, bound) : undefined));
      return { kind: 'items', text, items };
    }
    case 'RestElement':
      return refuseOutside(lowering, pattern, 'a rest parameter');
    case 'AssignmentPattern':
      return refuseOutside(lowering, pattern, 'a default value');
    default:
      return refuseOutside(lowering, pattern, pattern.type);
  }
}

function fieldName(lowering: Lowering, key: Expression, computed: boolean): string {
  if (!computed && key.type === 'Identifier') return key.name;
  if (!computed && key.type === 'Literal') return String(key.value);
  return refuseOutside(lowering, key, 'a computed key in a parameter');
}

/** Counts the nodes of an expression, callbacks included, so that calling it can be charged for. */
function countParts(expr: Expr): number {
  return partsOf(expr).reduce((count, part) => count + countParts(part), 1);
}
