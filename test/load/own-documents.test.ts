import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const files = {
  'sum.yaml':
    'name: sum\ncall: { module: ./sum.mjs, export: sum }\ninput: { a: 1, b: 2 }\npassCriteria: [result === 3]\n',
  'sum.mjs': 'export const sum = ({ a, b }) => a + b;',
};
const config = { 'assay.config.yaml': 'scenarios: [.]\n' };

/** A finished run whose output is written to a file of the project while it goes on, as a shell does it. */
async function runInto(file: string, cwd: string): Promise<{ exitCode: number | null; stderr: string }> {
  const into = createWriteStream(join(cwd, file));
  const child = startAssay(['run', '--json'], { cwd });
  child.stdout?.pipe(into);
  const { exitCode, stderr } = await ended(child);
  await finished(into);
  return { exitCode, stderr };
}

describe.each([
  ['without a config', files],
  ['with a config', { ...files, ...config }],
])('documents that Assay wrote into a project %s', (_about, project) => {
  it('are not scenarios', async () => {
    const cwd = await temporaryFolder(project);
    expect(await runInto('run.json', cwd)).toMatchObject({ exitCode: 0 });
    expect((await assay(['run'], { cwd })).exitCode).toBe(0);
    const outputs = [
      ['compare', 'latest~1', 'latest', '--json'],
      ['diff', 'latest~1', 'latest', '--json'],
      ['runs', '--json'],
      ['scenarios', '--json'],
      ['report', 'latest', '--format', 'sarif', '-o', '-'],
      ['report', 'latest', '--format', 'otlp', '-o', '-'],
      ['report', 'latest', '--format', 'atif', '-o', '-'],
      ['baseline', 'set'],
    ];
    for (const [index, args] of outputs.entries()) {
      const { stdout, exitCode } = await assay(args, { cwd });
      expect({ args, exitCode }).toEqual({ args, exitCode: 0 });
      if (stdout.startsWith('{') || stdout.startsWith('[')) await writeFile(join(cwd, `out-${index}.json`), stdout);
    }
    expect(JSON.parse(await readFile(join(cwd, 'assay.baseline.json'), 'utf8'))).toMatchObject({
      schema: 'assay.baseline/1',
    });
    for (const args of [['run'], ['run', '.'], ['validate'], ['run', '--baseline', 'default']])
      expect({ args, ...(await assay(args, { cwd })) }).toMatchObject({ args, exitCode: 0 });
  });
});

describe('a document that Assay wrote', () => {
  it('is refused by name where it is named as a scenario', async () => {
    const cwd = await temporaryFolder(files);
    await runInto('run.json', cwd);
    const { exitCode, stderr } = await assay(['run', 'run.json'], { cwd });
    expect(stderr).toContain('run.json:1:1: this is an output of Assay (assay.run/1), not a scenario');
    expect(exitCode).toBe(2);
  });

  it('may end in the middle, or be larger than a scenario', async () => {
    const cut = '{\n  "schema": "assay.run/1",\n  "runId": "r-1",\n  "tri';
    const large = `${cut}als": "${'x'.repeat(65 * 1024 * 1024)}" }`;
    const cwd = await temporaryFolder({ ...files, 'cut.json': cut, 'large.json': large, 'empty.json': '' });
    expect(await assay(['run'], { cwd })).toMatchObject({ exitCode: 0 });
  });

  it('is not looked for in what is merely near to it', async () => {
    const cwd = await temporaryFolder({ ...files, 'bad.json': '{ "schema": "mine", "name": "x", "cases": [] ' });
    const { exitCode, stderr } = await assay(['run'], { cwd });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('bad.json:1:') });
  });

  it('leaves inputs of the judge protocol alone', async () => {
    const judged = { testScenario: { name: 'a' }, actualResult: 1, passCriteria: ['result === 1'], failCriteria: [] };
    const cwd = await temporaryFolder({ ...files, 'judged.json': JSON.stringify(judged) });
    expect(await assay(['run'], { cwd })).toMatchObject({ exitCode: 0 });
  });
});
