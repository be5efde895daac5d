import { describe, expect, it } from 'vitest';
import { compileCriterion } from './criterion.ts';
import { CriterionError } from './criterion-error.ts';

/** Texts outside the language: the place, the part that is refused, and the text to write instead. */
const refused: readonly (readonly [criterion: string, column: number, message: string, hint?: string])[] = [
  ['result.x["a" + 1]()', 10, 'a method must be called by its name'],
  ['result.items[1]()', 14, 'a method must be called by its name'],
  ['result.items[`map`](x => x)', 14, 'a method must be called by its name'],
  ['super.a', 1, "'super' keyword outside a method"],
  ['super.a()', 1, "'super' keyword outside a method"],
  ['result.text.match("a")', 19, '`match` needs a regular expression', 'such as `/text/i`'],
  ['result.text.matchAll("a")', 22, '`matchAll` needs a regular expression', 'such as `/text/i`'],
  ['result.text.search("a")', 20, '`search` needs a regular expression', 'such as `/text/i`'],
  ['result.text.test("a")', 18, '`test` needs a regular expression', 'such as `/text/i`'],
  ['result.text.search()', 1, '`search` needs a regular expression', 'such as `/text/i`'],
  ['result.text.localeCompare("a", "de")', 32, '`localeCompare` takes one text', 'the locale is always English'],
  ['result.foo()', 8, '`foo` is not a known method'],
  ['result.text.incudes("a")', 13, '`incudes` is not a known method', 'Did you mean `includes`?'],
  ['result.items.push(1)', 14, '`push` is not part of the criteria language', 'use `concat`'],
  ['nope(1)', 1, '`nope` is not a known function'],
  [
    'Math.random()',
    1,
    '`Math.random` is not part of the criteria language',
    'criteria give the same answer every time',
  ],
  ['Math.maxx(1)', 1, '`Math.maxx` is not a known function', 'Did you mean `Math.max`?'],
  ['result.items.some()', 1, '`some` needs an arrow function', 'such as `item => item.ok`'],
  ['result.items.some(...input)', 1, '`some` needs an arrow function', 'such as `item => item.ok`'],
  ['result.items.some(1)', 19, '`some` needs an arrow function', 'such as `item => item.ok`'],
  [
    'result.items.some(function (x) { return x })',
    19,
    '`function` is not part of the criteria language',
    'use an arrow function',
  ],
  ['result.items.some(async x => x)', 19, '`async` is not part of the criteria language'],
  [
    'result.items.some(x => { return x })',
    24,
    'a function body in braces is not part of the criteria language',
    'write `item => condition`',
  ],
  ['result.items.some((...x) => x)', 20, 'a rest parameter is not part of the criteria language'],
  ['result.items.some((x = 1) => x)', 20, 'a default value is not part of the criteria language'],
  ['result.items.some(({ ...x }) => x)', 22, 'a rest parameter is not part of the criteria language'],
  ['result.items.some(({ ["a"]: x }) => x)', 23, 'a computed key in a parameter is not part of the criteria language'],
  [
    '/a/.exec(result.text)',
    1,
    '`exec` of a regular expression is not part of the criteria language',
    'use `text.match(/…/)`',
  ],
  [
    '/a/.tset(result.text)',
    1,
    '`tset` of a regular expression is not part of the criteria language',
    'Did you mean `test`?',
  ],
  ['/a/.test()', 1, '`test` takes one text'],
  ['/a/.test(...input)', 1, '`test` takes one text'],
  ['/a/.test("a", "b")', 1, '`test` takes one text'],
  [
    '/a/',
    1,
    'a regular expression is not a value',
    'use it as `/…/.test(text)` or as the argument of `match`, `search`, `replace` or `split`',
  ],
  ['result.text.trim(/a/)', 18, '`trim` takes no regular expression', 'use `/…/.test(text)`'],
  ['result.text.matchAll(/a/)', 22, '`matchAll` needs the `g` flag', 'write `/a/g`'],
  ['result.text.replaceAll(/a/, "b")', 24, '`replaceAll` needs the `g` flag', 'write `/a/g`'],
  ['result.text.match(/a/gg)', 20, 'Duplicate regular expression flag'],
  ['1n', 1, 'a BigInt is not part of the criteria language'],
  ['result === 1n', 12, 'a BigInt is not part of the criteria language'],
  ['output.text', 1, '`output` is not defined', 'the answer is `result`'],
  ['value === 1', 1, '`value` is not defined', 'the answer is `result`'],
  ['res', 1, '`res` is not defined', 'the answer is `result`'],
  ['actual', 1, '`actual` is not defined', 'the answer is `result`'],
  ['answer', 1, '`answer` is not defined', 'the answer is `result`'],
  ['response', 1, '`response` is not defined', 'the answer is `result`'],
  ['foo', 1, '`foo` is not defined', 'a criterion can use `result`, `error`, `input` and `expected`'],
  ['Math', 1, '`Math` is not a value', 'call it, as in `Math.abs(result)`'],
  ['Object', 1, '`Object` is not a value', 'call it, as in `Object.keys(result)`'],
  ['Boolean', 1, '`Boolean` is not a value', 'call it, as in `Boolean(result)`'],
  ['parseInt', 1, '`parseInt` is not a value', 'call it, as in `parseInt(result)`'],
  ['Math.abs', 1, '`Math.abs` is not a value', 'call it, as in `Math.abs(result)`'],
  ['Math[PI]', 1, '`Math` is not a known constant'],
  ['Math.PIE', 1, '`Math.PIE` is not a known constant', 'Did you mean `Math.PI`?'],
  ['Number.isInteger', 1, '`Number.isInteger` is not a value', 'call it, as in `Number.isInteger(result)`'],
  ['result.#x', 8, "Private field '#x' must be declared in an enclosing class"],
  ['#x in result', 1, 'unexpected `#`'],
  ['result | 1', 1, '`|` is not part of the criteria language', 'use `||`'],
  ['result & 1', 1, '`&` is not part of the criteria language', 'use `&&`'],
  ['result ^ 1', 1, '`^` is not part of the criteria language'],
  ['result >> 1', 1, '`>>` is not part of the criteria language'],
  ['result instanceof Object', 1, '`instanceof` is not part of the criteria language'],
  ['~result', 1, '`~` is not part of the criteria language'],
  ['void 0', 1, '`void` is not part of the criteria language'],
  ['delete result.a', 1, '`delete` is not part of the criteria language'],
  ['[1,,2]', 1, 'an array with holes is not part of the criteria language'],
  ['({ get a() { return 1 } })', 4, 'a getter or setter is not part of the criteria language'],
  ['({ a() { return 1 } })', 4, 'a method definition is not part of the criteria language'],
  ['({ __proto__: 1 })', 4, '`__proto__` in an object is not part of the criteria language'],
  ['({ "__proto__": 1 })', 4, '`__proto__` in an object is not part of the criteria language'],
  ['new Date()', 1, '`new` is not part of the criteria language'],
  ['result = 1', 1, 'assignment is not part of the criteria language', 'compare with `===`'],
  ['this.x', 1, '`this` is not part of the criteria language'],
  ['`a`.b`c`', 1, 'a tagged template is not part of the criteria language'],
  ['import("x")', 1, '`import` is not part of the criteria language'],
  ['yield', 1, "The keyword 'yield' is reserved"],
  ['result, 1', 1, 'the comma operator is not part of the criteria language', 'join conditions with `&&`'],
  [
    'async () => 1',
    1,
    'a function outside an array method is not part of the criteria language',
    'write it inside `.every(…)`, `.map(…)` …',
  ],
  [
    'x => x',
    1,
    'a function outside an array method is not part of the criteria language',
    'write it inside `.every(…)`, `.map(…)` …',
  ],
  [
    'function () {}',
    1,
    '`function` is not part of the criteria language',
    'use an arrow function such as `item => item.ok`',
  ],
  ['class {}', 1, '`class` is not part of the criteria language'],
  ['result.items.map(Bool)', 18, '`map` needs an arrow function', 'such as `item => item.ok`'],
  ['result.items.every(Boolean.x)', 20, '`every` needs an arrow function', 'such as `item => item.ok`'],
  ['result.text.at(/a/)', 16, '`at` takes no regular expression', 'use `/…/.test(text)`'],
  ['result.items.filter(/a/)', 21, '`filter` needs an arrow function', 'such as `item => item.ok`'],
  ['expect(1)', 1, '`expect` is not a known function'],
  ['outputs', 1, '`outputs` is not defined', 'a criterion can use `result`, `error`, `input` and `expected`'],
  ['resul', 1, '`resul` is not defined', 'Did you mean `result`?'],
  ['(x => x)(1)', 1, 'only methods and known functions can be called'],
  ['result()', 1, '`result` is not a known function'],
  ['[1].map(x => x)()', 1, 'only methods and known functions can be called'],
  ['a.b.c', 1, '`a` is not defined', 'a criterion can use `result`, `error`, `input` and `expected`'],
  ['result.length.foo()', 15, '`foo` is not a known method'],
  ['""()', 1, 'only methods and known functions can be called'],
];

function defectOf(criterion: string): unknown {
  try {
    compileCriterion(criterion);
    return 'none';
  } catch (error) {
    return error instanceof CriterionError ? error.defect : error;
  }
}

describe('a criterion that cannot be used', () => {
  it.each(refused.map(([criterion, column, message, hint]) => ({ criterion, column, message, ...(hint && { hint }) })))(
    '$criterion',
    (defect) => {
      expect(defectOf(defect.criterion)).toEqual(defect);
    },
  );
});
