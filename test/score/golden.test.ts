import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { expectReadable, load, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenarioWith = (more: object = {}, config: object = {}) => ({
  name: 'Say it',
  call: { module: './tool.mjs', export: 'say' },
  input: { lines: ['one', 'two', 'three'] },
  evaluators: [{ type: 'golden', config }],
  ...more,
});
const tool = `export const say = ({ lines, data }) => (data ? data : lines.join('\\n'));\n`;

async function project(scenario: object, files: Record<string, string> = {}): Promise<string> {
  return temporaryFolder({ 's.json': JSON.stringify(scenario), 'tool.mjs': tool, ...files });
}

async function run(folder: string, ...flags: readonly string[]) {
  const { stdout, stderr, exitCode } = await assay(['run', 's.json', '--json', ...flags], { cwd: folder });
  const trials = stdout.startsWith('{') ? JSON.parse(stdout).trials : [];
  return { exitCode, stderr, trials, trial: trials[0] };
}

describe('golden files', () => {
  it('are missing at first, which is an error with the command; written on request; then compared', async () => {
    const folder = await project(scenarioWith());
    const first = await run(folder);
    expect(first).toMatchObject({
      exitCode: 3,
      trial: {
        outcome: 'error',
        fault: {
          code: 'GOLDEN_MISSING',
          message: 'There is no golden file golden/Say_it/input.txt.',
          hint: expect.stringContaining('assay run s.json --update-golden'),
        },
      },
    });
    await expect(readdir(join(folder, 'golden'))).rejects.toThrow('ENOENT');
    const written = await run(folder, '--update-golden');
    expect(written.trial.outcome).not.toBe('pass');
    expect(written.trial.reason).toContain('golden/Say_it/input.txt was written, so nothing was compared');
    expect(await readFile(join(folder, 'golden/Say_it/input.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(await run(folder)).toMatchObject({ exitCode: 0, trial: { outcome: 'pass' } });
    expect(await run(folder, '--update-golden')).toMatchObject({ exitCode: 0, trial: { outcome: 'pass' } });
  });

  it('show a readable difference, and are not changed by a run without the flag, in CI or not', async () => {
    const golden = 'one\n2\nthree\n';
    const folder = await project(scenarioWith({}, { file: 'wanted.txt' }), { 'wanted.txt': golden });
    const { trial, exitCode } = await run(folder);
    expect(exitCode).toBe(1);
    expect(trial).toMatchObject({ outcome: 'fail', reason: 'Line 2 is "two", in wanted.txt it is "2"' });
    expect(trial.evaluatorResults[0].metadata.diff).toContain('@@ -1,3 +1,3 @@\n one\n-2\n+two\n three');
    const shown = await assay(['show', trial.trialId], { cwd: folder });
    expect(shown.stdout).toContain('\n  -2\n  +two');
    await assay(['run', 's.json'], { cwd: folder, env: { CI: 'true' } });
    expect(await readFile(join(folder, 'wanted.txt'), 'utf8')).toBe(golden);
  });

  it('compare data whatever the order of its keys, and leave out lines that are to be ignored', async () => {
    const data = { b: 1, a: { at: '12:00', of: [2] } };
    const folder = await project(scenarioWith({ input: { data } }, { ignore: ['"at":'] }));
    await run(folder, '--update-golden');
    await writeFile(
      join(folder, 's.json'),
      JSON.stringify(scenarioWith({ input: { data: { a: { of: [2], at: '13:37' }, b: 1 } } }, { ignore: ['"at":'] })),
    );
    expect((await run(folder)).trial.outcome).toBe('pass');
    await writeFile(join(folder, 's.json'), JSON.stringify(scenarioWith({ input: { data: { b: 2 } } })));
    expect((await run(folder)).trial.outcome).toBe('fail');
  });

  it('compare ids by all of their digits', async () => {
    const call = (id: string) => ({ call: { command: `printf '{"id":${id}}'` }, input: {} });
    const folder = await project(scenarioWith(call('9007199254740993')));
    await run(folder, '--update-golden');
    expect((await run(folder)).trial.outcome).toBe('pass');
    await writeFile(join(folder, 's.json'), JSON.stringify(scenarioWith(call('9007199254740992'))));
    expect((await run(folder)).trial.outcome).toBe('fail');
  });

  it('need no lines that are to be ignored', async () => {
    const config = { file: 'wanted.txt', ignore: ['^at '] };
    const golden = { 'wanted.txt': 'one\nat 12:00\ntwo\nthree\n' };
    const folder = await project(scenarioWith({}, config), golden);
    expect((await run(folder)).trial.outcome).toBe('pass');
    const other = await project(
      scenarioWith({ input: { lines: ['one', 'two', 'at 1', 'at 2', 'four'] } }, config),
      golden,
    );
    expect((await run(other)).trial.reason).toBe('Line 5 is "four", in wanted.txt it is "three"');
  });

  it.each([
    [
      'with faults',
      { faults: { broken: [{ fault: 'error', message: 'Locked' }] } },
      ['--arm', 'faults=broken'],
      'with faults or an attack',
    ],
    ['that is replayed', {}, ['--replay-tools', 'rec'], 'whose tools are replayed'],
  ])('are not written from a trial %s', async (_what, more, flags, expected) => {
    const folder = await project(scenarioWith(more));
    await run(folder, '--record-tools', 'rec');
    const { trial } = await run(folder, '--update-golden', ...flags);
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'CRITERION_UNUSABLE' } });
    expect(trial.fault.message).toBe(`golden/Say_it/input.txt is not written from a trial ${expected}.`);
    await expect(readdir(join(folder, 'golden'))).rejects.toThrow('ENOENT');
  });

  it('are one for each case, with names that stay apart and in the folder', async () => {
    const cases = ['../up', 'a b', 'a_b', '.hidden'].map((name) => ({ name, input: { lines: [name] } }));
    const folder = await project(scenarioWith({ input: undefined, cases }, { file: 'g/{case}.txt' }));
    await run(folder, '--update-golden');
    expect((await readdir(join(folder, 'g'))).sort()).toEqual([
      '%2E.%2Fup.txt',
      '%2Ehidden.txt',
      'a%5Fb.txt',
      'a_b.txt',
    ]);
    expect((await run(folder)).exitCode).toBe(0);
    const shared = await project(scenarioWith({ input: undefined, cases }, { file: 'one.txt' }));
    expect((await run(shared, '--update-golden')).trial.fault).toMatchObject({ code: 'CRITERION_UNUSABLE' });
  });

  it('are written by the first of several repeats', async () => {
    const folder = await project(scenarioWith({ repeat: 2 }), {
      'tool.mjs': `let count = 0;\nexport const say = () => String(++count);\n`,
    });
    const { trials } = await run(folder, '--update-golden', '--concurrency', '1');
    expect(trials.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining('was written'),
      expect.stringContaining('is written by the first trial'),
    ]);
  });

  it('hold the last answer of a conversation', async () => {
    const scenario = {
      name: 'talk',
      connector: { type: 'module', config: { module: './agent.mjs' } },
      messages: [{ role: 'user', content: 'One' }],
      userMessages: ['Two'],
      evaluators: [{ type: 'golden', config: { file: 'g.txt' } }],
    };
    const agent = `export default async ({ messages }) => 'You said ' + messages.at(-1).content;\n`;
    const folder = await project(scenario, { 'agent.mjs': agent, 'g.txt': 'You said Two' });
    expect((await run(folder)).trial).toMatchObject({ outcome: 'pass', turns: [{}, {}] });
  });

  it('hold no secrets', async () => {
    const secret = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz0123456789';
    const folder = await project(scenarioWith({ input: { lines: [`key ${secret}`] } }, { file: 'g.txt' }));
    await run(folder, '--update-golden');
    expect(await readFile(join(folder, 'g.txt'), 'utf8')).not.toContain(secret);
    expect((await run(folder)).trial.outcome).toBe('pass');
  });

  it.each(['--distributed', '--reuse'])('cannot be written with %s', async (flag) => {
    const folder = await project(scenarioWith());
    const { exitCode, stderr } = await run(folder, '--update-golden', flag);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`--update-golden cannot be combined with ${flag}`),
    });
  });

  it.each(['file: ▸/etc/passwd', 'file: ▸../up.txt', 'ignore: [▸"("]', '▸files: a.txt'])(
    'a wrong config is reported where it stands: %j',
    async (config) => {
      const { text, place } = unmarked(
        `name: x\ncall: { command: cat }\ninput: {}\nevaluators:\n  - type: golden\n    config:\n      ${config}\n`,
      );
      const folder = await temporaryFolder({ 's.yaml': text });
      const { problems } = await load(folder, 's.yaml');
      for (const problem of problems) expectReadable(problem, text);
      expect(problems.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
    },
  );
});
