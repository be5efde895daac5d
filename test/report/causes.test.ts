import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Half of the trials throw, half return what is not wanted; both miss the same criterion. */
const unlucky = {
  'tool.mjs': `export function draw({ n }) {
  if (n % 2 === 1) throw new RangeError('unlucky 17');
  return { ok: false };
}
`,
  'draw.yaml': `name: Draw
call: { module: ./tool.mjs, export: draw }
passCriteria: [result.ok === true]
cases:
${[1, 2, 3, 4, 5, 6].map((n) => `  - { name: n${n}, input: { n: ${n} } }`).join('\n')}
`,
};

describe('why trials did not pass', () => {
  it('reports a thrown error as itself, apart from a result that is not as wanted', async () => {
    const cwd = await temporaryFolder(unlucky);
    const { stdout, exitCode } = await assay(['run'], { cwd });
    expect(exitCode).toBe(1);
    const problems = stdout.split(/(?=^ {2}FAIL )/m).slice(1);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('The tool failed with RangeError: unlucky 17');
    expect(problems[0]).toMatch(/and 2 more trials with the same error/);
    expect(problems[1]).toContain('1 of 1 pass criteria failed');
    expect(problems[1]).toMatch(/and 2 more trials that failed the same check/);
    expect(stdout).not.toMatch(/same reason|one cause/);

    const clusters = JSON.parse((await assay(['show', 'latest', '--clusters', '--json'], { cwd })).stdout);
    expect(clusters.clusters.map(({ kind, what, pattern, count }: never) => [kind, what, pattern, count])).toEqual([
      ['thrown', 'RangeError', 'unlucky #', 3],
      ['criterion', 'result.ok === true', '', 3],
    ]);

    const run = JSON.parse((await assay(['report', 'latest', '--format', 'json', '-o', '-'], { cwd })).stdout);
    expect(run.trials[0]).toMatchObject({
      reason: expect.stringContaining('RangeError: unlucky 17'),
      toolError: { name: 'RangeError', message: 'unlucky 17' },
    });
    expect(run.trials[1]).not.toHaveProperty('toolError');
    const junit = (await assay(['report', 'latest', '--format', 'junit', '-o', '-'], { cwd })).stdout;
    expect(junit.match(/message="The tool failed with RangeError: unlucky 17/g)).toHaveLength(3);
  });

  it('says nothing of a common cause where imported tasks share only a reward of 0', async () => {
    const task = (id: number) => ({
      task_id: id,
      reward: 0,
      trial: 0,
      traj: [
        { role: 'user', content: `I want to change order ${id}` },
        { role: 'assistant', content: 'I am sorry, I cannot do that.' },
      ],
    });
    const cwd = await temporaryFolder({
      'results.json': JSON.stringify(Array.from({ length: 40 }, (_, index) => task(index))),
    });
    const imported = await assay(['import', 'results.json', '--format', 'tau-bench'], { cwd });
    expect(imported.stderr + imported.stdout).toContain('40');
    for (const args of [
      ['show', 'latest', '--clusters'],
      ['report', 'latest', '--format', 'markdown', '-o', '-'],
    ]) {
      const { stdout } = await assay(args, { cwd });
      expect(stdout, args.join(' ')).toContain('reward');
      expect(stdout, args.join(' ')).not.toMatch(/same reason|one cause|same error|same check/);
    }
  });
});
