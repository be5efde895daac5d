import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const script = `steps:
  - run: my-tool add one
    when: { file: AGENTS.md, contains: guess }
  - run: my-tool --help
    when: { file: AGENTS.md, contains: guess }
  - my-tool create --title one
  - my-tool list
`;

/** A run with two guidance texts and two repeats of each. */
async function guidedRun() {
  const folder = await toolProject({
    scenario: toolScenario(
      '[{ type: file_exists, path: .my-tool/store.db }]',
      'guidance: { poor: poor.md, good: good.md }\n',
    ),
    script,
    files: { 'poor.md': 'You have to guess.\n', 'good.md': 'my-tool create --title TEXT\n' },
  });
  return runTool(folder, ['--repeat', '2']);
}

function diff(folder: string, args: readonly string[], columns = '120'): Promise<CommandResult> {
  return assay(['diff', ...args], { cwd: folder, env: { COLUMNS: columns } });
}

describe('assay diff', () => {
  it('shows what was done differently in two trials, and in two variants', async () => {
    const { folder, trials, stderr } = await guidedRun();
    expect(stderr).not.toContain('error:');
    const idOf = (guidance: string) => trials.find(({ variant }) => variant.guidance === guidance)?.trialId ?? '';
    const [poor, good] = [idOf('poor'), idOf('good')];

    const wide = await diff(folder, [poor, good]);
    expect(wide.exitCode).toBe(0);
    expect(wide.stdout).toMatch(/^ {2}- {2}\$ my-tool add one ← exit 2: my-tool: unknown command add$/m);
    expect(wide.stdout).toMatch(/^ {5}\$ my-tool create --title one +\$ my-tool create --title one$/m);
    expect((await diff(folder, [poor, good], '80')).stdout).toMatch(/^ {2}- {2}\$ my-tool add one/m);

    const document = JSON.parse((await diff(folder, [poor, good, '--json'])).stdout);
    expect(document).toMatchObject({
      schema: 'assay.diff/1',
      kind: 'trials',
      a: { trialId: poor, outcome: 'pass', variant: { guidance: 'poor' } },
      counts: { dropped: 2, added: 0, 'failed-now': 0 },
    });
    expect(JSON.parse((await diff(folder, [good, poor, '--format', 'json'])).stdout).counts.added).toBe(2);

    const usual = await diff(folder, ['latest', '--by', 'guidance', '--a', 'poor', '--b', 'good']);
    expect(usual.stdout).toMatch(/^ {2}- {2}2\/2, 2 failed {2}- {4}\$ my-tool add one$/m);
    const markdown = await diff(folder, ['latest', '--by', 'guidance', '--format', 'markdown']);
    expect(markdown.stdout).toContain('| - | 2/2, 2 failed | - | $ my-tool add one |');
    const itself = JSON.parse((await diff(folder, ['latest', 'latest', '--scenario', 'Items', '--json'])).stdout);
    expect(itself).toMatchObject({ kind: 'repeats', scenario: 'Items', a: { trials: 4 } });
    expect(itself.counts.same).toBe(itself.rows.length);
    await refusesWhatIsWrong(folder, poor);
  });
});

async function refusesWhatIsWrong(folder: string, trial: string): Promise<void> {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['latest'], 'No second trial or run was given'],
    [[trial, 'latest'], 'Compare trials with trials'],
    [['latest', trial], 'is a trial, and the other side is a run'],
    [[trial, 't-none'], 'There is no trial "t-none"'],
    [['r-none', 'latest'], 'begins with "r-none"'],
    [['latest~9', 'latest'], 'Fewer than 10 runs are stored'],
    [[trial, trial, '--scenario', 'Items'], '--scenario is for runs'],
    [['latest', 'latest', '--a', 'poor'], 'require --by'],
    [['latest', 'latest', '--scenario', 'Item'], 'Did you mean `Items`?'],
    [['latest', 'latest', '--case', 'none'], 'has no such trials'],
    [['latest', '--by', 'guidance', '--a', 'bad'], 'has no guidance "bad"'],
    [['latest', '--by', 'agent'], 'one variant by agent'],
    [['latest', '--by', 'colour'], 'guidance'],
  ];
  const answers = await Promise.all(
    cases.map(async ([args, words]) => ({ args, words, ...(await diff(folder, args)) })),
  );
  for (const { args, words, exitCode, stdout, stderr } of answers) {
    expect({ args, exitCode, stdout }).toEqual({ args, exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  }
}

describe('assay show --clusters', () => {
  it('puts together what did not pass, as text and as a document', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': 'export const tool = (input) => (input.crash ? BigInt(1) : { value: input.value });\n',
      'many.yaml': `name: Many
call: { module: ./tool.mjs, export: tool }
cases:
${Array.from({ length: 7 }, (_, index) => `  - { name: case ${index}, input: { value: ${index} }, passCriteria: ["result.value === ${index + 1}"] }`).join('\n')}
  - { name: "{{crash}} #", input: { crash: "breaks" }, passCriteria: ["result !== undefined"] }
`,
    });
    const run = await assay(['run', 'many.yaml'], { cwd: folder });
    expect(run.stdout).toContain('7 trials (88 % of all that did not pass) in Many');
    expect(run.stdout, 'a template in the name of a case').toContain('Many › breaks #');
    const text = await assay(['show', 'latest', '--clusters'], { cwd: folder });
    expect(text).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text.stdout).toContain('FAIL  criterion result.value === …');
    expect(text.stdout).toContain('Next: Compare the answer in the trace');
    const document = JSON.parse((await assay(['show', 'latest', '--clusters', '--json'], { cwd: folder })).stdout);
    expect(document).toMatchObject({
      schema: 'assay.clusters/1',
      notPassed: 8,
      clusters: [
        { outcome: 'fail', kind: 'criterion', count: 7, scenarios: ['Many'] },
        { outcome: 'error', kind: 'target', what: 'TARGET_OUTPUT_NOT_JSON', count: 1 },
      ],
    });
    const none = await assay(['show', 'r-none', '--clusters'], { cwd: folder });
    expect(none).toMatchObject({ exitCode: 2, stdout: '' });
    expect(none.stderr).toContain('There is no run "r-none"');
  });
});
