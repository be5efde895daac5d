import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/domain/problem.ts';
import { load, problemsOfFile, toolFile } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const good = 'name: Search\ncall: { module: ./tool.mjs, export: search }\ninput: {}\npassCriteria: [result]\n';
const tooDeep = 'nested more than 200 levels deep';

describe('files that are meant to hurt', () => {
  it.each([
    ['brackets without end in YAML', 'x.yaml', '['.repeat(100_000), `x.yaml:1:201: ${tooDeep}`],
    [
      'closed brackets in YAML',
      'x.yaml',
      `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `x.yaml:1:204: ${tooDeep}`,
    ],
    ['braces in YAML', 'x.yaml', '{a: '.repeat(100_000), `x.yaml:1:801: ${tooDeep}`],
    ['dashes in YAML', 'x.yaml', '- '.repeat(100_000), `x.yaml:1:401: ${tooDeep}`],
    ['brackets in JSON', 'x.json', '['.repeat(100_000), `x.json:1:201: ${tooDeep}`],
    ['closed brackets in JSON', 'x.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, `x.json:1:201: ${tooDeep}`],
    ['objects in JSON', 'x.json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, `x.json:1:1001: ${tooDeep}`],
  ])('%s', async (_about, file, text, told) => {
    expect(await problemsOfFile(await temporaryFolder(), file, text)).toEqual([told]);
  });

  it('mappings in mappings', async () => {
    const text = Array.from({ length: 3_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(await problemsOfFile(await temporaryFolder(), 'x.yaml', text)).toEqual([
      expect.stringMatching(new RegExp(`^x\\.yaml:\\d+:\\d+: ${tooDeep}$`)),
    ]);
  });

  it('brackets that are only text', async () => {
    const text = good.replace('{}', `{ text: "${'['.repeat(1_000)}" }`);
    expect(await problemsOfFile(await temporaryFolder(toolFile), 'x.yaml', text)).toEqual([]);
  });

  it('aliases that multiply', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `  l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
    );
    const text = `${good.replace('{}', '\n  l0: &l0 [1, 2]')}`.replace(
      'passCriteria',
      `${levels.join('\n')}\npassCriteria`,
    );
    const [told, ...others] = await problemsOfFile(await temporaryFolder(toolFile), 'bomb.yaml', text);
    expect(others).toEqual([]);
    expect(told).toMatch(/^bomb\.yaml:9:\d+: too many values: with this alias the file has more than 100,000$/);
  });

  it('aliases without number', async () => {
    const text = good.replace(
      '{}',
      `\n  a: &a 1\n${Array.from({ length: 1_001 }, (_, index) => `  k${index}: *a`).join('\n')}`,
    );
    const told = 'x.yaml:1005:10: too many aliases: a file may have 1,000';
    expect(await problemsOfFile(await temporaryFolder(toolFile), 'x.yaml', text)).toEqual([told]);
  });

  it('rows of a dataset that are nested too deeply', async () => {
    const folder = await temporaryFolder({
      ...toolFile,
      'data.jsonl': `{"a":1}\n{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`,
    });
    expect(await problemsOfFile(folder, 'x.yaml', good.replace('input: {}', 'dataset: data.jsonl'))).toEqual([
      `data.jsonl:2:205: ${tooDeep}`,
    ]);
  });

  it('escape sequences for the terminal in keys', async () => {
    const text = `${good}"\\e[31mred\\nline": 1\n`;
    const [told] = await problemsOfFile(await temporaryFolder(toolFile), 'x.yaml', text);
    expect(told).toMatch(/^x\.yaml:5:1: unknown key `\\u001b\[31mred line`\n {4}Known: /);
  });

  it('a criterion as long as a book', async () => {
    const [told = ''] = await problemsOfFile(
      await temporaryFolder(toolFile),
      'x.yaml',
      good.replace('[result]', `["${'result && '.repeat(500)}reslt"]`),
    );
    expect(told.length).toBeLessThan(500);
    expect(told).toContain('`reslt` is not defined');
  });
});

describe('files that are not text', () => {
  const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

  it.each([
    [
      'a byte that is not UTF-8',
      'x.yaml',
      bytes('name: a\ntags: [b', [0xff], ']\n'),
      'x.yaml:2:9: invalid UTF-8\n    Save the file as UTF-8.',
    ],
    ['UTF-16', 'x.json', Buffer.from('\uFEFF{}', 'utf16le'), 'x.json:1:1: invalid UTF-8\n    Save the file as UTF-8.'],
    [
      'half a character at the end',
      'x.yaml',
      bytes('name: ', [0xe2, 0x82]),
      'x.yaml:1:8: invalid UTF-8\n    Save the file as UTF-8.',
    ],
    ['a NUL byte', 'x.yaml', bytes('name: a\ncall', [0], ': b\n'), 'x.yaml:2:5: NUL byte: this is not a text file'],
    [
      'a picture',
      'x.yaml',
      bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0]),
      'x.yaml:1:1: invalid UTF-8\n    Save the file as UTF-8.',
    ],
  ])('%s', async (_about, file, content, told) => {
    expect(await problemsOfFile(await temporaryFolder(), file, content)).toEqual([told]);
  });
});

describe('paths', () => {
  it.each([
    [
      'a file that is not there',
      'serach.yaml',
      'serach.yaml:1:1: the file or folder does not exist\n    Did you mean `search.yaml`?',
    ],
    [
      'a folder that is not there',
      'nowhere',
      'nowhere:1:1: the file or folder does not exist\n    Check the path; it is relative to the current folder. It has `loop.yaml`, `search.yaml`, `socket.yaml`, `zero.yaml`.',
    ],
    [
      'a file of another kind',
      'notes.txt',
      'notes.txt:1:1: not a scenario file: its name must end in .yaml, .yml, .json, .jsonc, .toml, .ts or .js',
    ],
    [
      'a dataset',
      'rows.csv',
      'rows.csv:1:1: not a scenario file: its name must end in .yaml, .yml, .json, .jsonc, .toml, .ts or .js\n    Use it in a scenario: `dataset: { path: … }`.',
    ],
    ['a link to itself', 'loop.yaml', 'loop.yaml:1:1: it is a symbolic link to itself'],
    ['a device', 'zero.yaml', 'zero.yaml:1:1: it is not a regular file'],
    ['a socket', 'socket.yaml', 'socket.yaml:1:1: it is not a regular file'],
  ])('%s', async (_about, path, told) => {
    const folder = await temporaryFolder({ ...toolFile, 'search.yaml': good, 'notes.txt': '', 'rows.csv': '' });
    await symlink('loop.yaml', join(folder, 'loop.yaml'));
    await symlink('/dev/zero', join(folder, 'zero.yaml'));
    await using server = createServer().listen(join(folder, 'socket.yaml'));
    await once(server, 'listening');
    expect((await load(folder, path)).problems.map(formatProblem)).toEqual([told]);
  });

  it('in a folder are never followed out of it, and the links are named', async () => {
    const folder = await temporaryFolder({
      ...toolFile,
      'outside/secret.yaml': good,
      'inside/own.yaml': good.replace('./tool', '../tool'),
    });
    await symlink('../outside/secret.yaml', join(folder, 'inside/link.yaml'));
    await symlink('../outside', join(folder, 'inside/folder'));
    await mkdir(join(folder, 'inside/round'));
    await symlink('..', join(folder, 'inside/round/again'));
    const { scenarios, otherFiles } = await load(folder, 'inside');
    expect({ files: scenarios.map(({ file }) => file), otherFiles }).toEqual({
      files: ['inside/own.yaml'],
      otherFiles: ['inside/folder', 'inside/link.yaml', 'inside/round/again'],
    });
  });
});

describe('a folder of scenarios', () => {
  it('does not pass over one that is only half to be recognised', async () => {
    const folder = await temporaryFolder({
      ...toolFile,
      'a/half.yaml': 'name: Search\ncal: { module: ./tool.mjs }\nimput: {}\n',
    });
    const { problems, otherFiles } = await load(folder, 'a');
    expect(otherFiles).toEqual([]);
    expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
      ['unknown key `cal`', 'Did you mean `call`?'],
      ['unknown key `imput`', 'Did you mean `input`?'],
    ]);
  });

  it('must not hold two of the same name', async () => {
    const folder = await temporaryFolder({ ...toolFile, 'a.yaml': good, 'b.yaml': `# again\n${good}` });
    const told =
      'b.yaml:2:7: duplicate scenario name "Search": first at a.yaml:1:7\n    Give each scenario its own name: results are found by it.';
    expect((await load(folder, '.')).problems.map(formatProblem)).toEqual([told]);
  });

  it('tells all problems of all files, by file and line', async () => {
    const folder = await temporaryFolder(toolFile);
    await writeFiles(folder, {
      'b.yaml': good.replace('passCriteria', 'tier: x\nrepeat: 0\npassCriteria'),
      'a.json': '{',
      'c.yaml': `${good}more: 1\n`,
    });
    const places = (await load(folder, 'c.yaml', 'b.yaml', 'a.json')).problems.map(({ at }) => `${at.file}:${at.line}`);
    expect(places).toEqual(['a.json:1', 'b.yaml:4', 'b.yaml:5', 'c.yaml:5']);
  });
});
