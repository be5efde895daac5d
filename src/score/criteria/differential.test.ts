import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOfCriteria, answerOfJavaScript } from '../../testing/support/criteria-answers.ts';
import { repetitions } from '../../testing/support/repetitions.ts';

const javaScriptOf = (text: string) =>
  new Function('result', 'error', 'input', 'expected', `'use strict'; return (${text});`) as () => unknown;

interface Generated {
  text: string;
  labels: string[];
}

/** Productions by the type they give; a type's name in braces is a hole for any expression of that type. */
const grammar: Readonly<Record<string, readonly string[]>> = {
  Any: ['{Str}', '{Num}', '{Bool}', '{Nums}', '{Strs}', '{Objs}', '{Obj}', '{Gap}'],
  Gap: ['result.nothing', 'result.absent', 'error', 'result.items[7]', 'null', 'undefined'],
  Bool: [
    ...['true', 'false', 'result.yes', 'result.no'],
    ...['===', '!==', '==', '!=', '<', '<=', '>', '>='].map((operator) => `({Any} ${operator} {Any})`),
    ...['{Num} < {Num}', '{Str} >= {Str}', '{Num} === {Num}'].map((comparison) => `(${comparison})`),
    ...['(!{Any})', '({Bool} && {Bool})', '({Bool} || {Bool})', '({Bool} ? {Bool} : {Bool})', 'Boolean({Any})'],
    ...['{Str}.includes({Str})', '{Str}.includes({Any}, {Num})', '{Str}.startsWith({Str})', '{Str}.endsWith({Str})'],
    ...['{Nums}.every(n => n > {Num})', '{Objs}.some(({ row }) => row === {Num})', '{Strs}.includes({Str})'],
    ...[
      '{Nums}.every((n, i, all) => all[i] === n)',
      '{Strs}.every(Boolean)',
      '{Objs}.every(o => o.tags.length >= {Num})',
    ],
    ...['({Str} in {Obj})', '({Num} in {Nums})', 'Object.hasOwn({Obj}, {Str})', '{Obj}.hasOwnProperty({Str})'],
    ...['Array.isArray({Any})', 'isNaN({Any})', 'isFinite({Any})', 'Number.isInteger({Any})', 'Number.isFinite({Any})'],
    ...['Number.isNaN({Any})', 'Number.isSafeInteger({Any})'],
    ...['/o/.test({Any})', '/^[a-z ]+$/i.test({Str})', '/\\d{2,}\\.?\\s/.test({Str})', '/a.b|[^\\S\\n]x/s.test({Str})'],
    ...[
      '({Any}.row.deep === 1)',
      '({Gap}.missing === 1)',
      '({Gap}?.missing === 1)',
      '({Any}.length > {Num})',
      '({Any}.trim() === {Str})',
    ],
  ],
  Num: [
    ...[
      '(0)',
      '(1)',
      '(-1)',
      '(2.5)',
      'result.count',
      'result.ratio',
      'NaN',
      'Infinity',
      'Math.PI',
      'Number.MAX_SAFE_INTEGER',
    ],
    ...['+', '-', '*', '/', '%', '**'].map((operator) => `({Num} ${operator} {Num})`),
    ...[
      '({Any} - {Any})',
      '(-{Any})',
      '(+{Any})',
      '({Num} ?? {Num})',
      'Number({Any})',
      'parseInt({Str}, 10)',
      'parseFloat({Str})',
    ],
    ...['Number.parseInt({Str})', 'Number.parseFloat({Str})', '{Str}.length', '{Nums}.length', '{Str}.indexOf({Str})'],
    ...[
      '{Str}.lastIndexOf({Str})',
      '{Str}.charCodeAt({Num})',
      '{Str}.search(/[aeiou]+/)',
      '{Str}.localeCompare({Str})',
    ],
    ...['{Nums}.indexOf({Num})', '{Nums}.lastIndexOf({Num})', '{Nums}.findIndex(n => n > {Num})', '{Nums}[{Num}]'],
    ...[
      '{Nums}.findLastIndex(n => n < {Num})',
      '{Nums}.reduce((a, n) => a + n, {Num})',
      '{Nums}.reduce((a, n) => a * n)',
    ],
    ...[
      '{Nums}.reduceRight((a, n) => a - n)',
      '{Nums}.find(n => n > {Num})',
      '{Nums}.findLast(n => n > 1)',
      '{Nums}.at({Num})',
    ],
    ...[
      'Math.max({Num}, {Num})',
      'Math.min(...{Nums})',
      'Math.round({Num})',
      'Math.floor({Num})',
      'Math.abs({Num})',
      'Math.hypot({Num}, {Num})',
    ],
    ...[
      'Math.pow({Num}, 2)',
      'Math.sign({Num})',
      'Math.trunc({Num})',
      'Math.sqrt({Num})',
      'Math.ceil({Num})',
      '{Str}.codePointAt({Num})',
    ],
  ],
  Str: [
    ...["''", "'row'", '"Run"', "' a.b '", "'12'", 'result.text', 'result.name', 'result.items[0].old'],
    ...[
      '({Str} + {Any})',
      '({Any} + {Str})',
      '`<{Dollar}{Any}}>`',
      'String({Any})',
      '(typeof {Any})',
      '{Str}.slice({Num}, {Num})',
    ],
    ...[
      '{Str}.substring({Num}, {Num})',
      '{Str}.at({Num})',
      '{Str}.charAt({Num})',
      '{Str}[{Num}]',
      '{Str}.toLowerCase()',
    ],
    ...[
      '{Str}.toUpperCase()',
      '{Str}.trim()',
      '{Str}.trimStart()',
      '{Str}.trimEnd()',
      "{Str}.padStart(9, '-+')",
      '{Str}.padEnd(7)',
    ],
    ...[
      '{Str}.repeat(2)',
      '{Str}.repeat({Num} % 3)',
      '{Str}.concat({Any}, {Str})',
      '{Str}.normalize()',
      "{Str}.normalize('NFD')",
    ],
    ...["{Str}.replace({Str}, '[$&]')", "{Str}.replaceAll('a', {Str})", "{Str}.replace(/([a-z])(\\d)?/g, '<$2$1$$>')"],
    ...[
      "{Str}.replaceAll(/\\s+|o/g, '_')",
      "{Str}.replace(/(?<first>\\w)/, '$<first>$`')",
      '{Nums}.join({Str})',
      '{Strs}.join()',
    ],
    ...['({Num}).toFixed({Num})', '({Num}).toPrecision(3)', '({Num}).toString()', '({Num}).toString(16)'],
    ...[
      'JSON.stringify({Any})',
      'JSON.stringify({Obj}, null, 2)',
      '{Strs}[0]',
      '{Str}.toString()',
      '{Nums}.toString()',
      '{Bool}.toString()',
    ],
  ],
  Nums: [
    ...[
      '[]',
      '[3, 1, 2]',
      'result.numbers',
      '[...{Nums}, {Num}]',
      '{Nums}.filter(n => n > {Num})',
      '{Nums}.map(n => n * {Num})',
    ],
    ...[
      '{Nums}.slice({Num}, {Num})',
      '{Nums}.concat({Nums}, {Num})',
      '{Nums}.toReversed()',
      '{Nums}.toSorted()',
      '{Strs}.map(Number)',
    ],
    ...[
      '{Nums}.toSorted((a, b) => b - a)',
      '{Nums}.flatMap(n => [n, n])',
      '{Nums}.map((n, i) => [n, [i]]).flat(2)',
      'Array.of({Num}, {Num})',
    ],
    ...[
      '{Objs}.map(({ row }) => row)',
      '[...{Nums}.keys()]',
      'Object.values({ a: {Num}, [{Str}]: {Num} })',
      'Array.from({Nums})',
    ],
  ],
  Strs: [
    ...[
      "['b', 'a']",
      'result.words',
      '{Str}.split({Str})',
      '{Str}.split(/[,\\s]/)',
      "{Str}.split('', {Num})",
      '{Str}.split(/(a)|x*/)',
    ],
    ...[
      'Object.keys({Obj})',
      'Array.from({Str})',
      '{Str}.match(/[a-z]+/gi)',
      '{Str}.match(/(\\w)(\\d)?/)',
      '{Strs}.toSorted()',
    ],
    ...['[...{Str}]', '[...{Str}.matchAll(/\\w/g)].map(m => m[0])', '{Strs}.map(s => s.length + s)'],
  ],
  Objs: [
    'result.items',
    '[{Obj}]',
    '{Objs}.filter(o => o.row >= {Num})',
    '{Objs}.slice(1)',
    '{Objs}.map(o => ({ ...o, row: {Num} }))',
  ],
  Obj: [
    ...[
      'result',
      'result.items[0]',
      '({ row: {Num}, old: {Str} })',
      '({ ...{Obj}, extra: {Any} })',
      '{Objs}[{Num}]',
      '{Objs}.find(o => o.row > 0)',
    ],
    ...[
      'Object.fromEntries([[{Str}, {Any}]])',
      'Object.fromEntries([...{Nums}.entries()])',
      'Object.fromEntries(Object.entries({Obj}).map(([k, v]) => [k, v]))',
    ],
    ...['JSON.parse(JSON.stringify({Obj}))', 'JSON.parse({Str})'],
  ],
};

function expressions(): fc.Arbitrary<Generated> {
  const { Any } = fc.letrec((tie) => {
    const arbitraries: Record<string, fc.Arbitrary<Generated>> = {};
    for (const [type, productions] of Object.entries(grammar)) {
      const options = productions.map((production) => fill(production, (hole) => tie(hole) as fc.Arbitrary<Generated>));
      arbitraries[type] = fc.oneof({ maxDepth: 5, withCrossShrink: true }, ...options);
    }
    return arbitraries;
  });
  return Any as fc.Arbitrary<Generated>;
}

function fill(production: string, arbitraryOf: (hole: string) => fc.Arbitrary<Generated>): fc.Arbitrary<Generated> {
  const holes = [...production.matchAll(/\{([A-Z][a-z]+)\}/g)].flatMap(([, hole]) =>
    hole && hole in grammar ? [hole] : [],
  );
  return fc.tuple(...holes.map(arbitraryOf)).map((parts) => {
    let next = 0;
    const text = production.replace('{Dollar}', '${').replace(/\{([A-Z][a-z]+)\}/g, () => parts[next++]?.text ?? '');
    return { text, labels: [production, ...parts.flatMap(({ labels }) => labels)] };
  });
}

describe('the criteria language beside JavaScript', () => {
  const generated = fc.sample(expressions(), {
    seed: 20_240_601,
    numRuns: repetitions({ usual: 2_000, inFull: 6_000 }),
  });

  it('gives the same value for every generated expression', () => {
    const distinct = new Set(generated.map(({ text }) => text));
    expect(distinct.size).toBeGreaterThan(generated.length / 3);
    const differences = [...distinct].flatMap((text) => {
      const [theirs, ours] = [answerOfJavaScript(javaScriptOf(text)), answerOfCriteria(text)];
      return theirs === ours ? [] : [{ text, theirs, ours }];
    });
    expect(differences).toEqual([]);
  });

  it('covers every production of the grammar', () => {
    const counts = new Map<string, number>();
    for (const label of generated.flatMap(({ labels }) => labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
    const rare = Object.values(grammar)
      .flat()
      .filter((production) => (counts.get(production) ?? 0) < repetitions({ usual: 1, inFull: 5 }));
    expect(rare).toEqual([]);
  });
});
