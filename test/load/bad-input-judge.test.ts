import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const good = {
  testScenario: { name: 'a', input: {} },
  actualResult: { count: 2 },
  passCriteria: ['result.count === 2'],
};
const line = JSON.stringify(good);

type Row = readonly [about: string, file: string, text: string, message: string, hint?: string];

const rows: readonly Row[] = [
  ['an empty file', 'x.json', '▸', 'the file is empty'],
  ['a file that ends too early', 'x.json', '{ "testScenario": {▸', 'a closing `}` is missing'],
  [
    'a key twice',
    'x.json',
    '{ "passCriteria": [],\n  ▸"passCriteria": [] }',
    'duplicate key `passCriteria`: first at x.json:1:3',
  ],
  [
    'a misspelt list of criteria',
    'x.json',
    line.replace('"passCriteria"', '▸"passCritera"'),
    'unknown key `passCritera`',
    'Did you mean `passCriteria`?',
  ],
  [
    'a misspelt result',
    'x.json',
    line.replace('"actualResult"', '▸"actualResutl"'),
    'unknown key `actualResutl`',
    'Did you mean `actualResult`?',
  ],
  [
    'a key beside the protocol',
    'x.json',
    line.replace('"passCriteria"', '▸"criteria":[],"passCriteria"'),
    'unknown key `criteria`',
    'Here it is `passCriteria`.',
  ],
  [
    'criteria inside of the scenario',
    'x.json',
    line.replace('"input":{}', '▸"passCriteria":["false"]'),
    'unknown key `passCriteria`',
    'Known: `name`, `input`, `expectedBehavior`.',
  ],
  [
    'no criteria',
    'x.json',
    `▸${line.replace('["result.count === 2"]', '[]')}`,
    'there are no criteria, so nothing would be judged',
    'Add at least one expression to `passCriteria` or `failCriteria`.',
  ],
  [
    'criteria that are text',
    'x.json',
    line.replace('["result.count === 2"]', '▸"result"'),
    '`passCriteria` must be a list, not text',
    'Write a list: `passCriteria: [ … ]`.',
  ],
  [
    'a name that is a number',
    'x.json',
    line.replace('"a"', '▸5'),
    '`testScenario.name` must be text, not a number',
    'Put it in quotes: "5".',
  ],
  ['a wrong item of a list', 'x.json', `[${line},\n  ▸7]`, '`[1]` must be an object, not a number'],
  ['a wrong line', 'x.jsonl', `${line}\n\n{ "testScenario": ▸}\n`, 'a value is missing'],
  [
    'a wrong type in a line',
    'x.jsonl',
    `${line}\n${line.replace('{"count":2}', '1').replace('"a"', '▸null')}\n`,
    '`testScenario.name` must be text, not empty',
  ],
];

describe('judge inputs that are wrong', () => {
  for (const [about, file, marked, message, hint] of rows) {
    it(about, async () => {
      const { text, place } = unmarked(marked);
      const cwd = await temporaryFolder({ [file]: text });
      const { exitCode, stdout, stderr } = await assay(['judge', file], { cwd });
      const told = `${file}:${place}: ${message}${hint === undefined ? '' : `\n    ${hint}`}`;
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `${told}\n\n1 problem; nothing was run.\n`,
      });
    });
  }

  it('are told together, from files and stdin alike', async () => {
    const cwd = await temporaryFolder({ 'a.json': '{', 'good.json': line });
    const { exitCode, stdout, stderr } = await assay(['judge', 'good.json', 'a.json', '-', 'nope.json'], {
      cwd,
      stdin: '[',
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      '<stdin>:1:2: a closing `]` is missing',
      'a.json:1:2: a closing `}` is missing',
      'nope.json:1:1: the file does not exist',
    ]);
  });

  it('get their answer when only a criterion is unusable, and its place', async () => {
    const text = JSON.stringify({ ...good, failCriteria: ['result.count > 5', '"x" === reslt'] }, null, 2);
    const cwd = await temporaryFolder({ 'x.json': text });
    const { exitCode, stdout, stderr } = await assay(['judge', 'x.json'], { cwd });
    const [row, column] = [
      text.split('\n').findIndex((part) => part.includes('reslt')) + 1,
      '    "\\"x\\" === '.length + 1,
    ];
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'FAIL' });
    expect(stderr).toBe(
      `x.json:${row}:${column}: unusable criterion \`"x" === reslt\`: \`reslt\` is not defined\n    Did you mean \`result\`?\n`,
    );
  });
});
