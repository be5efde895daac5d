import fc from 'fast-check';
import nunjucks from 'nunjucks';
import { describe, expect, it } from 'vitest';
import { repetitions } from '../../../../testing/support/repetitions.ts';
import { TemplateFault } from './nunjucks-scope.ts';
import { fillNunjucks, parseNunjucks } from './nunjucks-text.ts';

const vars = {
  ...{ a: 3, b: 'Tea pot', c: [1, 'x', 2], d: -2.5, e: '', t: true, f: false, n: null },
  ...{
    o: { k: 'v', n: 2, list: [{ x: 1 }, { x: 2 }] },
    p: [
      ['k', 1],
      ['l', null],
    ],
    big: '7',
    html: '<b>"A"</b>\n',
  },
};

/** As promptfoo configures it. */
const environment = new nunjucks.Environment(null, { autoescape: false });

/** The text that each of the two writes for a template; undefined where there is none. */
function ours(template: string): string | undefined {
  const parsed = parseNunjucks(template);
  if (parsed.problems.length > 0) return undefined;
  try {
    return fillNunjucks(parsed, vars);
  } catch (error) {
    if (error instanceof TemplateFault) return undefined;
    throw error;
  }
}

function theirs(template: string): string | undefined {
  try {
    return environment.renderString(template, vars);
  } catch {
    return undefined;
  }
}

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const joined = (...parts: (fc.Arbitrary<string> | string)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.join(''));

const filters = [
  ...['abs', 'capitalize', 'd("z")', 'default("z", true)', 'dictsort', 'dump', 'dump(2)', 'escape', 'first', 'float'],
  ...[
    'groupby("x")',
    'int',
    'int(7)',
    'join',
    'join("-", "x")',
    'last',
    'length',
    'list',
    'lower',
    'nl2br',
    'replace("e", "o")',
  ],
  ...[
    'replace("", ".")',
    'reject',
    'select("odd")',
    'selectattr("x")',
    'reverse',
    'round',
    'round(1, "floor")',
    'safe',
  ],
  ...[
    'sort',
    'sort(true)',
    'sort(attribute="x")',
    'string',
    'striptags',
    'sum',
    'sum("x")',
    'title',
    'trim',
    'truncate(3)',
  ],
  ...['upper', 'urlencode', 'wordcount', 'random', 'indent', 'nothing'],
];
const tests = [
  'defined',
  'undefined',
  'none',
  'number',
  'string',
  'odd',
  'divisibleby(3)',
  'mapping',
  'iterable',
  'truthy',
  'eq(3)',
];
const binary = [
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '**',
  '~',
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '>',
  '<=',
  '>=',
  'and',
  'or',
  'in',
  'not in',
];

const { expression, template } = fc.letrec<{
  expression: string;
  operand: string;
  statement: string;
  template: string;
}>((tie) => ({
  operand: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    oneOf(
      ...Object.keys(vars),
      'missing',
      'o.k',
      'o.list',
      'o["n"]',
      'c[1]',
      'b[0]',
      'o.list[1].x',
      'b.length',
      'b.trim',
      'range',
    ),
    oneOf('0', '2', '1.5', '"x"', "'it''s'", '"a\\n\\"b"', 'true', 'none', '[1, a]', '{k: a, "l": b}', '[]', 'r/x/'),
    joined('(', tie('expression'), ')'),
    joined(tie('operand'), ' | ', oneOf(...filters)),
    joined(oneOf('not ', '-', '+'), tie('operand')),
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('operand'),
    joined(tie('operand'), ' ', oneOf(...binary), ' ', tie('expression')),
    joined(tie('operand'), oneOf(' is ', ' is not '), oneOf(...tests)),
    joined(tie('operand'), ' if ', tie('expression'), ' else ', tie('operand')),
    joined(tie('operand'), ' if ', tie('operand')),
  ),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    oneOf(
      'text\n',
      ' ',
      'x',
      '{# note #}',
      '{% raw %}{{ a }}{% endraw %}',
      '{',
      '{{ loop.index }}',
      '{{ i }}',
      '{{ s }}',
    ),
    joined(oneOf('{{ ', '{{- '), tie('expression'), oneOf(' }}', ' -}}')),
    joined('{% if ', tie('expression'), ' %}', tie('template'), '{% endif %}'),
    joined(
      '{% if ',
      tie('operand'),
      ' -%} ',
      tie('template'),
      '{% elif ',
      tie('operand'),
      ' %}',
      tie('template'),
      ' {%- else %}z{% endif %}',
    ),
    joined('{% for i in ', tie('operand'), ' %}', tie('template'), oneOf('', '{% else %}none'), '{% endfor %}'),
    joined('{% for i, j in ', oneOf('p', 'o', 'c', 'e', 'missing', 'a'), ' %}{{ i }}{{ loop.revindex }}{% endfor %}'),
    joined('{% set s = ', tie('expression'), ' %}'),
    joined('{% set s %}', tie('template'), '{% endset %}'),
    joined('{% filter ', oneOf(...filters), ' %}', tie('template'), '{% endfilter %}'),
    oneOf(
      "{% include 'x' %}",
      '{% macro m(x) %}{{ x }}{% endmacro %}',
      '{% if a %}',
      '{{ a',
      '{% switch a %}{% case 3 %}y{% endswitch %}',
    ),
  ),
  template: fc
    .array(tie('statement') as fc.Arbitrary<string>, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('')),
}));

describe('a template of nunjucks', () => {
  it('has the text that nunjucks writes, or none', () => {
    const counts = { same: 0, refused: 0, 'refused by both': 0 };
    const values = expression.map((each) => `<{{ ${each} }}>`);
    fc.assert(
      fc.property(fc.oneof(values, template), (text) => {
        const [mine, its] = [ours(text), theirs(text)];
        if (mine !== undefined && mine !== its) expect({ text, written: mine }).toEqual({ text, written: its });
        counts[mine !== undefined ? 'same' : its === undefined ? 'refused by both' : 'refused']++;
      }),
      { numRuns: repetitions({ usual: 2_000, inFull: 20_000 }), seed: 44 },
    );
    if (process.env.COUNTS) console.log(counts);
    expect(counts.same).toBeGreaterThan(counts.refused);
  });

  it.each([
    ['{{ o }}', 'promptfoo writes an object as `[object Object]`; write `| dump` after it for its JSON'],
    ['{{ o.list }}', 'promptfoo writes an object as'],
    ['{{ a | upper }}', '`{{ a | upper }}` has no text: str.toUpperCase is not a function'],
    ['{{ b.trim }}', '`trim` is a function'],
  ])('%s has none: %s', (text, says) => {
    expect(() => fillNunjucks(parseNunjucks(text), vars)).toThrow(says);
  });

  it.each([
    ['a {{ b | random }}', 3, '`{{ b | random }}` has no equal in Assay'],
    ['{% if a %}{{ b }}\n{% include "x" %}{% endif %}', 19, '`{% include "x" %}` has no equal in Assay'],
    ['{{ a.b( }}', 9, 'the template is not valid: unexpected token: }}'],
  ])('%j is refused at its place', (text, column, message) => {
    expect(parseNunjucks(text).problems).toEqual([{ column, message: expect.stringContaining(message) }]);
  });
});
