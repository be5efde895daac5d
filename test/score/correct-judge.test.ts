import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, runJudged } from '../../src/testing/support/judged-project.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const scenario = JSON.stringify({
  name: 'Capital',
  call: { module: './tool.mjs', export: 'answer' },
  cases: names.map((name) => ({ name, input: { question: `What is the capital of France? (${name})` } })),
  passCriteria: ["result.text.includes('Paris')"],
  judge: { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' },
});
const met = { reply: { json: criteriaReply('met') } };
const notMet = { reply: { json: criteriaReply('not-met') } };
const flags = ['--repeat', '3', '--no-cache'];

/** Two runs of eight cases: the judge passes all in the first, and half of the cases in the second. */
async function twoRuns() {
  const before = await runJudged({ scenario, rules: [met], flags });
  const { folder } = before;
  const rules = [{ when: { last: '/\\((a|b|c|d)\\)/' }, ...notMet }, met];
  const after = await runJudged({ scenario, rules, flags, folder });
  const trials = [before, after].flatMap(({ stdout }) => JSON.parse(stdout).trials) as {
    readonly trialId: string;
    readonly outcome: 'pass' | 'fail';
  }[];
  return { folder, trials };
}

/** Labels of people, who find every sixth verdict of each kind wrong. */
async function calibrated(wrongEach: number) {
  const { folder, trials } = await twoRuns();
  const seen = { pass: 0, fail: 0 };
  const lines = trials.map(({ trialId, outcome }) => {
    const isWrong = seen[outcome]++ % wrongEach === 0;
    const label = isWrong === (outcome === 'pass') ? 'fail' : 'pass';
    return JSON.stringify({ trialId, label });
  });
  await writeFile(join(folder, 'labels.jsonl'), `${lines.join('\n')}\n`);
  expect((await assay(['calibrate', 'labels.jsonl'], { cwd: folder })).exitCode).toBe(0);
  return folder;
}

describe('compare --correct-judge', () => {
  it('corrects pass rates for the errors of the judge, and leaves them alone without the flag', async () => {
    const folder = await calibrated(6);
    const compare = (...more: string[]) => assay(['compare', 'latest~1', 'latest', ...more], { cwd: folder });
    const plain = JSON.parse((await compare('--json')).stdout).metrics[0];
    expect(plain).toMatchObject({ name: 'pass-rate', meanA: 1, meanB: 0.5, difference: -0.5 });
    expect(plain.correction).toBeUndefined();

    // 36 passes with 6 wrong, 12 fails with 2 wrong.
    const observed = 1 - 6 / 16 - 2 / 32;
    const { stdout, exitCode } = await compare('--correct-judge', '--json');
    expect(exitCode).toBe(0);
    const { metrics, notes } = JSON.parse(stdout);
    expect(metrics[0].difference).toBeCloseTo(-0.5 / observed, 9);
    expect(metrics[0]).toMatchObject({
      correction: {
        uncorrected: { meanA: 1, meanB: 0.5, difference: -0.5 },
        judges: [{ falsePasses: { count: 6, of: 16 }, falseFails: { count: 2, of: 32 } }],
      },
    });
    const width = ({ interval }: { interval: { low: number; high: number } }) => interval.high - interval.low;
    expect(width(metrics[0])).toBeGreaterThan(width(plain));
    expect(metrics[0].interval.low).toBeGreaterThanOrEqual(-1);
    expect(notes[0]).toContain('openai/gpt-4o-mini passed 6 of 16 that people failed, and failed 2 of 32');
    expect((await compare('--correct-judge')).stdout).toContain('The pass rate is corrected');
  });

  it('refuses judges that are not calibrated, and those that may be no better than chance', async () => {
    const { folder } = await twoRuns();
    const args = ['compare', 'latest~1', 'latest', '--correct-judge'];
    const uncalibrated = await assay(args, { cwd: folder });
    expect(uncalibrated).toMatchObject({ exitCode: 2, stdout: '' });
    expect(uncalibrated.stderr).toContain('The judge openai/gpt-4o-mini is not calibrated');
    const guessing = await assay(args, { cwd: await calibrated(2) });
    expect(guessing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(guessing.stderr).toContain('may be no better than chance');
  });

  it('refuses runs in which no judge decided, and baselines', async () => {
    const folder = await calibrated(6);
    await assay(['baseline', 'set', 'latest', '--name', 'kept'], { cwd: folder });
    const baseline = await assay(['compare', 'kept', 'latest', '--correct-judge'], { cwd: folder });
    expect(baseline.exitCode).toBe(2);
    expect(baseline.stderr).toContain('A baseline does not contain verdicts of a judge');
    for (const _ of [1, 2]) await assay(['run', 's.json', '--no-judge', '--repeat', '1'], { cwd: folder });
    const unjudged = await assay(['compare', 'latest~1', 'latest', '--correct-judge'], { cwd: folder });
    expect(unjudged.exitCode).toBe(2);
    expect(unjudged.stderr).toContain('No judge decided a trial of these runs');
  });
});
