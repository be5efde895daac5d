import type { Node } from 'acorn';
import { CriterionError } from '../criterion-error.ts';

/** Ends the compilation with a defect at a place in the source. */
export function refuse(source: string, offset: number, message: string, hint?: string): never {
  const column = offset + 1;
  throw new CriterionError({ criterion: source, message, column, ...(hint === undefined ? {} : { hint }) });
}

/** Ends the compilation because a node is outside the language. */
export function refuseOutside({ source }: { source: string }, node: Node, what: string, hint?: string): never {
  return refuse(source, node.start, `${what} is not part of the criteria language`, hint);
}

/** Name of a node that is not part of the language, with a hint where one helps. */
interface Refusal {
  what: string;
  hint?: string;
}

const refusedNodes: Readonly<Record<string, Refusal>> = {
  ArrowFunctionExpression: {
    what: 'a function outside an array method',
    hint: 'write it inside `.every(…)`, `.map(…)` …',
  },
  AssignmentExpression: { what: 'assignment', hint: 'compare with `===`' },
  AwaitExpression: { what: '`await`' },
  ClassExpression: { what: '`class`' },
  FunctionExpression: { what: '`function`', hint: 'use an arrow function such as `item => item.ok`' },
  ImportExpression: { what: '`import`' },
  MetaProperty: { what: 'a meta property' },
  NewExpression: { what: '`new`' },
  PrivateIdentifier: { what: 'a private name' },
  SequenceExpression: { what: 'the comma operator', hint: 'join conditions with `&&`' },
  Super: { what: '`super`' },
  TaggedTemplateExpression: { what: 'a tagged template' },
  ThisExpression: { what: '`this`' },
  UpdateExpression: { what: '`++` and `--`' },
  YieldExpression: { what: '`yield`' },
};

/** Names a syntax node that the language refuses. */
export function refusalOfNode(type: string): Refusal {
  return refusedNodes[type] ?? { what: type };
}

const changesData = 'it would change the data';

const refusedMethods: ReadonlyMap<string, string> = new Map([
  ['sort', 'use `toSorted`, which makes a copy'],
  ['reverse', 'use `toReversed`, which makes a copy'],
  ['splice', 'use `slice` or `filter`'],
  ['push', 'use `concat`'],
  ['unshift', 'use `concat`'],
  ['pop', 'use `at(-1)`'],
  ['shift', 'use `at(0)`'],
  ['fill', changesData],
  ['copyWithin', changesData],
  ['forEach', 'use `every` or `some`, which give an answer'],
  ['exec', 'use `text.match(/…/)`'],
  ['toLocaleLowerCase', 'use `toLowerCase`'],
  ['toLocaleUpperCase', 'use `toUpperCase`'],
  ['toLocaleString', 'use `toString` or `toFixed`'],
  ['substr', 'use `slice`'],
]);

/** Functions of other languages. */
const functionsElsewhere: ReadonlyMap<string, string> = new Map([
  ['len', 'use `result.length`'],
  ['str', 'use `String(…)`'],
  ['int', 'use `Number(…)`'],
  ['float', 'use `Number(…)`'],
  ['any', 'use `list.some(item => …)`'],
  ['all', 'use `list.every(item => …)`'],
  ['contains', 'use `text.includes(…)`'],
]);

/** Says what to write instead of a function of another language. */
export function insteadOfFunction(name: string): string | undefined {
  return functionsElsewhere.get(name);
}

/** Says what to write instead of a JavaScript method that the language leaves out on purpose. */
export function insteadOfMethod(name: string): string | undefined {
  return refusedMethods.get(name);
}
