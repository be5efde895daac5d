import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../testing/support/repetitions.ts';
import { compileCriterion, compileExpression } from './criterion.ts';
import { CriterionError } from './criterion-error.ts';

const attacks = [
  'result.constructor.constructor("globalThis.canary = 1")()',
  "[]['filter']['constructor']('globalThis.canary = 1')()",
  "''['constructor']['constructor']",
  'result.__proto__.canary = 1',
  "result['__proto__']['canary']",
  '(() => {}).constructor("return process")()',
  '[1].map(x => x.constructor)',
  '[1].map(Number.constructor)',
  'Object.getPrototypeOf(result)',
  'Object.assign(result, { canary: 1 })',
  'Object.defineProperty(result, "canary", {})',
  '({ __proto__: result })',
  "({ ['__proto__']: { canary: 1 } }).canary",
  "({ ['__proto__']: { canary: 1 } })",
  'Object.fromEntries([["__proto__", { canary: 1 }]])',
  '({ ...input })',
  'Object.fromEntries([["__proto__", { canary: 1 }]]).canary',
  'JSON.parse(\'{"__proto__":{"canary":1}}\').canary',
  '({ get canary() { return 1 } }).canary',
  '({ toString() { return globalThis } })',
  `\`\${{ toString: 'x', valueOf: 'y' }}\``,
  "'' + { toString: result, [Symbol.toPrimitive]: 1 }",
  'globalThis.process.exit()',
  'process.env.HOME',
  'this.canary',
  'new Function("return 1")()',
  'import("node:fs")',
  'eval("1")',
  'result.items.push(1)',
  'result.items.map.call(1)',
  'result.valueOf()',
  'result.toString.constructor',
  'Math.constructor.constructor("x")',
  'JSON.stringify.constructor',
  'Array.prototype.canary',
  'String.raw`x`',
  'result.items.reduce((a, b) => a.constructor)',
  'delete result.items',
  'result.items.length = 0',
  'result.text.replace(/x/, () => globalThis)',
  'result.text.split({ [Symbol.split]: 1 })',
  'Array.from({ length: 1e9 })',
  '[...result]',
  'result.text.at.call.call',
  'super.x',
  'async () => 1',
  'new.target',
  'result?.constructor?.constructor?.("x")',
  "result.items['map'](x => x)['constructor']",
  'arguments[0]',
];

const valid = [
  "result.text.includes('a') && result.items.length > 0",
  'result.items.every(i => i.n >= 0)',
  'Object.entries(result).some(([k, v]) => k === String(v))',
  "result.text.replace(/a(b)?/g, '$1$&').split(',')",
  'result.items.map(({ n }) => n).toSorted((a, b) => b - a).at(-1)',
  'Math.max(...result.items.map(i => i.n)) ** 2 % 7',
  `\`\${result.text}-\${typeof result.nothing}\`.padStart(40, '*')`,
  'result.nothing?.a.b[0] ?? JSON.stringify(result)',
];

const words = [
  ...[
    'result',
    'error',
    'input',
    'items',
    'text',
    'n',
    'x',
    'constructor',
    '__proto__',
    'prototype',
    'length',
    'Object',
    'Math',
  ],
  ...[
    '.',
    '.',
    '?.',
    '[',
    ']',
    '(',
    ')',
    '(',
    ')',
    '{',
    '}',
    ',',
    '=>',
    '...',
    '===',
    '&&',
    '||',
    '??',
    '!',
    '-',
    '+',
    '/',
    '`',
    '${',
  ],
  ...[
    "'a'",
    '"',
    '0',
    '1e9',
    '/a/g',
    'null',
    'map',
    'filter',
    'reduce',
    'repeat',
    'join',
    'call',
    'apply',
    'toString',
    'valueOf',
  ],
  ...[
    'this',
    'new',
    'function',
    'typeof',
    'in',
    'void',
    'globalThis',
    'Function',
    'eval',
    'Symbol',
    'JSON',
    'stringify',
    'x => x',
  ],
];

function hostileSources(): fc.Arbitrary<string> {
  const whole = fc.constantFrom(...attacks, ...valid);
  const salad = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));
  const mutated = fc
    .tuple(whole, fc.nat(80), fc.nat(12), fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })))
    .map(([source, at, cut, inserted]) => source.slice(0, at) + inserted + source.slice(at + cut));
  const nested = fc
    .tuple(whole, whole, fc.constantFrom('&&', '||', '??', '===', '+', ',', '?.', '.'))
    .map(([left, right, operator]) => `(${left}) ${operator} (${right})`);
  const wrapped = fc
    .tuple(
      whole,
      fc.constantFrom('[0, 1].map(x => @)', `\`\${@}\``, '({ a: @ }).a', '[@][0]', 'String(@)', '!(@)', 'typeof (@)'),
    )
    .map(([source, wrapper]) => wrapper.replace('@', () => source));
  return fc.oneof(whole, salad, mutated, mutated, nested, wrapped, fc.string({ unit: 'binary', maxLength: 30 }));
}

/** Fails on whatever JSON-like data cannot hold: functions, symbols, foreign prototypes, accessors. */
function isData(value: unknown): boolean {
  if (value === null || ['undefined', 'boolean', 'number', 'string'].includes(typeof value)) return true;
  if (typeof value !== 'object') return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== (Array.isArray(value) ? Array.prototype : Object.prototype)) return false;
  return Object.entries(Object.getOwnPropertyDescriptors(value)).every(
    ([, descriptor]) => 'value' in descriptor && isData(descriptor.value),
  );
}

const builtins = [Object, Array, String, Number, Boolean, Function, RegExp, Symbol, Math, JSON, globalThis];
const guarded = builtins.flatMap((builtin) => [builtin, Object(Reflect.get(builtin, 'prototype') ?? builtin)]);

function builtinsSnapshot(): string {
  return guarded.map((object) => Reflect.ownKeys(object).map(String).join()).join('\n');
}

describe('hostile expressions', () => {
  const sources = fc.sample(hostileSources(), { seed: 4_321, numRuns: repetitions({ usual: 2_000, inFull: 10_000 }) });
  const text = JSON.stringify({ text: 'abc,aab', items: [{ n: 1 }, { n: 2 }], nothing: null, toString: 'own' });

  it('reach nothing but data, throw nothing but CriterionError and leave every object as it was', () => {
    const before = builtinsSnapshot();
    const scope = { result: JSON.parse(text), input: JSON.parse('{"__proto__":{"own":1}}') };
    const counts = { data: 0, refused: 0 };
    for (const source of sources) {
      try {
        const value = compileExpression(source).evaluate(scope);
        expect(isData(value), source).toBe(true);
        counts.data += 1;
      } catch (error) {
        if (!(error instanceof CriterionError)) throw new Error(`${source} threw ${String(error)}`);
        counts.refused += 1;
      }
    }
    expect(JSON.stringify(scope.result)).toBe(text);
    expect(builtinsSnapshot()).toBe(before);
    expect(counts.data).toBeGreaterThan(sources.length / 10);
    expect(counts.refused).toBeGreaterThan(sources.length / 10);
  });

  it('are explained or refused, never answered with a crash', () => {
    const scope = { result: JSON.parse(text) };
    for (const source of sources.slice(0, 0.3 * sources.length)) {
      try {
        const answer = compileCriterion(`Boolean(${source})`).answer(scope);
        if (answer.state === 'unusable') continue;
        for (const role of ['pass', 'fail'] as const) expect(answer.explanation(role).length).toBeLessThanOrEqual(500);
      } catch (error) {
        if (!(error instanceof CriterionError)) throw new Error(`${source} threw ${String(error)}`);
      }
    }
  });

  it.each(attacks)('%s gives no host object', (source) => {
    const scope = { result: JSON.parse(text) };
    try {
      expect(isData(compileExpression(source).evaluate(scope))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(CriterionError);
    }
  });

  it('distinguishes data from host objects', () => {
    for (const host of [() => 1, Symbol('x'), new Date(0), Object.create({ a: 1 }), { a: [() => 1] }]) {
      expect(isData(host)).toBe(false);
    }
  });

  it('reads inherited names as undefined and own ones as data', () => {
    const source = "[result.constructor, result.__proto__, result['toString'], input.__proto__.own]";
    const scope = { result: { toString: 'own' }, input: JSON.parse('{"__proto__":{"own":1}}') };
    expect(compileExpression(source).evaluate(scope)).toEqual([undefined, undefined, 'own', 1]);
  });
});
