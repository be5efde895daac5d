import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** A starter project that has been run once. */
async function starter(): Promise<string> {
  const folder = await temporaryFolder();
  await assayInProcess(['init'], { cwd: folder });
  await assayInProcess(['run', '--quiet'], { cwd: folder });
  return folder;
}

const commandNames = [
  ...['init', 'run', 'validate', 'show', 'runs', 'report', 'serve', 'compare', 'diff', 'baseline', 'attack', 'import'],
  ...['collect', 'store', 'doctor'],
];

/** Families, with a command of each and its older name. */
const families = [
  ['list', 'agents', 'agents'],
  ['experiment', 'plan', 'plan-repeats'],
  ['score', 'judge', 'judge'],
  ['cases', 'promote', 'promote'],
  ['mcp', 'check', 'mcp-check'],
  ['queue', 'worker', 'worker'],
] as const;

describe('assay', () => {
  it('prints its version', async () => {
    const result = await assay(['--version'], { cwd: '.' });
    expect(result).toMatchObject({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  it.each([[[]], [['--help']], [['help']]])('lists every command on %j', async (args) => {
    const { exitCode, stdout } = await assay(args, { cwd: '.' });
    expect(exitCode).toBe(0);
    const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual([...commandNames, ...families.map(([family]) => family)].toSorted());
    expect(stdout.match(/^[A-Z].*:$/gm)).toHaveLength(5);
  });

  it.each(families)('has the family %s, whose command %s is also called %s', async (family, member, older) => {
    const help = async (...args: string[]) => (await assayInProcess([...args, '--help'], { cwd: '.' })).stdout;
    expect(await help(family)).toContain(`  ${family} ${member} `);
    expect(await help(family, member)).toContain(`Usage: assay ${family} ${member}`);
    expect(await help(older)).toBe(await help(family, member));
  });

  it('lists the options of a run that are often needed in four groups, and all of them on request', async () => {
    const help = async (...args: string[]) => (await assayInProcess(['run', '--help', ...args], { cwd: '.' })).stdout;
    const optionsIn = (text: string): string[] => text.match(/^ {2}-.*$/gm) ?? [];
    const few = await help();
    expect(optionsIn(few).length).toBeLessThanOrEqual(25);
    expect(few.match(/^(Scenarios|Agents and models|How they run|Verdict and reports):$/gm)).toHaveLength(4);
    expect(few).not.toContain('\nOptions:');
    const whole = await help('--all');
    expect(optionsIn(whole)).toEqual(expect.arrayContaining([expect.stringContaining('--record-tools')]));
    expect(whole).not.toContain('--tool-health-only');
  });

  it.each(commandNames)('explains %s', async (name) => {
    const { exitCode, stdout, stderr } = await assayInProcess([name, '--help'], { cwd: '.' });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`Usage: assay ${name}`);
  });

  it('suggests the command that was meant', async () => {
    const result = await assayInProcess(['rnu'], { cwd: '.' });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toBe('error: Unknown command "rnu".\n  Did you mean `run`?\n');
  });

  it('suggests the flag that was meant', async () => {
    const result = await assayInProcess(['run', '--concurency', '3'], { cwd: '.' });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('Did you mean --concurrency?');
  });
});

describe('assay init', () => {
  it('starts from a server of the user, with observed results that hold when they are run', async () => {
    const folder = await temporaryFolder();
    const server = `node '${join(import.meta.dirname, '../../src/mcp-check/fixtures/checked-server.mjs')}' good`;
    const made = await assayInProcess(['init', '--kind', 'mcp-server', '--server', server], { cwd: folder });
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('mcp-pins.json') });
    const ran = await assayInProcess(['run', '--json'], { cwd: folder });
    const { trials } = JSON.parse(ran.stdout);
    expect(trials[0].toolHealth.map(({ passed }: { passed: boolean }) => passed)).toEqual(Array(6).fill(true));
    const checked = ['mcp-check', '--json', '--calls', '0', '--baseline', 'mcp-pins.json', 'scenarios/server.yaml'];
    const { baseline } = JSON.parse((await assayInProcess(checked, { cwd: folder })).stdout);
    expect(baseline.state).toBe('same');
    const other = await temporaryFolder();
    const dead = ['init', '--kind', 'mcp-server', '--server', `node -e 'process.exit(4)'`];
    expect(await assayInProcess(dead, { cwd: other })).toMatchObject({ exitCode: 3 });
    const wrongKind = ['init', '--kind', 'cli-tool', '--server', 'node x.mjs'];
    expect(await assayInProcess(wrongKind, { cwd: other })).toMatchObject({ exitCode: 2 });
    expect(await readdir(other)).toEqual([]);
  });

  it('makes a project that runs at once', async () => {
    const folder = await temporaryFolder();
    const made = await assay(['init', 'my-project'], { cwd: folder });
    expect(made.exitCode).toBe(0);
    expect(made.stdout).toContain('cd my-project');
    const run = await assay(['run'], { cwd: join(folder, 'my-project') });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('4 trials: 4 passed');
  });

  it('makes one for a CLI tool that an agent uses, with an agent that needs no key', async () => {
    const folder = await temporaryFolder();
    expect(await assayInProcess(['init', '--kind', 'cli-tool'], { cwd: folder })).toMatchObject({ exitCode: 0 });
    const run = await assayInProcess(['run'], { cwd: folder });
    expect(run.stdout).toContain('2 trials: 2 passed');
    expect(run.stdout).toMatch(/terse +1 +0\.\d\d/);
    expect(run.exitCode).toBe(0);
  });

  it.each([
    ['skill', '6 trials: 6 passed'],
    ['conversation', '1 trial: 1 passed'],
    ['mcp-server', '1 trial: 1 passed'],
  ])('makes one of the kind %s, which runs at once and without a key', async (kind, words) => {
    const folder = await temporaryFolder();
    expect(await assayInProcess(['init', '--kind', kind], { cwd: folder })).toMatchObject({ exitCode: 0 });
    const run = await assayInProcess(['run'], { cwd: folder });
    expect(run.stdout).toContain(words);
    expect(run.exitCode).toBe(0);
  });

  it('overwrites nothing', async () => {
    const folder = await temporaryFolder({ 'assay.config.yaml': '' });
    const result = await assayInProcess(['init'], { cwd: folder });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('assay.config.yaml already exists');
    expect(await readdir(folder)).toEqual(['assay.config.yaml']);
  });

  it('names the kinds there are', async () => {
    const result = await assayInProcess(['init', '--kind', 'tol'], { cwd: await temporaryFolder() });
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.stderr).toContain('Did you mean `tool`?');
  });
});

describe('history', () => {
  it('lists runs and shows a run, a trial and a scenario', async () => {
    const folder = await starter();
    const [run] = JSON.parse((await assayInProcess(['runs', '--json'], { cwd: folder })).stdout);
    expect(run).toMatchObject({ status: 'finished', outcome: 'pass', totals: { planned: 4, pass: 4 } });
    expect((await assayInProcess(['runs'], { cwd: folder })).stdout).toContain(run.runId);

    const shown = await assayInProcess(['show', 'latest', '--json'], { cwd: folder });
    const document = JSON.parse(shown.stdout);
    expect(document.runId).toBe(run.runId);
    const refused = document.trials.find(
      (trial: { caseId: string }) => trial.caseId === 'refuses a call without a customer',
    );

    const trial = await assayInProcess(['show', refused.trialId], { cwd: folder });
    expect(trial.stdout).toContain("error.message contains 'customer is required'");
    expect(trial.stdout).toContain('call: searchOrders {}');
    expect(
      JSON.parse((await assayInProcess(['show', refused.trialId, '--json'], { cwd: folder })).stdout).trace,
    ).toMatchObject([
      { type: 'tool-call', tool: 'searchOrders', input: {}, seenBy: 'engine' },
      { type: 'tool-result', error: { message: 'customer is required' } },
    ]);
    expect((await assayInProcess(['show', 'Search orders'], { cwd: folder })).stdout).toContain(refused.trialId);
  });

  it('shows a scenario that never ran, one that did, and one whose file is gone', async () => {
    const folder = await temporaryFolder();
    await assayInProcess(['init', '--kind', 'cli-tool'], { cwd: folder });
    const show = (...args: string[]) => assayInProcess(['show', 'Take notes', ...args], { cwd: folder });
    const before = await show();
    expect(before).toMatchObject({ exitCode: 0, stderr: '' });
    expect(before.stdout).toContain('Scenario: Take notes\n');
    expect(before.stdout).toMatch(/^ {2}file +scenarios\/take-notes\.yaml$/m);
    expect(before.stdout).toMatch(/^ {2}variants +scripted, guidance terse \| scripted, guidance clear$/m);
    expect(before.stdout).toMatch(/^ {2}trials +2 per run: 1 case × 1 repeat × 2 variants$/m);
    expect(before.stdout).toContain('No trial of this scenario is stored.');
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      schema: 'assay.scenario/1',
      scenarios: [{ name: 'Take notes', target: 'cli-tool', trialsPerRun: 2, task: expect.stringContaining('notes') }],
      trials: [],
    });

    await assayInProcess(['run', '--quiet'], { cwd: folder });
    const after = JSON.parse((await show('--json')).stdout);
    expect(after.scenarios).toHaveLength(1);
    expect(after.trials.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pass', 'pass']);
    expect((await show()).stdout).toContain(after.trials[0].trialId);

    await rm(join(folder, 'scenarios', 'take-notes.yaml'));
    const gone = await show();
    expect(gone.stdout).toContain('"Take notes" is not among the scenarios of this project');
    expect(gone.stdout).toContain(after.trials[0].trialId);
  });

  it('shows a readable scenario beside a broken file, and names the broken file when nothing is found', async () => {
    const folder = await temporaryFolder();
    await assayInProcess(['init', '--kind', 'cli-tool'], { cwd: folder });
    await writeFile(join(folder, 'scenarios', 'broken.yaml'), 'name: [');
    const show = (name: string) => assayInProcess(['show', name], { cwd: folder });
    expect(await show('Take notes')).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await show('Take note')).stderr).toContain('Did you mean `Take notes`?');
    const missing = await show('Something quite different');
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('scenarios/broken.yaml:1:');
  });

  it('says so when there is nothing of that name', async () => {
    const result = await assayInProcess(['show', 'r-nothing'], { cwd: await starter() });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('no run, trial or scenario "r-nothing"');
  });

  it('removes old runs and keeps new ones', async () => {
    const folder = await starter();
    expect((await assayInProcess(['clean', '--older-than', '1d'], { cwd: folder })).stdout).toBe('0 runs removed.\n');
    expect((await assayInProcess(['clean', '--older-than', '0s', '--dry-run'], { cwd: folder })).stdout).toBe(
      '1 run would be removed.\n',
    );
    expect((await assayInProcess(['clean', '--older-than', '0s'], { cwd: folder })).stdout).toBe('1 run removed.\n');
    expect((await assayInProcess(['runs'], { cwd: folder })).stdout).toContain('No runs are stored yet');
    expect((await assayInProcess(['clean', '--older-than', 'yesterday'], { cwd: folder })).exitCode).toBe(2);
  });
});

describe('what there is', () => {
  it('lists scenarios by tag and tier', async () => {
    const folder = await starter();
    const all = await assayInProcess(['scenarios'], { cwd: folder });
    expect(all.stdout).toContain('[smoke] Search orders (4 cases)');
    expect((await assayInProcess(['scenarios', '--tags', 'nothing'], { cwd: folder })).exitCode).toBe(2);
    expect((await assayInProcess(['list', '--tags', 'other,smoke', '--tier', '0'], { cwd: folder })).exitCode).toBe(0);
  });

  it('lists evaluators with their config schemas', async () => {
    const result = await assayInProcess(['evaluators', '--json'], { cwd: '.' });
    const types = JSON.parse(result.stdout).map(
      (evaluator: { type: string; kind: string }) => `${evaluator.kind} ${evaluator.type}`,
    );
    for (const type of [
      'assertion criteria',
      'assertion latency-budget',
      'assertion rubric-judge',
      'assertion command_json_path',
      'metric duration',
      'metric interaction',
    ])
      expect(types).toContain(type);
    expect(new Set(types).size).toBe(types.length);
    const one = JSON.parse((await assayInProcess(['evaluators', 'latency-budget'], { cwd: '.' })).stdout);
    expect(one.configSchema.required).toEqual(['maxMs']);
  });

  it.each(['scenario', 'config', 'judge'])('prints the JSON Schema of a %s file', async (name) => {
    const result = await assayInProcess(['schema', name], { cwd: '.' });
    expect(JSON.parse(result.stdout)).toMatchObject({ type: 'object', properties: expect.any(Object) });
  });

  it('checks the machine', async () => {
    const result = await assayInProcess(['doctor', '--json'], { cwd: await temporaryFolder() });
    expect(result.exitCode).toBe(0);
    const { findings } = JSON.parse(result.stdout) as { findings: { what: string; isGood: boolean }[] };
    expect(findings.map(({ what }) => what)).toEqual([
      'Node.js',
      'config',
      'store',
      'TypeScript modules',
      'isolation of agents',
      'agents',
      'terminals of agents',
      'browser of agents',
      'gateway',
      'models',
    ]);
    expect(findings.every(({ isGood }) => isGood)).toBe(true);
  });

  it('says which isolation can limit the network of agents, and why another cannot', async () => {
    const cwd = await temporaryFolder();
    const { isolation } = JSON.parse((await assayInProcess(['doctor', '--json'], { cwd })).stdout) as {
      isolation: { tier: string; problem: string | null; networkProblem: string | null }[];
    };
    const reasons = new Map(isolation.map(({ tier, problem, networkProblem }) => [tier, problem ?? networkProblem]));
    expect([...reasons.keys()]).toEqual(['container', 'bubblewrap', 'process', 'none']);
    expect(reasons.get('none')).toBe('nothing is isolated');
    expect(reasons.get('process')).not.toBeNull();
    const { stdout } = await assayInProcess(['doctor'], { cwd });
    expect(stdout).toMatch(/^ {2}none( +visible){5} +open +yes$/m);
    expect(stdout).toContain('The network stays open with none: nothing is isolated.');
    const ofBubblewrap = /^ {2}bubblewrap( +hidden){5} +(can be limited|open) +(.*)$/m.exec(stdout);
    expect(ofBubblewrap?.[2]).toBe(reasons.get('bubblewrap') === null ? 'can be limited' : 'open');
  });

  it('tells what would run', async () => {
    const folder = await temporaryFolder();
    await assayInProcess(['init'], { cwd: folder });
    const result = await assayInProcess(['run', '--dry-run', '--repeat', '3'], { cwd: folder });
    expect(result.stdout).toContain('12 trials would run. Nothing was run.');
    expect(await readdir(folder)).not.toContain('.assay');
  });

  it.each(['bash', 'zsh', 'fish'])('completes commands and flags in %s', async (shell) => {
    const { exitCode, stdout } = await assayInProcess(['completion', shell], { cwd: '.' });
    expect(exitCode).toBe(0);
    for (const word of ['scenarios', 'concurrency', 'older-than']) expect(stdout).toContain(word);
  });
});

describe('exit codes of a run', () => {
  const scenario = (criterion: string) => `name: One
call: { module: ./tool.mjs, export: tool }
input: {}
passCriteria: ["${criterion}"]
`;
  const tool = 'export const tool = () => ({ ok: true, count: 3 });\n';

  it.each([
    ['everything passed', 'result.ok === true', [], 0],
    ['something failed', 'result.ok === false', [], 1],
    ['a criterion gives no boolean', 'result.count', [], 2],
    ['enough passed', 'result.ok === false', ['--min-pass-rate', '0'], 0],
  ])('%s', async (_what, criterion, flags, expected) => {
    const folder = await temporaryFolder({ 's.yaml': scenario(criterion), 'tool.mjs': tool });
    expect((await assay(['run', 's.yaml', ...flags], { cwd: folder })).exitCode).toBe(expected);
  });

  it('is 3 when something could not be judged', async () => {
    const folder = await temporaryFolder({
      's.yaml': `${scenario('result.ok === true')}timeoutSecs: 0.05\n`,
      'tool.mjs': 'export const tool = () => new Promise(() => {});\n',
    });
    const result = await assay(['run', 's.yaml', '--json'], { cwd: folder });
    expect(result.exitCode).toBe(3);
    expect(JSON.parse(result.stdout).trials).toMatchObject([
      { outcome: 'error', fault: { code: 'TARGET_TIMEOUT', blame: 'target' } },
    ]);
  });

  it('repeats each case and keeps the repeats apart', async () => {
    const folder = await temporaryFolder({ 's.yaml': scenario('result.ok === true'), 'tool.mjs': tool });
    const result = await assayInProcess(['run', 's.yaml', '--repeat', '3', '--json'], { cwd: folder });
    expect(JSON.parse(result.stdout).trials.map((trial: { repeat: number }) => trial.repeat)).toEqual([1, 2, 3]);
  });
});
