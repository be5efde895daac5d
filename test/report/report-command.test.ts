import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const files = {
  'tool.mjs': 'export const echo = (input) => input;\n',
  'echo.yaml': `name: Echo
call: { module: ./tool.mjs, export: echo }
cases:
  - { name: right, input: { value: 1 }, passCriteria: [result.value === 1] }
  - { name: wrong, input: { value: 2 }, passCriteria: [result.value === 1] }
`,
};

/** A project with two stored runs. */
async function project(): Promise<string> {
  const folder = await temporaryFolder(files);
  for (let run = 0; run < 2; run++)
    expect(await assay(['run', 'echo.yaml', '--quiet'], { cwd: folder })).toMatchObject({ exitCode: 1 });
  return folder;
}

describe('assay report', () => {
  it('writes an HTML page and says where it is', async () => {
    const cwd = await project();
    const { exitCode, stdout, stderr } = await assay(['report', 'latest'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/\.assay\/reports\/r-[^/]+\/report\.html\n$/);
    const html = await readFile(stdout.trim(), 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain('1 of 2 trials failed');
    expect(html).toMatch(/<\/html>\n$/);
  });

  it('writes cases with what their file expects of them, and without it once the file has changed', async () => {
    const row = { name: 'a', input: { value: 1 }, expected: 1, metadata: { source: 'ticket 7' } };
    const scenario = (criterion: string) => `name: Rows
call: { module: ./tool.mjs, export: echo }
dataset: rows.jsonl
passCriteria: ["${criterion}"]
`;
    const cwd = await temporaryFolder({
      ...files,
      'rows.jsonl': `${JSON.stringify(row)}\n${JSON.stringify({ name: 'b', input: { value: 2 }, failCriteria: ['result.value > 5'] })}\n`,
      's.yaml': scenario('result.value > 0'),
    });
    const direct = await assay(['run', 's.yaml', '--reporter', 'dataset'], { cwd });
    expect(direct.exitCode, direct.stderr).toBe(0);
    const lines = async () =>
      (await assay(['report', 'latest', '-f', 'dataset', '-o', '-'], { cwd })).stdout.trim().split('\n');
    const [first = '', second = ''] = await lines();
    expect(direct.stdout).toBe(`${first}\n${second}\n`);
    expect(JSON.parse(first)).toMatchObject({ ...row, passCriteria: ['result.value > 0'] });
    expect(JSON.parse(second)).toMatchObject({ failCriteria: ['result.value > 5'], metadata: { outcome: 'pass' } });
    expect(JSON.parse(second)).not.toHaveProperty('expected');
    // The file that was written judges the same cases by itself.
    await writeFile(join(cwd, 'again.jsonl'), `${first}\n${second}\n`);
    await writeFile(
      join(cwd, 't.yaml'),
      scenario('true')
        .replace('rows.jsonl', 'again.jsonl')
        .replace(/pass.*\n/, ''),
    );
    const again = await assay(['run', 't.yaml', '--json', '--store', 'sqlite:other.db'], { cwd });
    expect(JSON.parse(again.stdout).totals).toMatchObject({ pass: 2, fail: 0, error: 0 });
    await writeFile(join(cwd, 's.yaml'), scenario('result.value > 1'));
    const changed = JSON.parse((await lines())[0] ?? '');
    expect(changed).toMatchObject({ name: 'a', input: { value: 1 } });
    expect(Object.keys(changed)).toEqual(['name', 'input', 'metadata']);
    expect(changed.metadata).not.toHaveProperty('source');
  });

  it('writes any formats into a folder, and prints one when it is asked to', async () => {
    const cwd = await project();
    const written = await assay(['report', 'latest', '--format', 'html,junit,markdown,json', '-o', 'out'], { cwd });
    expect(written.exitCode).toBe(0);
    expect((await readdir(join(cwd, 'out'))).sort()).toEqual(['junit.xml', 'report.html', 'report.md', 'run.json']);
    const printed = await assay(['report', 'latest', '--format', 'json', '-o', '-'], { cwd });
    expect(JSON.parse(printed.stdout)).toMatchObject({ schema: 'assay.run/1', totals: { pass: 1, fail: 1 } });
  });

  it('puts the comparison with another run into the page', async () => {
    const cwd = await project();
    const { exitCode, stdout } = await assay(['report', 'latest', '--compare', 'latest~1'], { cwd });
    expect(exitCode).toBe(0);
    const { comparison } = reportDocumentIn(await readFile(stdout.trim(), 'utf8'));
    const anyRun = expect.stringMatching(/^r-/);
    expect(comparison).toMatchObject({ a: { runId: anyRun }, b: { runId: anyRun } });
  });

  it.each([
    [['report', 'r-none'], 'There is no run "r-none" in the store.'],
    [['report', 'latest', '--format', 'htlm'], 'Did you mean `html`?'],
    [['report', 'latest', '--format', 'html,json', '-o', '-'], 'Only one report can be printed.'],
    [['report', 'latest', '--compare', 'r-none'], 'There is no run, baseline or file "r-none".'],
    [['report', 'latest', '--by', 'guidance'], 'The run has one variant by guidance.'],
    [['report', 'latest', '--a', 'v1'], 'require --by'],
  ])('refuses %j', async (args, message) => {
    const result = await assay(args, { cwd: await project() });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it('leaves nothing half-written behind and tells what could not be written', async () => {
    const cwd = await project();
    await writeFile(join(cwd, 'taken'), 'a file where a folder should be');
    const result = await assay(['report', 'latest', '-o', 'taken'], { cwd });
    expect(result).toMatchObject({ exitCode: 3, stdout: '' });
    expect(result.stderr).toContain('The html report could not be written');
    expect((await readdir(cwd)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });
});
