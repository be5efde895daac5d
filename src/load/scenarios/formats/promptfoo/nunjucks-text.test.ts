import { describe, expect, it } from 'vitest';
import { fillNunjucks, parseNunjucks } from './nunjucks-text.ts';

const vars = { a: 3, b: 'Tea pot', c: [1, 'x', 2], n: null, s: '', t: true, z: 0 };

/** Written by nunjucks 3 with these vars. */
const written: readonly (readonly [template: string, text: string])[] = [
  ['{{ b | int }}', ''],
  ['{{ a | int }}', '3'],
  ['{{ c | first }}{{ b | last }}', '1t'],
  ['<{{ a | first }}{{ t | last }}{{ a | reverse }}>', '<>'],
  ['{{ n | length }}{{ b | length }}', '07'],
  ['<{{ a | length }}>', '<>'],
  ['<{{ n | upper }}{{ n | replace("e", "o") }}>', '<>'],
  ['{{ b | abs }}', 'NaN'],
  ['<{{ a | urlencode }}>', '<>'],
  ['{{ b | replace("e", "o") | upper }}', 'TOA POT'],
  ['{{ not a in c }}', 'true'],
  ['{{ not (a == 3) }}', 'false'],
  ['{{ "yes" if a > 2 and not s else "no" }}', 'yes'],
];

describe('a template of nunjucks', () => {
  it.each(written)('%j is %j', (template, text) => {
    const parsed = parseNunjucks(template);
    expect(parsed.problems).toEqual([]);
    expect(fillNunjucks(parsed, vars)).toBe(text);
  });

  it.each(['{{ not a == 3 }}', '{{ not b ~ a }}', '{{ not a + 1 }}', '{{ z == 1 > 1 }}', '{{ a < 4 < 2 }}'])(
    '%j is refused: nunjucks groups it in another way than it reads',
    (template) => {
      expect(parseNunjucks(template).problems).toHaveLength(1);
    },
  );
});
