import { describe, expect, it } from 'vitest';
import { type DirectCall, endings, printedIn, runCalls } from '../../src/testing/support/direct-calls.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

function calling(
  module: string,
  exports: readonly string[],
  rest: Partial<DirectCall> = {},
): Record<string, DirectCall> {
  return Object.fromEntries(exports.map((name) => [name, { call: { module, export: name }, ...rest }]));
}

describe('a module target', () => {
  it('calls functions of every kind of JavaScript and TypeScript module', async () => {
    const folder = await temporaryFolder({
      'package.json': '{ "type": "module" }',
      'esm.mjs': 'export const double = ({ n }) => ({ n: n * 2 });',
      'plain.js': 'export async function double({ n }) { return { n: n * 2 }; }',
      'old.cjs': 'exports.double = ({ n }) => ({ n: n * 2 });',
      'typed.ts': 'export const double = ({ n }: { n: number }): { n: number } => ({ n: n * 2 });',
      'default.mjs': 'export default ({ n }) => ({ n: n * 2 });',
    });
    const run = await runCalls(
      folder,
      Object.fromEntries([
        ...['esm.mjs', 'plain.js', 'old.cjs', 'typed.ts'].map((file) => [
          file.replace('.', '-'),
          { call: { module: `./${file}`, export: 'double' }, input: { n: 21 } },
        ]),
        ['default-mjs', { call: { module: './default.mjs' }, input: { n: 21 } }],
      ]),
    );
    expect(Object.values(run.tried).map(({ result }) => result)).toEqual(Array(5).fill({ n: 42 }));
    expect(run.exitCode).toBe(0);
  });

  it('takes what is thrown as the answer of the tool', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        export const error = () => { throw new TypeError('no such column'); };
        export const rejected = async () => { throw new Error('later'); };
        export const coded = () => { throw Object.assign(new Error('gone'), { code: 'E_GONE', details: { id: 7 } }); };
        export const cyclic = () => { const error = new Error('round'); error.self = error; throw error; };
        export const text = () => { throw 'just text'; };
        export const plain = () => { throw { message: 'no error object', code: 42 }; };
        export const nothing = () => { throw undefined; };
        export const oddMessage = () => { throw Object.assign(new Error('x'), { message: { not: 'text' } }); };
      `,
    });
    const exports = ['error', 'rejected', 'coded', 'cyclic', 'text', 'plain', 'nothing', 'oddMessage'];
    const run = await runCalls(folder, calling('./tool.mjs', exports, { passCriteria: ['error !== undefined'] }));
    const errors = Object.fromEntries(Object.entries(run.tried).map(([name, { error }]) => [name, error]));
    expect(errors).toEqual({
      error: { name: 'TypeError', message: 'no such column' },
      rejected: { name: 'Error', message: 'later' },
      coded: { name: 'Error', message: 'gone', code: 'E_GONE', details: { id: 7 } },
      cyclic: { name: 'Error', message: 'round' },
      text: { message: 'just text' },
      plain: { message: 'no error object', code: 42 },
      nothing: { message: 'undefined' },
      oddMessage: { name: 'Error', message: '{"not":"text"}' },
    });
    expect(run).toMatchObject({ exitCode: 0, totals: { pass: 8, fail: 0, error: 0 } });
  });

  it('reads what is returned as JSON, and says so when it is none', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        export const nothing = () => undefined;
        export const date = () => ({ at: new Date(0) });
        export const notANumber = () => ({ n: NaN });
        export const bigint = () => ({ n: 1n });
        export const cyclic = () => { const round = {}; round.round = round; return round; };
        export const func = () => () => 1;
        export const symbol = () => Symbol('s');
        export const large = () => 'x'.repeat(10_000_001);
      `,
    });
    const exports = ['nothing', 'date', 'notANumber', 'bigint', 'cyclic', 'func', 'symbol', 'large'];
    const run = await runCalls(folder, calling('./tool.mjs', exports));
    expect(endings(run)).toEqual({
      nothing: 'pass',
      date: 'pass',
      notANumber: 'pass',
      bigint: 'TARGET_OUTPUT_NOT_JSON',
      cyclic: 'TARGET_OUTPUT_NOT_JSON',
      func: 'TARGET_OUTPUT_NOT_JSON',
      symbol: 'TARGET_OUTPUT_NOT_JSON',
      large: 'TARGET_OUTPUT_TOO_LARGE',
    });
    expect(run.tried.nothing?.result).toBeUndefined();
    expect(run.tried.date?.result).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(run.tried.notANumber?.result).toEqual({ n: null });
    expect(run.tried.bigint?.reason).toContain('BigInt');
    expect(run.tried.func?.reason).toBe('func() returned a value that is not JSON: a function');
    expect(run).toMatchObject({ exitCode: 3, totals: { planned: 8, pass: 3, fail: 0, error: 5 } });
  });

  it('keeps what each call prints in its own trace and out of the report', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        console.log('printed while loading');
        let arrived = 0, go;
        const everybody = new Promise((resolve) => { go = resolve; });
        export async function chat({ who }) {
          console.log('log of ' + who);
          process.stdout.write('6869', 'hex');
          if (++arrived === 3) go();
          await everybody;
          console.error('complaint of ' + who);
          return who;
        }
        export const flood = () => { for (let i = 0; i < 2_000; i++) console.log('x'.repeat(1_000)); return 'done'; };
      `,
    });
    const cases = ['a', 'b', 'c'].map((who) => ({ name: who, input: { who } }));
    const run = await runCalls(folder, {
      ...calling('./tool.mjs', ['chat'], { cases }),
      ...calling('./tool.mjs', ['flood']),
    });
    for (const who of ['a', 'b', 'c']) {
      const trace = run.tried[`chat/${who}`]?.trace ?? [];
      expect(printedIn(trace, 'stdout')).toBe(`log of ${who}\nhi`);
      expect(printedIn(trace, 'stderr')).toBe(`complaint of ${who}\n`);
    }
    expect(printedIn(run.tried.flood?.trace ?? [], 'stdout')).toMatch(/x\n… 1985616 bytes left out …\nx/);
    expect(run.stderr).toContain('printed while loading');
    expect(run.stdout).not.toContain('printed');
    expect(run.exitCode).toBe(0);
  });

  it('says why a module cannot be loaded, and blames the file', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': 'export const first = () => 1; export const second = () => 2; export const number = 3;',
      'none.mjs': 'export const number = 3;',
      'broken.mjs': 'throw new Error("no licence found");',
      'syntax.ts': 'export const x: = 1;',
      'imports.mjs': 'import "./not-there.mjs";',
      'exits.mjs': 'process.exit(7);',
    });
    const run = await runCalls(folder, {
      'no-export': { call: { module: './tool.mjs', export: 'frist' } },
      'no-function': { call: { module: './none.mjs' } },
      throws: {
        call: { module: './broken.mjs' },
        cases: [
          { name: 'a', input: 1 },
          { name: 'b', input: 2 },
        ],
      },
      syntax: { call: { module: './syntax.ts' } },
      imports: { call: { module: './imports.mjs' } },
      exits: { call: { module: './exits.mjs' } },
    });
    expect(new Set(Object.values(endings(run)))).toEqual(new Set(['TARGET_NOT_LOADED']));
    expect(run.tried['no-export']?.reason).toMatch(/no exported function "frist"; it exports: first, second$/);
    expect(run.tried['no-function']?.reason).toMatch(/it exports: no function$/);
    expect(run.tried['throws/a']?.reason).toMatch(/broken\.mjs: no licence found$/);
    expect(run.tried.imports?.reason).toContain('not-there.mjs');
    expect(run.tried.exits?.reason).toMatch(/it ended the process with code 7$/);
    expect(run).toMatchObject({ exitCode: 2, totals: { planned: 7, pass: 0, fail: 0, error: 7 } });
  });
});
