import type { Identifier, MemberExpression } from 'acorn';
import { didYouMean } from '../../shared/suggest.ts';
import { constants, functions } from './functions.ts';
import { namespaceName, namespaces } from './lower-call.ts';
import { type Lowering, refuse, refuseOutside } from './lowering.ts';
import { rootNames } from './scope.ts';
import type { Expr, LiteralValue } from './syntax.ts';

const namedLiterals: ReadonlyMap<string, LiteralValue> = new Map<string, LiteralValue>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

/** Lowers a name: a callback's parameter, a root, or a literal that is written as a name. */
export function lowerIdentifier(lowering: Lowering, { name, start, end }: Identifier): Expr {
  const slot = lowering.bound.get(name);
  if (slot !== undefined) return { kind: 'parameter', name, slot, start, end };
  const root = rootNames.find((candidate) => candidate === name);
  if (root !== undefined) return { kind: 'root', name: root, start, end };
  if (namedLiterals.has(name)) return { kind: 'literal', value: namedLiterals.get(name), start, end };
  if (namespaces.has(name) || functions.has(name)) {
    return refuse(lowering.source, start, `\`${name}\` is no value`, `call it, as in \`${exampleCall(name)}\``);
  }
  const known = [...lowering.bound.keys(), ...rootNames, ...namedLiterals.keys(), ...namespaces, ...functions.keys()];
  const roots = 'a criterion can use `result`, `error`, `input` and `expected`';
  return refuse(lowering.source, start, `\`${name}\` is not defined`, didYouMean(name, known) ?? roots);
}

function exampleCall(name: string): string {
  if (functions.has(name)) return `${name}(result)`;
  const example = [...functions.keys()].find((candidate) => candidate.startsWith(`${name}.`));
  return `${example ?? name}(result)`;
}

/** Lowers `object.key`, `object[index]` and constants such as `Math.PI`. */
export function lowerMember(lowering: Lowering, node: MemberExpression): Expr {
  const { property, computed, optional, start, end } = node;
  if (node.object.type === 'Super') return refuseOutside(lowering, node, '`super`');
  if (property.type === 'PrivateIdentifier') return refuseOutside(lowering, property, 'a private name');
  const namespace = namespaceName(lowering, node.object);
  if (namespace !== undefined) return lowerConstant(lowering, node, namespace);
  const object = lowering.lower(node.object);
  if (!computed && property.type === 'Identifier') {
    return { kind: 'member', object, key: property.name, optional, start, end };
  }
  const index = lowering.lower(property);
  if (index.kind === 'literal' && typeof index.value === 'string') {
    return { kind: 'member', object, key: index.value, optional, start, end };
  }
  return { kind: 'index', object, index, optional, start, end };
}

function lowerConstant(lowering: Lowering, { property, start, end }: MemberExpression, namespace: string): Expr {
  const name = property.type === 'Identifier' ? `${namespace}.${property.name}` : namespace;
  const value = constants.get(name);
  if (value !== undefined) return { kind: 'literal', value, start, end };
  if (functions.has(name)) {
    return refuse(lowering.source, start, `\`${name}\` is no value`, `call it, as in \`${name}(result)\``);
  }
  return refuse(lowering.source, start, `\`${name}\` is not a known constant`, didYouMean(name, constants.keys()));
}
