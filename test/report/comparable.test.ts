import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/report/compare/comparison.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const rows = Array.from({ length: 12 }, (_, index) => `${index},topic-${index % 2}`);
const scenario = (module: string, criterion: string, cluster = '') => `name: Draw
call: { module: ./${module}, export: draw }
passCriteria: ["${criterion}"]
dataset: { path: rows.csv, types: { n: number }${cluster} }
`;

describe('runs of an edited file', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-comparable-'));
    await writeFiles(folder, {
      'old.mjs': 'export const draw = ({ n }) => ({ n });\n',
      'new.mjs': 'export const draw = ({ n }) => ({ n: n + 100 });\n',
      'rows.csv': `n,topic\n${rows.join('\n')}\n`,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function runOf(file: string): Promise<string> {
    await writeFile(join(folder, 'draw.yaml'), file);
    await assay(['run', 'draw.yaml', '--reporter', 'json', '-o', 'out'], { cwd: folder });
    return JSON.parse(await readFile(join(folder, 'out', 'run.json'), 'utf8')).runId;
  }

  async function compared(a: string, b: string): Promise<Comparison> {
    return JSON.parse((await assay(['compare', a, b, '--json'], { cwd: folder })).stdout);
  }

  it('are compared where another tool is under test, which is named first, and refused where the criteria changed', async () => {
    const before = await runOf(scenario('old.mjs', 'result.n < 50'));
    const otherTool = await compared(before, await runOf(scenario('new.mjs', 'result.n < 50')));
    expect(otherTool).toMatchObject({ answer: 'worse', answerOnTheseTasks: 'worse' });
    expect(otherTool.differences[0]?.message).toBe('call.module: ./old.mjs in A, ./new.mjs in B (Draw)');
    const otherTask = await compared(before, await runOf(scenario('old.mjs', 'result.n < 5')));
    expect(otherTask.answer).toBe('not-comparable');
  });

  it('count declared clusters, in the figures of the run too', async () => {
    const clustered = (module: string) => scenario(module, 'result.n < 50', ', cluster: topic');
    const before = await runOf(clustered('old.mjs'));
    const document = JSON.parse(await readFile(join(folder, 'out', 'run.json'), 'utf8'));
    const found = await compared(before, await runOf(clustered('new.mjs')));
    expect(found.metrics[0]).toMatchObject({ cases: 12, units: 2, unitKind: 'cluster', answer: 'not-enough-data' });
    expect(found.metrics[0]?.onTheseTasks.answer).toBe('worse');
    // Two units that passed altogether, as two cases would be.
    expect(document.passRate.interval.low).toBeCloseTo(0.342, 3);
  });

  it('count clusters by a column of the usual name, or by a key of cases, where none is declared', async () => {
    await writeFile(join(folder, 'rows.csv'), `n,template\n${rows.join('\n')}\n`);
    const ofRows = await compared(
      await runOf(scenario('old.mjs', 'result.n < 50')),
      await runOf(scenario('new.mjs', 'result.n < 50')),
    );
    const cases = [1, 2, 3, 4].map((n) => `  - { input: { n: ${n} }, cluster: ${n % 2} }`).join('\n');
    const listed = (module: string) =>
      `name: Draw\ncall: { module: ./${module}, export: draw }\npassCriteria: ["result.n < 50"]\ncases:\n${cases}\n`;
    const ofCases = await compared(await runOf(listed('old.mjs')), await runOf(listed('new.mjs')));
    expect([ofRows, ofCases].map(({ metrics: [rate] }) => [rate?.cases, rate?.units, rate?.unitKind])).toEqual([
      [12, 2, 'cluster'],
      [4, 2, 'cluster'],
    ]);
  });

  it('count cases where a column of the usual name has one value throughout', async () => {
    await writeFile(
      join(folder, 'rows.csv'),
      `n,cluster\n${rows.map((row) => `${row.split(',')[0]},eu`).join('\n')}\n`,
    );
    const before = await runOf(scenario('old.mjs', 'result.n < 50'));
    const found = await compared(before, await runOf(scenario('new.mjs', 'result.n < 50')));
    expect(found.metrics[0]).toMatchObject({ units: 12, unitKind: 'case', meanA: 1 });
  });

  it('are refused at the row that does not say its cluster', async () => {
    await writeFile(join(folder, 'draw.yaml'), scenario('old.mjs', 'result.n < 50', ', cluster: theme'));
    const { stdout, stderr } = await assay(['validate', 'draw.yaml'], { cwd: folder });
    expect(`${stdout}${stderr}`).toContain('the row has no text or number in `theme`, which `cluster` names');
  });
});
