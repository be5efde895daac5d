import { describe, expect, it } from 'vitest';
import { ProblemsError } from '../../src/domain/problem.ts';
import { openProject } from '../../src/entry/index.ts';
import { unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

type Row = readonly [about: string, file: string, text: string, message: string, hint?: string];

const rows: readonly Row[] = [
  [
    'a misspelt key in YAML',
    'assay.config.yaml',
    'store: sqlite:x.db\n▸concurency: 4\n',
    'unknown key `concurency`',
    'Did you mean `concurrency`?',
  ],
  ['a wrong type in YAML', 'assay.config.yml', 'concurrency: ▸many\n', '`concurrency` must be a number, not text'],
  [
    'an unknown reporter',
    'assay.config.yaml',
    'reporters: [console, ▸jnuit]\n',
    '`reporters[1]` cannot be `jnuit`',
    'Did you mean `junit`?',
  ],
  [
    'a variable that is not set',
    'assay.config.yaml',
    'scenarios: [a]\nstore: ▸sqlite:${NO_SUCH_VARIABLE}/x.db\n',
    'the environment variable `NO_SUCH_VARIABLE` is not set',
  ],
  ['a list in YAML', 'assay.config.yaml', '▸- a\n', 'the content must be an object, not a list'],
  [
    'a syntax error in YAML',
    'assay.config.yaml',
    'scenarios: [a\n▸store: x\n',
    'a closing `]` is missing before this',
    'Close the bracket, or indent its content.',
  ],
  [
    'a key twice in JSON',
    'assay.config.json',
    '{ "store": "sqlite:a",\n  ▸"store": "sqlite:b" }',
    'duplicate key `store`: first at assay.config.json:1:3',
  ],
  ['an empty text in JSON', 'assay.config.json', '{ "store": ▸"" }', '`store` must not be empty'],
  [
    'a number out of range in JSONC',
    'assay.config.jsonc',
    '{ // much\n  "concurrency": ▸5000 }',
    '`concurrency` must be at most 1000, not 5000',
  ],
  [
    'a misspelt key in TOML',
    'assay.config.toml',
    '# concurency = 3\nstore = "sqlite:x"\n▸concurency = 4\n',
    'unknown key `concurency`',
    'Did you mean `concurrency`?',
  ],
  [
    'a wrong type in TOML',
    'assay.config.toml',
    'timeoutSecs = ▸"5"\n',
    '`timeoutSecs` must be a number, not text',
    'Write it without quotes: 5.',
  ],
  ['a value left out in TOML', 'assay.config.toml', 'store = ▸\n', 'invalid value: put text in quotes'],
  ['a key twice in TOML', 'assay.config.toml', 'store = "a"\n▸store = "b"\n', 'duplicate key or table'],
  [
    'a list left open in TOML',
    'assay.config.toml',
    'scenarios = ["a"\n▸',
    'a `,` or a closing bracket is missing before this',
  ],
  [
    'a misspelt key in JavaScript',
    'assay.config.mjs',
    'export default {\n  ▸concurency: 4,\n};\n',
    'unknown key `concurency`',
    'Did you mean `concurrency`?',
  ],
  [
    'a wrong type in TypeScript',
    'assay.config.ts',
    'const limit: string = "4";\nexport default {\n  concurrency: ▸limit,\n};\n',
    '`concurrency` must be a number, not text',
    'Write it without quotes: 4.',
  ],
  [
    'no export in JavaScript',
    'assay.config.mjs',
    '▸export const config = {};\n',
    'the config must export an object: `export default { … }`',
  ],
  [
    'an error thrown by JavaScript',
    'assay.config.mjs',
    '\nthrow ▸new Error("no key");\n',
    'the config could not be loaded: no key',
  ],
];

describe('the place of what is wrong in a config', () => {
  for (const [about, file, marked, message, hint] of rows) {
    it(about, async () => {
      const { text, place } = unmarked(marked);
      const folder = await temporaryFolder({ [file]: text });
      const told = `${file}:${place}: ${message}${hint === undefined ? '' : `\n    ${hint}`}`;
      const error = await openProject(folder, {}).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProblemsError);
      expect((error as ProblemsError).message).toBe(told);
      expect((error as ProblemsError).exitCode).toBe(2);
    });
  }

  it('is shown as seen from the folder that the command is started in', async () => {
    const folder = await temporaryFolder({ 'assay.config.yaml': 'sotre: x\n', 'deep/er/a.txt': '' });
    await expect(openProject(`${folder}/deep/er`, {})).rejects.toThrow(
      '../../assay.config.yaml:1:1: unknown key `sotre`',
    );
  });

  it('is the line of a syntax error in JavaScript', async () => {
    const folder = await temporaryFolder({ 'assay.config.mjs': 'export default {\n  store: ,\n};\n' });
    await expect(openProject(folder, {})).rejects.toThrow(
      /^assay\.config\.mjs:2:\d+: the config could not be loaded: /,
    );
  });

  it('is the line of a syntax error in TypeScript', async () => {
    const folder = await temporaryFolder({ 'assay.config.ts': 'export default {\n  store: ,\n};\n' });
    await expect(openProject(folder, {})).rejects.toThrow(/^assay\.config\.ts:2:\d+: the config could not be loaded: /);
  });
});

describe('a config that says nothing', () => {
  it.each(['assay.config.yaml', 'assay.config.toml'])('leaves the defaults in %s', async (file) => {
    const folder = await temporaryFolder();
    const { config } = await openProject(folder, {});
    await writeFiles(folder, { [file]: '' });
    expect((await openProject(folder, {})).config).toEqual(config);
  });
});
