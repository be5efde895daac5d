import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = (wanted: string, file = 'tool.mjs'): string =>
  `name: Say\ncall:\n  module: ./${file}\n  export: ${wanted}\ninput: {}\npassCriteria: [result === 1]\n`;
const exporting = `export const { one, two: [three] } = {}; export default () => 1; export function four() {}
const five = 5; export { five as 'a five', five as six }; throw new Error('was run');`;

async function validated(files: Readonly<Record<string, string>>) {
  const cwd = await temporaryFolder({ 'tool.mjs': exporting, ...files });
  return assay(['validate', 's.yaml'], { cwd, env: { PATH: process.env.PATH ?? '' } });
}

it.each(['one', 'three', 'default', 'four', 'six', 'a five'])('a module exports %s, and is not run', async (name) => {
  expect(await validated({ 's.yaml': scenario(name) })).toMatchObject({ exitCode: 0, stderr: '' });
});

it('an export that a module does not have is a problem at its place', async () => {
  const { exitCode, stderr } = await validated({ 's.yaml': scenario('fourr') });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('s.yaml:4:11: ./tool.mjs does not export `fourr`\n    Did you mean `four`?');
});

it.each([
  ['a module that passes on others', `export * from './other.mjs';`],
  ['code that does not parse', 'export const ='],
  ['CommonJS', 'module.exports = { five() {} };'],
])('%s is not judged', async (_, text) => {
  expect(await validated({ 's.yaml': scenario('five', 'tool.js'), 'tool.js': text })).toMatchObject({ exitCode: 0 });
});

it('a program that this machine does not have is a warning', async () => {
  const text =
    'name: Task\ntarget:\n  binary: nosuchtool\ntask: { prompt: Go }\ngates: [{ type: file_exists, path: a }]\n';
  const { exitCode, stderr } = await validated({ 's.yaml': text });
  expect(stderr).toContain('s.yaml:3:11: There is no program `nosuchtool` in PATH');
  expect(exitCode).toBe(0);
});

const calling = (command: string, more = ''): string =>
  `name: Call\ncall:\n  command: ${JSON.stringify(command)}\n${more}input: {}\npassCriteria: [result === 1]\n`;

it.each([
  ['nosuchtool --json', 'There is no program `nosuchtool` in PATH.'],
  ['./nosuchtool', 'There is no program `./nosuchtool` in '],
  ['./tool.mjs', 'tool.mjs is not executable.'],
])('a call of %s, which this machine cannot start, is a warning', async (command, message) => {
  const { exitCode, stderr } = await validated({ 's.yaml': calling(command) });
  expect(stderr).toContain('s.yaml:3:12: ');
  expect(stderr).toContain(message);
  expect(exitCode).toBe(0);
});

it.each([
  'sh -c "nosuchtool"',
  'cd sub && ./nosuchtool',
  'export A=1; nosuchtool',
  'A=1 nosuchtool',
  '"my tool" --json',
  '$TOOL --json',
  'nosuchtool || echo 1',
])('a call of %s is not judged', async (command) => {
  expect(await validated({ 's.yaml': calling(command) })).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a call with its own PATH is not judged', async () => {
  const text = calling('nosuchtool', '  env: { PATH: /elsewhere }\n');
  expect(await validated({ 's.yaml': text })).toMatchObject({ exitCode: 0, stderr: '' });
});
