import { beforeEach, describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = (name: string, faults: object | undefined): string =>
  JSON.stringify({
    name,
    call: { module: './tool.mjs', export: 'echo' },
    cases: [{ name: 'c', input: { n: 1 }, passCriteria: ['true'] }],
    ...(faults && { faults }),
  });

const set = (message: string) => [{ fault: 'error', message }];

describe('assay run --arm', () => {
  let cwd = '';
  beforeEach(async () => {
    cwd = await temporaryFolder({
      'tool.mjs': 'export const echo = (input) => input;\n',
      'one.json': scenario('One', { locked: set('Locked'), late: set('Late') }),
      'two.json': scenario('Two', { late: set('Late') }),
      'plain.json': scenario('Plain', undefined),
    });
  });

  /** The scenarios that ran, each with the name of its set of faults. */
  const ran = async (...args: readonly string[]): Promise<string[]> => {
    const { stdout, stderr } = await assay(['run', '--json', ...args], { cwd });
    expect(stdout, stderr).not.toBe('');
    const { trials } = JSON.parse(stdout) as { trials: { scenario: string; variant: { faults?: string } }[] };
    return trials.map(({ scenario: name, variant }) => `${name} ${variant.faults ?? '-'}`).sort();
  };

  it('runs only the chosen variants; scenarios without the part run as they are', async () => {
    expect(await ran()).toEqual(['One late', 'One locked', 'One none', 'Plain -', 'Two late', 'Two none']);
    expect(await ran('--arm', 'faults=late')).toEqual(['One late', 'Plain -', 'Two late']);
    expect(await ran('--arm', 'faults=late', '--arm', 'faults=locked')).toEqual([
      ...['One late', 'One locked', 'Plain -', 'Two late'],
    ]);
  });

  it('leaves out a scenario without the chosen variants, also when the run is run again', async () => {
    const chosen = ['One locked', 'Plain -'];
    expect(await ran('--arm', 'faults=locked')).toEqual(chosen);
    expect(await ran('--from', 'latest')).toEqual(chosen);
  });

  it.each([
    ['faults=lokced', /No scenario has the faults "lokced"\./, /locked/],
    ['guidance=v1', /No scenario has the guidance "v1"\./, /no scenario varies guidance/],
    ['model=x', /must begin with one of guidance, skills/, /=/],
    ['faults=', /must have a name, such as faults=v1/, /=/],
  ])('refuses %s, and runs nothing', async (arm, message, hint) => {
    const { exitCode, stdout, stderr } = await assay(['run', '--arm', arm], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
  });

  it('looks for names in the scenarios that are run alone', async () => {
    const { exitCode, stderr } = await assay(['run', 'two.json', '--arm', 'faults=locked'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('No scenario has the faults "locked".');
  });
});
