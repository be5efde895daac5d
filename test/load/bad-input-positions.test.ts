import { describe, expect, it } from 'vitest';
import { registeredParts } from '../../src/entry/index.ts';
import { suggestion } from '../../src/shared/suggest.ts';
import { problemsOfFile, toolFile, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Lines of a good scenario, to be put before or after the bad one. */
/** A tool that is called directly leaves no work directory behind. */
const callEvaluatorTypes = registeredParts.evaluators
  .filter(({ needs }) => !needs.includes('workspace'))
  .map(({ type }) => type);

const head = 'name: Search\ncall:\n  module: ./tool.mjs\n  export: search\n';
const tail = 'input: {}\npassCriteria:\n  - result.count === 2\n';

/** What is wrong, the file with ▸ where it is wrong, and what the user is told. */
type Row = readonly [about: string, text: string, message: string, hint?: string];

const yaml: readonly Row[] = [
  [
    'a tab as indentation',
    'name: Search\ncall:\n▸\tmodule: ./tool.mjs\n',
    'tabs cannot be used for indentation',
    'Indent with spaces.',
  ],
  ['a double quote left open', `name: ▸"Search\n${tail}`, 'the quote is not closed'],
  ['a single quote left open', `${head}input: ▸'x\n`, 'the quote is not closed'],
  [
    'a list left open',
    `name: Search\ntags: [a, b\n▸call: { module: ./tool.mjs }\n`,
    'a closing `]` is missing before this',
    'Close the bracket, or indent its content.',
  ],
  [
    'an object left open',
    `name: Search\ncall: { module: ./tool.mjs\n▸input: {}\n`,
    'a closing `}` is missing before this',
    'Close the bracket, or indent its content.',
  ],
  [
    'a bracket too many',
    `${head}tags: [a]▸]\n`,
    'unexpected `]`',
    'Check the quotes, brackets and indentation before it.',
  ],
  ['a key twice', `${head}▸name: Again\n${tail}`, 'duplicate key `name`: first at file.yaml:1:1'],
  [
    'a key twice further in',
    `name: Search\ncall:\n  module: ./tool.mjs\n  ▸module: ./other.mjs\n${tail}`,
    'duplicate key `module`: first at file.yaml:3:3',
  ],
  ['a key without a colon', `${head}input: {}\n▸passCriteria\n`, 'a `:` is missing after this key'],
  [
    'a reserved character',
    `name: ▸@search\n${tail}`,
    'a value cannot start with `@`',
    'Put the whole value in quotes.',
  ],
  [
    'a back-tick',
    `${head}input: {}\npassCriteria:\n  - ▸\`result\`\n`,
    'a value cannot start with a back-tick',
    'Put the whole value in quotes.',
  ],
  [
    'an unknown escape',
    `name: "▸\\q"\n${tail}`,
    'unknown escape sequence in double quotes',
    'Write `\\\\` for a backslash, or use single quotes.',
  ],
  [
    'a second document',
    `${head}${tail}---\n▸name: Other\n`,
    'not a scenario',
    'Add at least `name`, `call`, an input and criteria.',
  ],
  ['an alias without anchor', `${head}input: ▸*nothing\n`, 'unknown anchor `&nothing`'],
  ['an alias before its anchor', `${head}input: ▸*later\nexpected: &later 1\n`, 'unknown anchor `&later`'],
  ['an alias inside itself', `${head}input: &all\n  inner: ▸*all\n`, 'the alias `*all` contains itself'],
  ['a tag', `name: ▸!!js/function "x"\n${tail}`, 'unsupported tag', 'Remove the tag.'],
  ['a merge of text', `${head}input:\n  ▸<<: text\n`, '`<<` can merge only objects'],
  ['two anchors', `${head}input: &a ▸&b {}\n`, 'a value can have only one anchor'],
  [
    'text after a quote',
    `name: "Search" ▸orders\n${tail}`,
    'unexpected `orders`',
    'Check the quotes, brackets and indentation before it.',
  ],
  [
    'a number without end',
    `${head}input: { limit: ▸.inf }\npassCriteria: [result]\n`,
    'the number is infinite or too large',
    'Put it in quotes if it is text.',
  ],
  ['an empty file', '▸', 'not a scenario', 'Add at least `name`, `call`, an input and criteria.'],
  ['only a comment', '▸# later\n', 'not a scenario', 'Add at least `name`, `call`, an input and criteria.'],
  ['a list', '▸- name: Search\n', 'not a scenario', 'Add at least `name`, `call`, an input and criteria.'],
  [
    'Windows line ends',
    'name: Search\r\ncall:\r\n  module: ./tool.mjs\r\ninput: {}\r\ntier: ▸first\r\npassCriteria: [result]\r\n',
    '`tier` must be a number, not text',
  ],
];

const schema: readonly Row[] = [
  ['a misspelt key', `${head}▸inptu: {}\npassCriteria: [result]\n`, 'unknown key `inptu`', 'Did you mean `input`?'],
  [
    'a misspelt call',
    `name: Search\n▸cal:\n  module: ./tool.mjs\n${tail}`,
    'unknown key `cal`',
    'Did you mean `call`?',
  ],
  [
    'a misspelt target',
    `name: Search\ncall:\n  ▸modul: ./tool.mjs\n${tail}`,
    '`call` must be an object with one of `module`, `command`, `url`, `server`',
    'Did you mean `module`?',
  ],
  [
    'a call of nothing',
    `name: Search\ncall: ▸{}\n${tail}`,
    '`call` must be an object with one of `module`, `command`, `url`, `server`',
  ],
  [
    'a call as text',
    `name: Search\ncall: ▸./tool.mjs\n${tail}`,
    '`call` must be an object with one of `module`, `command`, `url`, `server`',
    'Write `call: { module: "./tool.mjs" }`.',
  ],
  [
    'a module that is not there',
    `name: Search\ncall:\n  module: ▸./tol.mjs\n${tail}`,
    'there is no file ./tol.mjs',
    'Did you mean `./tool.mjs`?',
  ],
  [
    'an endpoint that is none',
    `name: Search\ncall: { url: ▸"ftp://x" }\n${tail}`,
    '"ftp://x" is not an http or https URL',
  ],
  [
    'a method that is none',
    `name: Search\ncall: { url: "http://x", method: ▸PSOT }\n${tail}`,
    '`call.method` cannot be `PSOT`',
    'Did you mean `POST`?',
  ],
  [
    'a number as name',
    `name: ▸5\ncall: { module: ./tool.mjs }\n${tail}`,
    '`name` must be text, not a number',
    'Put it in quotes: "5".',
  ],
  ['an empty name', `name: ▸""\ncall: { module: ./tool.mjs }\n${tail}`, '`name` must not be empty'],
  ['a name left out', `▸call: { module: ./tool.mjs }\n${tail}`, '`name` is missing'],
  ['text as tags', `${head}tags: ▸smoke\n${tail}`, '`tags` must be a list, not text', 'Write a list: `["smoke"]`.'],
  [
    'a number as tag',
    `${head}tags: [a, ▸2]\n${tail}`,
    '`tags[1]` must be text, not a number',
    'Put it in quotes: "2".',
  ],
  ['a negative tier', `${head}tier: ▸-1\n${tail}`, '`tier` must be at least 0'],
  ['half a tier', `${head}tier: ▸1.5\n${tail}`, '`tier` must be a whole number, not 1.5'],
  ['no repeats', `${head}repeat: ▸0\n${tail}`, '`repeat` must be at least 1'],
  ['too many repeats', `${head}repeat: ▸10001\n${tail}`, '`repeat` must be at most 10000, not 10001'],
  ['no time', `${head}timeoutSecs: ▸0\n${tail}`, '`timeoutSecs` must be more than 0'],
  [
    'a unit in a number',
    `${head}timeoutSecs: ▸5s\n${tail}`,
    '`timeoutSecs` must be a number, not text',
    'Write the number without a unit: 5.',
  ],
  [
    'no input',
    `▸${head}passCriteria: [result]\n`,
    'one of `input`, `cases` or `dataset` is missing',
    'Use `input: {}` for a tool without parameters.',
  ],
  [
    'two sources of cases',
    `${head}input: {}\n▸cases:\n  - input: {}\npassCriteria: [result]\n`,
    '`input` and `cases` cannot be used together',
  ],
  ['no case', `${head}cases: ▸[]\npassCriteria: [result]\n`, '`cases` must have at least 1 item'],
  ['a case without input', `${head}cases:\n  - ▸name: first\npassCriteria: [result]\n`, '`cases[0].input` is missing'],
  [
    'two cases of one name',
    `${head}cases:\n  - { name: a, input: 1 }\n  - { name: ▸a, input: 2 }\npassCriteria: [result]\n`,
    'duplicate case name "a"',
  ],
  [
    'nothing that judges',
    `${head}cases:\n  - ▸input: {}\n`,
    'this case has no criteria and no evaluators',
    'Add `passCriteria`, `failCriteria`, `evaluators` or a `judge`.',
  ],
  [
    'an unknown evaluator',
    `${head}${tail}evaluators:\n  - type: ▸latency-bugdet\n`,
    '`evaluators[0].type` cannot be `latency-bugdet`',
    'Did you mean `latency-budget`?',
  ],
  [
    'an evaluator without type',
    `${head}${tail}evaluators:\n  - ▸config: {}\n`,
    '`evaluators[0].type` is missing',
    suggestion('', callEvaluatorTypes),
  ],
  ['a misspelt type', `${head}${tail}evaluators:\n  - ▸tpye: duration\n`, 'unknown key `tpye`', 'Did you mean `type`?'],
  [
    'a wrong key of an evaluator',
    `${head}${tail}evaluators:\n  - type: latency-budget\n    config: { ▸maxMS: 5 }\n`,
    'unknown key `maxMS`',
    'Did you mean `maxMs`?',
  ],
  [
    'a key that only other evaluators have',
    `${head}${tail}evaluators:\n  - type: latency-budget\n    config: { maxMs: 5, ▸expression: result }\n`,
    'unknown key `expression`',
    'Known: `maxMs`.',
  ],
  [
    'a wrong value of an evaluator',
    `${head}${tail}evaluators:\n  - type: latency-budget\n    config: { maxMs: ▸fast }\n`,
    '`evaluators[0].config.maxMs` must be a number, not text',
  ],
  [
    'an unusable expression',
    `${head}${tail}evaluators:\n  - type: measure\n    config: { name: n, expression: result.▸+ }\n`,
    'unusable expression `result.+`: unexpected `+`',
  ],
];

const criteria: readonly Row[] = [
  [
    'a criterion that ends too early',
    `${head}input: {}\npassCriteria:\n  - result.count ===▸\n`,
    'unusable criterion `result.count ===`: the criterion ends too early',
  ],
  [
    'a misspelt variable',
    `${head}input: {}\npassCriteria:\n  - 1 < ▸reslt.count\n`,
    'unusable criterion `1 < reslt.count`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'one in double quotes',
    `${head}input: {}\npassCriteria:\n  - "input.a === \\"x\\" && ▸reslt"\n`,
    'unusable criterion `input.a === "x" && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'one in single quotes',
    `${head}input: {}\nfailCriteria: ['input.a === ''x'' && ▸reslt']\n`,
    "unusable criterion `input.a === 'x' && reslt`: `reslt` is not defined",
    'Did you mean `result`?',
  ],
  [
    'one in a block',
    `${head}input: {}\npassCriteria:\n  - |\n    result.count === 2 &&\n      ▸reslt.ok\n`,
    'unusable criterion `result.count === 2 && reslt.ok `: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'one of a case',
    `${head}cases:\n  - input: {}\n    passCriteria: [result, ▸reslt]\n`,
    'unusable criterion `reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'one that YAML takes for a mapping',
    `${head}input: {}\npassCriteria:\n  - ▸error: not found\n`,
    '`passCriteria[0]` must be text, not an object',
    'Put the whole text in quotes if it contains a `: ` or begins with `{`.',
  ],
  [
    'one that is a number',
    `${head}input: {}\npassCriteria: [▸1]\n`,
    '`passCriteria[0]` must be text, not a number',
    'Put it in quotes: "1".',
  ],
];

const json: readonly Row[] = [
  ['an empty file', '▸', 'the file is empty'],
  ['a quote left open', '{ "name": ▸"Search\n}', 'the quote is not closed on this line'],
  ['a brace left open', '{ "name": "Search"▸', 'a closing `}` is missing'],
  ['a bracket left open', '{ "tags": ["a"▸', 'a closing `]` is missing'],
  ['a missing comma', '{\n  "name": "Search"\n  ▸"tier": 1\n}', 'a `,` is missing before this'],
  ['a missing colon', '{ "name" ▸"Search" }', 'a `:` is missing between the key and its value'],
  ['a missing value', '{ "name": ▸}', 'a value is missing'],
  ['single quotes', "{ ▸'name': 1 }", 'single quotes are not valid in JSON', 'Use double quotes.'],
  [
    'a key without quotes',
    '{ ▸name: 1 }',
    '`name` is not valid JSON',
    'Put keys and texts in double quotes; other values are numbers, true, false and null.',
  ],
  [
    'a word that is none',
    '{ "name": ▸None }',
    '`None` is not valid JSON',
    'Put keys and texts in double quotes; other values are numbers, true, false and null.',
  ],
  ['more than one value', '{}\n▸{}', 'unexpected text after the end of the data', 'Put several values in a list.'],
  ['an unknown escape', '{ "name": ▸"\\q" }', 'unknown escape sequence', 'Write `\\\\` for a backslash.'],
  ['a tab in a text', '{ "name": ▸"a\tb" }', 'tab or control character in text', 'Write `\\t` for a tab.'],
  ['a comment left open', '▸/* {}', 'the comment is not closed'],
  ['a key twice', '{\n  "name": "a",\n  ▸"name": "b"\n}', 'duplicate key `name`: first at file.json:2:3'],
  [
    'a key twice further in',
    '{ "name": "a", "call": { "url": "x", ▸"url": "y" } }',
    'duplicate key `url`: first at file.json:1:26',
  ],
  [
    'a number that is too large',
    '{ "name": "a", "call": { "module": "./tool.mjs" }, "input": { "n": ▸1e999 } }',
    'the number is infinite or too large',
    'Put it in quotes if it is text.',
  ],
  [
    'a misspelt key after a comment',
    '{\n  // about\n  ▸"nmae": "a",\n  "call": { "module": "./tool.mjs" }, "input": 1, "passCriteria": ["result"]\n}',
    'unknown key `nmae`',
    'Did you mean `name`?',
  ],
  [
    'a criterion with escapes',
    '{ "name": "a", "call": { "module": "./tool.mjs" }, "input": 1,\n  "passCriteria": ["input === \\"\\u0041\\" && ▸reslt"] }',
    'unusable criterion `input === "A" && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
];

const tables = {
  YAML: ['file.yaml', yaml],
  'a scenario': ['file.yaml', schema],
  criteria: ['file.yaml', criteria],
  JSON: ['file.json', json],
} as const;

for (const [what, [file, rows]] of Object.entries(tables)) {
  describe(`the place of what is wrong in ${what}`, () => {
    for (const [about, marked, message, hint] of rows) {
      it(about, async () => {
        const folder = await temporaryFolder(toolFile);
        const { text, place } = unmarked(marked);
        const told = `${file}:${place}: ${message}${hint === undefined ? '' : `\n    ${hint}`}`;
        expect(await problemsOfFile(folder, file, text)).toEqual([told]);
      });
    }
  });
}

describe('what is in the file but not in the way', () => {
  it.each([
    ['a byte order mark', 'ok.yaml', `\uFEFF${head}${tail}`],
    ['Windows line ends', 'ok.yaml', `${head}${tail}`.replaceAll('\n', '\r\n')],
    [
      'merge keys',
      'ok.yaml',
      `${head}cases:\n  - &first { input: {}, passCriteria: [result] }\n  - <<: *first\n    name: second\n`,
    ],
    [
      'an anchor used 150 times',
      'ok.yaml',
      `${head}cases:\n  - &first { input: {}, passCriteria: [result] }\n${'  - *first\n'.repeat(150)}`,
    ],
    [
      'comments and trailing commas in .json',
      'ok.json',
      '{ // one\n "name": "a", "call": { "module": "./tool.mjs" }, /* two */ "input": {}, "passCriteria": ["result"], }',
    ],
    [
      'a key named __proto__',
      'ok.json',
      '{ "name": "a", "call": { "module": "./tool.mjs" }, "input": { "__proto__": { "x": 1 } }, "passCriteria": ["result"] }',
    ],
  ])('%s', async (_about, file, text) => {
    expect(await problemsOfFile(await temporaryFolder(toolFile), file, text)).toEqual([]);
  });
});
