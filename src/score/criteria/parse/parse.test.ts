import { describe, expect, it } from 'vitest';
import { compileCriterion } from '../criterion.ts';
import { type CriterionDefect, CriterionError } from '../criterion-error.ts';

function defectOf(source: string): CriterionDefect | undefined {
  try {
    compileCriterion(source);
    return undefined;
  } catch (error) {
    if (error instanceof CriterionError) return error.defect;
    throw error;
  }
}

const outside = 'is not part of the criteria language';
const roots = 'a criterion can use `result`, `error`, `input` and `expected`';

describe('defects', () => {
  it.each<[string, string, number, string | undefined]>([
    ['', 'the criterion is empty', 1, undefined],
    ['result.', 'the criterion ends too early', 8, undefined],
    ['result.a === ) 1', 'unexpected `)`', 14, undefined],
    ['result.a and result.b', 'unexpected `and` after the end of the expression', 10, 'join conditions with `&&`'],
    ['true;', 'unexpected `;` after the end of the expression', 5, undefined],
    ["'open", 'Unterminated string constant', 1, 'close the quote'],
    ['resul.a === 1', '`resul` is not defined', 1, 'Did you mean `result`?'],
    ['true && window.x', '`window` is not defined', 9, roots],
    ['[1].every(item => itm > 0)', '`itm` is not defined', 19, 'Did you mean `item`?'],
    ["result.message.inclodes('x')", '`inclodes` is not a known method', 16, 'Did you mean `includes`?'],
    ['result.list.sort()', `\`sort\` ${outside}`, 13, 'use `toSorted`, which makes a copy'],
    ['result.list.reverse()', `\`reverse\` ${outside}`, 13, 'use `toReversed`, which makes a copy'],
    ['Math.mx(1)', '`Math.mx` is not a known function', 1, 'Did you mean `Math.max`?'],
    ['Math.random() < 1', `\`Math.random\` ${outside}`, 1, 'criteria give the same answer every time'],
    ['Math.PIE > 3', '`Math.PIE` is not a known constant', 1, 'Did you mean `Math.PI`?'],
    ['Math === 1', '`Math` is not a value', 1, 'call it, as in `Math.abs(result)`'],
    ['result()', '`result` is not a known function', 1, undefined],
    ['(result.a)()', 'only methods and known functions can be called', 1, undefined],
    ['result[input]()', 'a method must be called by its name', 8, undefined],
    ['result.a = 1', `assignment ${outside}`, 1, 'compare with `===`'],
    ['true && result.a++', `\`++\` and \`--\` ${outside}`, 9, undefined],
    ['new Date()', `\`new\` ${outside}`, 1, undefined],
    ['[1].map(function (x) { return x })', `\`function\` ${outside}`, 9, 'use an arrow function'],
    ['this.x', `\`this\` ${outside}`, 1, undefined],
    ['await result', `\`await\` ${outside}`, 1, undefined],
    ["import('x')", `\`import\` ${outside}`, 1, undefined],
    ['(1, true)', `the comma operator ${outside}`, 2, 'join conditions with `&&`'],
    ['delete result.a', `\`delete\` ${outside}`, 1, undefined],
    ['void 0', `\`void\` ${outside}`, 1, undefined],
    ['String.raw`x`', `a tagged template ${outside}`, 1, undefined],
    ['10n > 1', `a BigInt ${outside}`, 1, undefined],
    ['class {}', `\`class\` ${outside}`, 1, undefined],
    ['result instanceof Object', `\`instanceof\` ${outside}`, 1, undefined],
    ['result.a & 1', `\`&\` ${outside}`, 1, 'use `&&`'],
    ['({ __proto__: result })', `\`__proto__\` in an object ${outside}`, 4, undefined],
    ['({ get a() { return 1 } })', `a getter or setter ${outside}`, 4, undefined],
    ['[1,,2]', `an array with holes ${outside}`, 1, undefined],
    ['x => x', `a function outside an array method ${outside}`, 1, 'write it inside `.every(…)`, `.map(…)` …'],
    ['[1].every(x => { return true })', `a function body in braces ${outside}`, 16, 'write `item => condition`'],
    ['[1].every(async x => true)', `\`async\` ${outside}`, 11, undefined],
    ['[1].every((...x) => true)', `a rest parameter ${outside}`, 12, undefined],
    ['[1].every((x = 1) => true)', `a default value ${outside}`, 12, undefined],
    ['[1].every(result)', '`every` needs an arrow function', 11, 'such as `item => item.ok`'],
    ["result.s.match('x')", '`match` needs a regular expression', 16, 'such as `/text/i`'],
    ["result.s.replaceAll(/x/, 'y')", '`replaceAll` needs the `g` flag', 21, 'write `/x/g`'],
    ['result.s.includes(/x/)', '`includes` takes no regular expression', 19, 'use `/…/.test(text)`'],
    ['/x/.exec(result)', `\`exec\` of a regular expression ${outside}`, 1, 'use `text.match(/…/)`'],
    ['/a(?=b)/.test(result)', `look-around ${outside}`, 3, undefined],
    ['/a(?<!b)/.test(result)', `look-around ${outside}`, 3, undefined],
    ['/(a)\\1/.test(result)', `a back-reference ${outside}`, 5, undefined],
    ['/a/y.test(result)', `the regular expression flag \`y\` ${outside}`, 1, undefined],
    ["result.s.localeCompare('a', 'de')", '`localeCompare` takes one text', 29, 'the locale is always English'],
  ])('%s', (source, message, column, hint) => {
    expect(defectOf(source)).toEqual({ criterion: source, message, column, ...(hint === undefined ? {} : { hint }) });
  });

  it('say everything in the error message', () => {
    expect(() => compileCriterion('resul.a')).toThrow(
      '`resul` is not defined at column 1 of `resul.a` (Did you mean `result`?)',
    );
  });

  it('point out that a regular expression is not a value', () => {
    expect(defectOf('/x/ === result')).toMatchObject({ message: 'a regular expression is not a value', column: 1 });
  });
});
