import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { FileCheck, FileKind } from '../api/project.ts';

const scenario = `name: adds
call: { module: ./tool.mjs, export: add }
cases:
  - { input: { a: 1 } }
  - { input: { a: 2 } }
repeat: 3
passCriteria: [result > 0]
`;

let served: ServedProject;
beforeAll(async () => {
  served = await serveFiles({
    'tool.mjs': 'export const add = ({ a }) => a;\n',
    'a.yaml': scenario,
    'wrong.yaml': scenario.replace('adds', 'other').replace('passCriteria', 'passCriterias'),
  });
});
afterAll(() => served[Symbol.asyncDispose]());

async function check(text: string, path = 'new.yaml', kind: FileKind = 'scenario'): Promise<FileCheck> {
  const response = await served.send('POST', '/api/files-check', { path, kind, text });
  expect(response.status).toBe(200);
  return (await response.json()) as FileCheck;
}

describe('checking a text', () => {
  it('lists what it would run', async () => {
    expect(await check(scenario.replace('adds', 'new'))).toEqual({
      problems: [],
      scenarios: [{ name: 'new', cases: 2, trials: 6 }],
    });
  });

  it('says what `assay validate` says of the same file', async () => {
    const text = scenario.replace('adds', 'other').replace('passCriteria', 'passCriterias');
    const { problems } = await checkScenarios(['wrong.yaml'], await served.context.project(), {});
    const reported = (await check(text, 'wrong.yaml')).problems;
    expect(reported.map(({ line, column, message }) => ({ line, column, message }))).toEqual(
      problems.map(({ at, message }) => ({ line: at.line, column: at.column, message })),
    );
    expect(reported.length).toBeGreaterThan(0);
  });

  it('knows the names of other files, and not that of the file itself', async () => {
    expect((await check(scenario, 'a.yaml')).problems).toEqual([]);
    expect((await check(scenario)).problems).toMatchObject([{ line: 1, message: expect.stringContaining('a.yaml') }]);
  });

  it('reports syntax errors with their place in every format', async () => {
    expect((await check('name: x\ncall: [\n')).problems[0]).toMatchObject({ severity: 'error', line: 3 });
    expect((await check('{"name": }', 'a.json')).problems[0]).toMatchObject({ line: 1, column: 10 });
    expect((await check('name = "x', 'a.toml')).problems[0]).toMatchObject({ line: 1 });
    expect((await check('a\0b')).problems[0]).toMatchObject({ message: expect.stringContaining('NUL') });
  });

  it('checks rubrics and configs', async () => {
    const rubric = 'criteria:\n  - { id: a, weight: 0.5, description: good }\n';
    expect((await check(rubric, 'r.yaml', 'rubric')).problems[0]?.message).toContain('sum to 1.0');
    expect((await check(rubric.replace('0.5', '1'), 'r.yaml', 'rubric')).problems).toEqual([]);
    expect((await check('timeoutSecs: -1', 'assay.config.yaml', 'config')).problems).toMatchObject([{ line: 1 }]);
    expect((await check('', 'assay.config.yaml', 'config')).problems).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    const before = await readdir(served.folder, { recursive: true });
    for (let index = 0; index < 100; index++) await check(`${scenario}# ${index}`);
    expect(await readdir(served.folder, { recursive: true })).toEqual(before);
  });

  it('answers every text', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...scenario.split('\n'),
        'judge:',
        '  rubric: ../../x',
        'dataset: { path: x.csv }',
        '- &a [*a]',
        '<<: *b',
      ),
      fc.string({ maxLength: 30, unit: 'binary' }),
      fc.json({ maxDepth: 3 }),
    );
    const path = fc.constantFrom('x.yaml', 'x.json', 'x.toml', 'x.jsonc', 'deep/x.yml');
    const kind = fc.constantFrom<FileKind>('scenario', 'rubric', 'config');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), path, kind, async (lines, name, of) => {
        const { problems } = await check(lines.join('\n'), name, of);
        for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: repetitions({ usual: 50, inFull: 400 }), seed: 8 },
    );
  });
});
