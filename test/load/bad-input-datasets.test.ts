import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatPosition } from '../../src/domain/errors.ts';
import { formatProblem } from '../../src/domain/problem.ts';
import { load, toolFile, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = (dataset: string, criteria = 'passCriteria: [result]') =>
  `name: Search\ncall: { module: ./tool.mjs, export: search }\ndataset: ${dataset}\n${criteria}\n`;

/** What is told about a dataset that a scenario names. */
async function problemsOfDataset(
  file: string,
  content: string | Uint8Array,
  dataset = file,
  criteria?: string,
): Promise<string[]> {
  const folder = await temporaryFolder({ ...toolFile, [file]: content, 'scenario.yaml': scenario(dataset, criteria) });
  return (await load(folder, 'scenario.yaml')).problems.map(formatProblem);
}

type Row = readonly [about: string, file: string, text: string, message: string, hint?: string];

const rows: readonly Row[] = [
  ['a row that is not JSON', 'data.jsonl', '{"a": 1}\n{"a": ▸}\n', 'a value is missing'],
  ['a quote left open', 'data.jsonl', '{"a": 1}\n\n{"a": ▸"x}\n', 'the quote is not closed on this line'],
  ['a trailing comma', 'data.jsonl', '▸{"a": 1,}\n', 'comments and trailing commas are not allowed in a row'],
  ['a row that is a list', 'data.jsonl', '{"a": 1}\n▸[1]\n', 'a row must be a JSON object'],
  [
    'a key twice',
    'data.jsonl',
    '{"a": 1}\n{"a": 1, "b": {"c": 1, ▸"c": 2}}\n',
    'duplicate key `c`: first at data.jsonl:2:16',
  ],
  [
    'a number without end',
    'data.jsonl',
    '{"a": ▸1e400}\n',
    'the number is infinite or too large',
    'Put it in quotes if it is text.',
  ],
  [
    'an unknown key beside input',
    'data.jsonl',
    '{"input": 1, ▸"exepcted": 2}\n',
    'unknown key `exepcted`',
    'Did you mean `expected`?',
  ],
  [
    'misspelt criteria without input',
    'data.jsonl',
    '{"a": 1, ▸"passCritera": ["result"]}\n',
    'unknown key `passCritera`',
    'Did you mean `passCriteria`?',
  ],
  [
    'criteria that are no list',
    'data.jsonl',
    '{"a": 1, "passCriteria": ▸"result"}\n',
    '`passCriteria` must be a list, not text',
    'Write a list: `passCriteria: [ … ]`.',
  ],
  [
    'a criterion that does not compile',
    'data.jsonl',
    '{"a": 1}\n{"a": 1, "passCriteria": ["result", "result && ▸reslt"]}\n',
    'unusable criterion `result && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'an id that is neither text nor number',
    'data.jsonl',
    '{"id": ▸[1], "a": 1}\n',
    '`id` must be text or a number, not a list',
  ],
  [
    'an id twice',
    'data.jsonl',
    '{"id": 7, "a": 1}\n{"id": ▸7, "a": 2}\n',
    'duplicate id "7"',
    'Give each row its own id: results are paired by it.',
  ],
  ['a JSON dataset that is an object', 'data.json', '▸{"a": 1}', 'the dataset must be a list of objects'],
  ['a JSON row that is a number', 'data.json', '[{"a": 1},\n  ▸2]', 'a row must be an object'],
  ['JSON that is not closed', 'data.json', '[{"a": 1}▸', 'a closing `]` is missing'],
  [
    'a JSON row with a wrong name',
    'data.json',
    '[{"a": 1},\n {"name": ▸5, "a": 1}]',
    '`name` must be text, not a number',
    'Put it in quotes: "5".',
  ],
  ['an empty JSON list', 'data.json', '▸[]', 'the dataset has no rows'],
  ['an empty JSON Lines file', 'data.jsonl', '▸', 'the dataset has no rows'],
  ['a CSV file with a header only', 'data.csv', '▸a,b\n', 'the dataset has no rows'],
  [
    'a row with too few cells',
    'data.csv',
    'a,b\n1,2\n▸3\n',
    'this row has 1 cell, but the header has 2 columns',
    'Add cells for `b`.',
  ],
  [
    'a row with too many cells',
    'data.csv',
    'a,b\n1,2,▸3\n',
    'this row has 3 cells, but the header has 2 columns',
    'Put cells that contain a comma in quotes.',
  ],
  ['a quote left open in CSV', 'data.csv', 'a,b\n1,2\n3,▸"x\n4,5\n', 'the quote is not closed'],
  [
    'a quote inside a cell',
    'data.csv',
    'a,b\n1,say ▸"hi"\n',
    'quote in the middle of a cell',
    'Put the whole cell in quotes, and double each quote inside: "say ""hi""".',
  ],
  [
    'text after a quoted cell',
    'data.csv',
    'a,b\n1,"x▸"y\n',
    'quote in the middle of a cell',
    'Put the whole cell in quotes, and double each quote inside: "say ""hi""".',
  ],
  ['two columns of one name', 'data.csv', 'a,b,▸a\n1,2,3\n', 'duplicate column `a`'],
  ['a column without a name', 'data.csv', 'a,▸,c\n1,2,3\n', 'column 2 has no name'],
  [
    'semicolons',
    'data.csv',
    '▸a;b\n1;2\n',
    'the columns are separated by `;`, not by commas',
    'Save the file with commas between the cells.',
  ],
  [
    'a row after a cell of several lines',
    'data.csv',
    'a,b\n"x\ny",1\n▸2\n',
    'this row has 1 cell, but the header has 2 columns',
    'Add cells for `b`.',
  ],
  [
    'a row of Windows line ends',
    'data.csv',
    'a,b\r\n1,2\r\n\r\n▸3\r\n',
    'this row has 1 cell, but the header has 2 columns',
    'Add cells for `b`.',
  ],
  [
    'a criterion in a cell',
    'data.csv',
    'a,passCriteria\n1,result && ▸reslt\n',
    'unusable criterion `result && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'a criterion in quotes',
    'data.csv',
    'a,passCriteria\n1,"input.a === ""x"" && ▸reslt"\n',
    'unusable criterion `input.a === "x" && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'a criterion on its own line',
    'data.csv',
    'a,passCriteria\n1,"result\n  result && ▸reslt"\n',
    'unusable criterion `result && reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'a criterion in a JSON list',
    'data.csv',
    'a,passCriteria\n1,"[""result"", ""▸reslt""]"\n',
    'unusable criterion `reslt`: `reslt` is not defined',
    'Did you mean `result`?',
  ],
  [
    'a misspelt column',
    'data.csv',
    'a,▸passCritera\n1,result\n2,result\n',
    'unknown key `passCritera`',
    'Did you mean `passCriteria`?',
  ],
  [
    'a name twice',
    'data.csv',
    'name,a\nx,1\n▸x,2\n',
    'duplicate name "x"',
    'Give each row its own name: results are paired by it.',
  ],
];

describe('the place of what is wrong in a dataset', () => {
  for (const [about, file, marked, message, hint] of rows) {
    it(about, async () => {
      const { text, place } = unmarked(marked);
      const told = `${file}:${place}: ${message}${hint === undefined ? '' : `\n    ${hint}`}`;
      expect(await problemsOfDataset(file, text)).toEqual([told]);
    });
  }

  it.each([
    ['number', 'x', '"x" in column `b` is not a number'],
    ['number', '', 'an empty cell in column `b` is not a number'],
    ['boolean', 'yes', '"yes" in column `b` is not `true` or `false`'],
    ['json', '{', '"{" in column `b` is not JSON'],
  ])('a cell that is not of type %s: "%s"', async (type, cell, message) => {
    const dataset = `{ path: data.csv, types: { b: ${type} } }`;
    expect(await problemsOfDataset('data.csv', `a,b\nlong text,${cell}\n`, dataset)).toEqual([
      `data.csv:2:11: ${message}`,
    ]);
  });

  it('a type for a column that is not there', async () => {
    const told = 'data.csv:1:1: unknown column `amuont` in `types` of the dataset\n    Did you mean `amount`?';
    expect(await problemsOfDataset('data.csv', 'amount\n1\n', '{ path: data.csv, types: { amuont: number } }')).toEqual(
      [told],
    );
  });

  it('a row that nothing judges', async () => {
    const told =
      'data.jsonl:2:1: this row has no criteria and no evaluators\n    Add criteria to the row, or criteria or evaluators to the scenario.';
    expect(
      await problemsOfDataset('data.jsonl', '{"a":1,"passCriteria":["result"]}\n{"a":2}\n', 'data.jsonl', ''),
    ).toEqual([told]);
  });

  it.each(['csv', 'jsonl', 'json'])('bytes in a .%s file that are no text', async (ending) => {
    const bytes = Buffer.concat([Buffer.from('[\nab'), Buffer.from([0xff]), Buffer.from('\n')]);
    const told = `data.${ending}:2:3: invalid UTF-8\n    Save the file as UTF-8.`;
    expect((await problemsOfDataset(`data.${ending}`, bytes)).at(-1)).toBe(told);
  });
});

describe('a dataset that cannot be read', () => {
  it.each([
    ['is not there', 'nope.csv', 'nope.csv: the file does not exist'],
    ['is not there, as JSON Lines', 'nope.jsonl', 'nope.jsonl: the file does not exist'],
    ['is a folder', 'folder.csv', 'folder.csv: it is a folder, not a file'],
    ['is a link to itself', 'loop.csv', 'loop.csv: it is a symbolic link to itself'],
    ['is a device without end', 'zero.csv', 'zero.csv: it is not a regular file'],
    ['has no known format', 'data.txt', 'data.txt: unknown dataset format'],
  ])('%s', async (_about, dataset, message) => {
    const folder = await temporaryFolder({ ...toolFile, 'data.txt': 'x', 'scenario.yaml': scenario(dataset) });
    await mkdir(join(folder, 'folder.csv'));
    await symlink('loop.csv', join(folder, 'loop.csv'));
    await symlink('/dev/zero', join(folder, 'zero.csv'));
    const { problems } = await load(folder, 'scenario.yaml');
    expect(problems.map(({ at, message: told }) => `${formatPosition(at)}: ${told}`)).toEqual([
      `scenario.yaml:3:10: ${message}`,
    ]);
  });
});

describe('a dataset with very many bad rows', () => {
  it('lists twenty and counts the others', async () => {
    const problems = await problemsOfDataset('data.jsonl', '{"a": }\n'.repeat(57));
    expect(problems).toHaveLength(21);
    expect(problems[19]).toMatch(/^data\.jsonl:20:7: /);
    expect(problems[20]).toBe('data.jsonl:21:7: … 37 more problems from here on; 20 are listed');
  });

  it('says nothing of others when there are none', async () => {
    expect(await problemsOfDataset('data.jsonl', '{"a": }\n'.repeat(20))).toHaveLength(20);
  });
});
