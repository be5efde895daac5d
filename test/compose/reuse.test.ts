import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

interface RunDocument {
  readonly runId: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly reused: number;
  readonly trials: readonly { readonly trialId: string; readonly outcome: string; readonly cachedFrom?: string }[];
}

function run(folder: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  return assay(['run', 'scenario.yaml', ...flags], { cwd: folder, env: { PATH: path, ...env } });
}

async function document(result: Promise<CommandResult>): Promise<RunDocument & { readonly stderr: string }> {
  const { stdout, stderr } = await result;
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return { ...JSON.parse(stdout), stderr };
}

const json = (folder: string, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  document(run(folder, ['--json', ...flags], env));

/** Does not hold before the agent has worked: a gate that does says nothing of the agent. */
const worked = '{ type: file_exists, path: .my-tool/store.db }';
const work = 'steps: ["my-tool create --title milk"]\n';

/** A project with a gate that looks at a coin that no key covers, as an agent's luck is covered by none. */
async function coinProject(more = '') {
  const coin = join(await temporaryFolder({ coin: 'tails\n' }), 'coin');
  const gates = `[${worked}, { type: command_succeeds, command: 'grep -q heads "$COIN"' }]`;
  const scenario = toolScenario(gates, more).replace('target:\n', `target:\n  env: { COIN: "${coin}" }\n`);
  const folder = await toolProject({ scenario, script: work });
  return { folder, toss: (side: string) => writeFile(coin, `${side}\n`) };
}

const outcomes = ({ trials }: RunDocument) => trials.map(({ outcome }) => outcome);

describe('reuse of earlier trials', () => {
  it('is off unless it is requested, so repeated runs of a flaky suite do not drift', async () => {
    const { folder, toss } = await coinProject();
    expect(outcomes(await json(folder))).toEqual(['fail']);
    await toss('heads');
    expect(outcomes(await json(folder))).toEqual(['pass']);
    await toss('tails');
    const last = await json(folder);
    expect(outcomes(last)).toEqual(['fail']);
    expect(last.reused).toBe(0);
  });

  it('keeps fails as well as passes', async () => {
    const { folder, toss } = await coinProject();
    const first = await json(folder, ['--reuse']);
    await toss('heads');
    const second = await json(folder, ['--reuse']);
    expect(second).toMatchObject({ reused: 1, totals: { planned: 1, fail: 1 } });
    expect(second.trials[0]).toMatchObject({ outcome: 'fail', cachedFrom: first.trials[0]?.trialId });
    expect(outcomes(await json(folder, ['--no-cache']))).toEqual(['pass']);
  });

  it('is requested by `cost.cache: true` of a file, and refused by `false`', async () => {
    const wanted = await coinProject('cost: { cache: true }\n');
    await json(wanted.folder);
    await wanted.toss('heads');
    expect(await json(wanted.folder)).toMatchObject({ reused: 1 });
    expect(await json(wanted.folder, ['--no-cache'])).toMatchObject({ reused: 0, totals: { pass: 1 } });
    const refused = await coinProject('cost: { cache: false }\n');
    await json(refused.folder, ['--reuse']);
    expect(await json(refused.folder, ['--reuse'])).toMatchObject({ reused: 0 });
  });

  it('never applies to repeats, and says so', async () => {
    const { folder, toss } = await coinProject();
    const first = await json(folder, ['--reuse', '--repeat', '2']);
    expect(first.stderr).toContain('--reuse does not apply to scenarios with repeats');
    await toss('heads');
    expect(await json(folder, ['--reuse', '--repeat', '2'])).toMatchObject({ reused: 0, totals: { pass: 2 } });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0, totals: { pass: 1 } });
  });

  it('never keeps an error', async () => {
    const scenario = toolScenario(`[${worked}]`).replace(
      'target:\n',
      'target:\n  health_check: test -e "$STATE"\n  env: { STATE: "${STATE}" }\n',
    );
    const state = join(await temporaryFolder({}), 'healthy');
    const folder = await toolProject({ scenario, script: work });
    expect(outcomes(await json(folder, ['--reuse'], { STATE: state }))).toEqual(['error']);
    await writeFile(state, '');
    expect(await json(folder, ['--reuse'], { STATE: state })).toMatchObject({ reused: 0, totals: { pass: 1 } });
  });

  it('refuses to be requested and forbidden at once', async () => {
    const { folder } = await coinProject();
    const result = await run(folder, ['--reuse', '--no-cache']);
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.stderr).toContain('--no-cache contradicts another option');
  });
});

describe('what is run again although reuse is requested', () => {
  /** A launcher that hands over to a library beside its folder. */
  async function launcherProject(more = '') {
    const scenario = toolScenario(
      '[{ type: command_succeeds, command: inv list }, { type: file_exists, path: made }]',
      more,
    ).replace('my-tool', 'inv');
    const files = { 'bin/inv': '#!/bin/sh\nexec sh "$(dirname "$0")/../lib/inv.sh" "$@"\n', 'lib/inv.sh': 'echo ok\n' };
    const folder = await toolProject({ scenario, script: 'steps: [inv list, touch made]\n', files });
    await chmod(join(folder, 'bin/inv'), 0o755);
    return folder;
  }

  it('a tool whose library broke behind an unchanged launcher', async () => {
    const folder = await launcherProject();
    expect(await json(folder, ['--reuse'])).toMatchObject({ totals: { pass: 1 } });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 1 });
    await writeFiles(folder, { 'lib/inv.sh': 'exit 1\n' });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0, totals: { fail: 1 } });
  });

  it('declared inputs take the place of the folder of the tool', async () => {
    const folder = await launcherProject('inputs: [lib/**]\n');
    await json(folder, ['--reuse']);
    await writeFiles(folder, { 'notes.txt': 'unrelated\n' });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 1 });
    await writeFiles(folder, { 'lib/inv.sh': 'exit 1\n' });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0, totals: { fail: 1 } });
  });

  it('inputs that match nothing are a warning, and nothing is reused', async () => {
    const folder = await launcherProject('inputs: [src/**]\n');
    await json(folder, ['--reuse']);
    const second = await json(folder, ['--reuse']);
    expect(second).toMatchObject({ reused: 0 });
    expect(second.stderr).toContain('are not reused: no file matches `src/**` of `inputs`');
  });

  it('a tool that is given another environment', async () => {
    const scenario = toolScenario(`[${worked}, { type: command_succeeds, command: test "$MODE" = good }]`).replace(
      'target:\n',
      'target:\n  env: { MODE: "${MODE}" }\n',
    );
    const folder = await toolProject({ scenario, script: work });
    expect(await json(folder, ['--reuse'], { MODE: 'good' })).toMatchObject({ totals: { pass: 1 } });
    expect(await json(folder, ['--reuse'], { MODE: 'bad' })).toMatchObject({ reused: 0, totals: { fail: 1 } });
    expect(await json(folder, ['--reuse'], { MODE: 'good' })).toMatchObject({ reused: 1, totals: { pass: 1 } });
  });

  it('an agent whose program or script changed', async () => {
    const agent = (work: string) => ({ 'agent/agent.sh': `#!/bin/sh\n${work}\n` });
    const scenario = toolScenario('[{ type: file_exists, path: .my-tool/store.db }]');
    const folder = await toolProject({
      scenario,
      script: '',
      files: {
        ...agent('my-tool create --title milk'),
        'assay.config.yaml': 'agent: mine\nagents: { mine: { command: sh ./agent/agent.sh } }\n',
      },
    });
    await writeFiles(folder, {
      'assay.config.yaml': `agent: mine\nagents: { mine: { command: sh ${folder}/agent/agent.sh } }\n`,
    });
    await chmod(join(folder, 'agent/agent.sh'), 0o755);
    expect(await json(folder, ['--reuse'])).toMatchObject({ totals: { pass: 1 } });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 1 });
    await writeFiles(folder, agent('my-tool list'));
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0, totals: { fail: 1 } });
  });

  it('a trial whose template, script or prompt changed', async () => {
    const { folder } = await coinProject();
    await json(folder, ['--reuse']);
    await writeFiles(folder, { 'template/README.md': '# Another template\n' });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0 });
    await writeFiles(folder, { 'script.yaml': 'steps: [my-tool doctor]\n' });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 0 });
    expect(await json(folder, ['--reuse'])).toMatchObject({ reused: 1 });
  });
});

describe('reports of a run with reused trials', () => {
  it('all name them, and a comparison with it has no evidence', async () => {
    const { folder, toss } = await coinProject();
    const first = await json(folder, ['--reuse']);
    await toss('heads');
    const output = ['--reporter', 'console,junit,markdown,csv,github,html', '--output', 'reports'];
    const result = await run(folder, ['--reuse', ...output]);
    expect(result.stdout).toContain('1 reused from earlier runs');
    const { stdout } = await assay(['runs', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)[0].reason).toContain('1 reused from earlier runs');
    const report = async (format: string) =>
      (await assay(['report', 'latest', '--format', format, '-o', '-'], { cwd: folder })).stdout;
    expect(await report('junit')).toContain('<property name="reused" value="1"/>');
    expect((await report('junit')).split('<properties>')).toHaveLength(2);
    expect(await report('junit')).toContain(`Reused from trial ${first.trials[0]?.trialId}`);
    for (const format of ['markdown', 'github']) expect(await report(format)).toContain('1 reused from earlier runs');
    expect(await report('csv')).toContain('reused_from');
    expect(await report('html')).toContain('1 reused from earlier runs');
    const compared = await assay(['compare', first.runId, 'latest'], { cwd: folder });
    expect(compared.stdout).not.toMatch(/\b(better|worse)\b:/);
    expect(compared.stdout + compared.stderr).toMatch(/cached|taken over|reused/);
  });
});
