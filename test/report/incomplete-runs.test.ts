import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/outcome.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const planned = 8;

interface SampleRun {
  readonly stored: number;
  readonly status: 'finished' | 'interrupted' | 'running';
  readonly outcomes?: Readonly<Record<number, Outcome>>;
}

/** The tool broke after the fourth case, which the interrupted runs never came to. */
const runs: Readonly<Record<string, SampleRun>> = {
  'r-1-before': { stored: planned, status: 'finished' },
  'r-2-cut': { stored: 4, status: 'interrupted' },
  'r-3-cut-failing': { stored: 4, status: 'interrupted', outcomes: { 1: 'fail' } },
  'r-4-left': { stored: 4, status: 'running' },
  'r-5-errors': { stored: planned, status: 'finished', outcomes: { 6: 'error', 7: 'error' } },
};

/** A project with these runs, the first of which is its baseline. */
async function project(): Promise<string> {
  const cwd = await temporaryFolder({ 'assay.config.yaml': '{}\n' });
  await using store = await openProjectStore(cwd);
  for (const [index, [runId, { stored, status, outcomes = {} }]] of Object.entries(runs).entries()) {
    const ended = status === 'running' ? null : 1_700_000_500_000;
    const [scenario] = runHeader(runId).scenarios;
    const header = { planned, startedAt: 1_700_000_000_000 + index, status, finishedAt: ended };
    await store.createRun(
      runHeader(runId, { ...header, scenarios: scenario ? [{ ...scenario, caseCount: planned }] : [] }),
    );
    const trials = Array.from({ length: stored }, (_, ordinal) =>
      finishedTrial(runId, ordinal, { outcome: outcomes[ordinal] ?? 'pass', withFault: outcomes[ordinal] === 'error' }),
    );
    await store.saveTrials(trials);
  }
  expect(await assay(['baseline', 'set', 'r-1-before'], { cwd })).toMatchObject({ exitCode: 0 });
  return cwd;
}

describe('a run that lacks planned trials', () => {
  it('is not green on the terminal, and says why', async () => {
    const cwd = await project();
    const { stdout } = await assay(['show', 'r-2-cut'], { cwd });
    expect(stdout).toContain('! sample 4/8');
    expect(stdout).toContain('8 trials: 4 passed, interrupted: 4 did not run');
    expect(stdout).not.toContain('✓');
  });

  it('says so beside its failures, in lists and documents', async () => {
    const cwd = await project();
    const { stdout } = await assay(['runs'], { cwd });
    expect(stdout).toMatch(/✗ r-3-cut-failing .*1 of 8 trials failed; interrupted: 4 did not run/);
    expect(stdout).toMatch(/! r-2-cut .*interrupted: 4 of 8 trials did not run/);
    const document = JSON.parse((await assay(['show', 'r-2-cut', '--json'], { cwd })).stdout);
    expect(document).toMatchObject({ outcome: 'error', totals: { planned: 8, pass: 4, notRun: 4 } });
  });

  it('is interrupted when nothing runs it, whatever was written last', async () => {
    const cwd = await project();
    const { stdout } = await assay(['runs'], { cwd });
    expect(stdout).toMatch(/! r-4-left .*interrupted: 4 of 8 trials did not run/);
  });

  it.each(['r-2-cut', 'r-3-cut-failing', 'r-4-left'])('has an error in JUnit, and exit code 3: %s', async (runId) => {
    const cwd = await project();
    const { exitCode, stdout, stderr } = await assay(['report', runId, '--format', 'junit', '-o', '-'], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/<testsuites [^>]*tests="5" failures="[01]" errors="1" skipped="0"/);
    expect(stdout).toMatch(/<error message="interrupted: 4 of 8 trials did not run" type="NotRun">/);
    expect(stderr).toContain('warning: interrupted: 4 of 8 trials did not run');
  });

  it('is named in Markdown and HTML', async () => {
    const cwd = await project();
    const folder = join(cwd, 'reports');
    const written = await assay(['report', 'r-2-cut', '--format', 'markdown,html', '-o', folder], { cwd });
    expect(written.exitCode).toBe(3);
    const markdown = await readFile(join(folder, 'report.md'), 'utf8');
    expect(markdown).toContain('# ⚠️ interrupted: 4 of 8 trials did not run');
    expect(markdown).toContain('| 8 | 4 | 0 | 0 | 0 | 4 |');
    expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('interrupted: 4 of 8 trials did not run');
  });

  it('cannot be a baseline', async () => {
    const cwd = await project();
    const { exitCode, stderr } = await assay(['baseline', 'set', 'r-2-cut', '--name', 'cut'], { cwd });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('4 of 8 planned trials of r-2-cut have no record, so it cannot be a baseline.');
  });

  it('does not hold a baseline', async () => {
    const cwd = await project();
    const { exitCode, stdout } = await assay(['baseline', 'check', 'r-2-cut'], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('4 of 8 planned trials of the run have no record');
    expect(stdout).not.toContain('✓');
  });

  it('leaves a comparison unfinished on either side, whatever it is to fail on', async () => {
    const cwd = await project();
    for (const sides of [
      ['r-1-before', 'r-2-cut'],
      ['r-2-cut', 'r-1-before'],
    ])
      for (const flags of [[], ['--fail-on', 'worse'], ['--fail-on', 'changed']])
        expect(await assay(['compare', ...sides, ...flags], { cwd })).toMatchObject({ exitCode: 3 });
    expect(await assay(['compare', 'r-1-before', 'r-1-before', 'r-2-cut'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(await assay(['compare', 'r-1-before', 'r-5-errors', 'r-2-cut'], { cwd })).toMatchObject({ exitCode: 3 });
  });
});

describe('trials that could not be judged', () => {
  it('do not hold a baseline either', async () => {
    const cwd = await project();
    const { exitCode, stdout } = await assay(['baseline', 'check', 'r-5-errors'], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('2 trials of the run could not be judged');
  });
});

describe('a run with all of its trials', () => {
  it('is reported, compared and held against a baseline', async () => {
    const cwd = await project();
    expect(await assay(['baseline', 'check', 'r-1-before'], { cwd })).toMatchObject({ exitCode: 0 });
    expect(await assay(['compare', 'r-1-before', 'r-1-before', '--fail-on', 'worse'], { cwd })).toMatchObject({
      exitCode: 0,
    });
    const { exitCode, stdout } = await assay(['report', 'r-1-before', '--format', 'junit', '-o', '-'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/<testsuites [^>]*tests="8" failures="0" errors="0" skipped="0"/);
  });
});
