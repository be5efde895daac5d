import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  onlyTrial,
  runTool,
  toolEnvironment,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const seedExample = `name: create_and_find
description: The example of the evaluation document
template_folder: template
target:
  binary: my-tool
  command_pattern: "my-tool\\\\s+(\\\\S+)"
task:
  prompt: Collect three items about distributed systems.
evaluation:
  gates:
    - type: command_json_path
      command: "my-tool list --format json"
      path: "$"
      assertion: "len >= 3"

    - type: command_output_contains
      command: "my-tool search 'distributed systems'"
      substring: "distributed"

    - type: file_exists
      path: ".my-tool/store.db"

    - type: command_succeeds
      command: "my-tool doctor"

    - type: no_transcript_errors
`;

describe('a CLI tool driven by an agent', () => {
  it('runs the example of the seed as it is written', async () => {
    const script = `steps:
  - my-tool create --title "About distributed systems"
  - my-tool create --title "Clocks"
  - my-tool create --title "Consensus"
`;
    const run = await runTool(await toolProject({ scenario: seedExample, script }));
    expect(onlyTrial(run)).toMatchObject({
      outcome: 'pass',
      gates_passed: 5,
      gates_total: 5,
      variant: { agent: 'scripted' },
      interaction: { source: 'recorder', total_commands: 3, completed: true },
    });
    expect(run.exitCode).toBe(0);
  });

  it('gives the metrics that the formulas give by hand', async () => {
    const script = `steps:
  - my-tool create milk
  - my-tool create milk
  - my-tool create --title milk
  - my-tool list --help
  - my-tool list
`;
    const run = await runTool(await toolProject({ scenario: toolScenario('[]'), script }));
    expect(onlyTrial(run).interaction).toMatchObject({
      source: 'recorder',
      total_commands: 5,
      unique_commands: 4,
      error_count: 2,
      error_rate: 0.4,
      retry_count: 1,
      retry_rate: 0.2,
      retries_after_failure: 2,
      help_invocations: 1,
      first_try_success_rate: 0.6,
      iteration_ratio: 0.8,
      completed: true,
      subcommands: { create: { total_commands: 3, error_count: 2 }, list: { total_commands: 2 } },
      disagreements: [],
      unrecorded: [],
    });
  });

  it('reports every gate, and fails when one fails', async () => {
    const gates = `
    - { type: command_succeeds, command: my-tool doctor }
    - { type: file_exists, path: missing.txt }
    - { type: command_output_matches, command: my-tool list, pattern: "[0-9]+" }
`;
    const run = await runTool(await toolProject({ scenario: toolScenario(gates), script: 'steps: [my-tool list]\n' }));
    const trial = onlyTrial(run);
    expect(trial.gates.map(({ gate_type, passed }) => [gate_type, passed])).toEqual([
      ['command_succeeds', true],
      ['file_exists', false],
      ['command_output_matches', false],
    ]);
    expect(trial).toMatchObject({ outcome: 'fail', gates_passed: 1, gates_total: 3 });
    expect(run.exitCode).toBe(1);
  });

  it('records a call by path where the shim can lie over the program', async ({ skip }) => {
    const folder = await toolProject({ scenario: toolScenario('[]'), script: '' });
    const direct = JSON.stringify(`${folder}/bin/my-tool create --title milk`);
    await writeFiles(folder, { 'script.yaml': `steps: [${direct}, "my-tool list"]\n` });
    const config = 'isolation: bubblewrap\nagent: scripted\nagents: { scripted: { script: script.yaml } }\n';
    await writeFiles(folder, { 'assay.config.yaml': config });
    const trial = onlyTrial(await runTool(folder));
    skip(trial.fault?.code === 'ISOLATION_UNAVAILABLE', 'bubblewrap does not work on this machine');
    expect(trial.interaction).toMatchObject({ source: 'recorder', total_commands: 2, unrecorded: [] });
  });

  it('records several programs of a tool, and one that lies in the work directory', async () => {
    const scenario = toolScenario('[]').replace(/command_pattern.*/, 'binaries: [helper]');
    const script = 'steps: ["my-tool list; helper one", "helper two; helper nope || true", "my-tool doctor"]\n';
    const helper = '#!/bin/sh\n[ "$1" != nope ]\n';
    const folder = await toolProject({ scenario, script, files: { 'template/helper': helper } });
    await chmod(join(folder, 'template/helper'), 0o755);
    const { interaction } = onlyTrial(await runTool(folder));
    expect(interaction).toMatchObject({
      source: 'recorder',
      total_commands: 5,
      error_count: 1,
      unrecorded: [],
      subcommands: { list: { total_commands: 1 }, two: { total_commands: 1 }, nope: { error_count: 1 } },
    });
  });

  it('finds what bypassed the recorder', async () => {
    const config = 'isolation: none\nagent: scripted\nagents: { scripted: { script: script.yaml } }\n';
    const folder = await toolProject({
      scenario: toolScenario('[]'),
      script: '',
      files: { 'assay.config.yaml': config },
    });
    const direct = JSON.stringify(`${folder}/bin/my-tool create --title milk`);
    await writeFiles(folder, { 'script.yaml': `steps: [${direct}, "my-tool list"]\n` });
    const { interaction } = onlyTrial(await runTool(folder));
    expect(interaction).toMatchObject({
      source: 'recorder',
      total_commands: 1,
      unrecorded: [`${folder}/bin/my-tool create --title milk`],
    });
    const { stdout } = await assay(['run', 'scenario.yaml', '--no-cache'], {
      cwd: folder,
      env: toolEnvironment(folder),
    });
    expect(stdout.replace(/\s+/g, ' ')).toContain('1 unrecorded call in 1 trial bypassed the recorder');
    expect(stdout).not.toMatch(/guidance|as it is/);
    const files = await readdir(join(folder, '.assay'), { recursive: true });
    const evaluation = files.find((file) => file.endsWith('evaluation.md'));
    expect(await readFile(join(folder, '.assay', evaluation ?? 'none'), 'utf8')).toContain(
      'These figures do not include 1 unrecorded call',
    );
  });

  it('does not call a variant fine that fails its gates', async () => {
    const scenario = toolScenario('[{ type: file_exists, path: missing.txt }]');
    const folder = await toolProject({
      scenario,
      script: 'steps: ["my-tool list", "my-tool doctor", "my-tool list -a", "touch done"]\n',
    });
    const failed = await assay(['run', 'scenario.yaml', '--no-cache'], { cwd: folder, env: toolEnvironment(folder) });
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).not.toMatch(/No action needed|Nothing to do|Low error rate/);
    await writeFiles(folder, {
      'scenario.yaml': toolScenario('[{ type: file_exists, path: done }]'),
    });
    expect(
      (await assay(['run', 'scenario.yaml', '--no-cache'], { cwd: folder, env: toolEnvironment(folder) })).stdout,
    ).toContain('No action needed.');
  });

  it('judges what was done until the time was up', async () => {
    const gates = '[{ type: file_exists, path: .my-tool/store.db }]';
    const script = 'steps: ["my-tool create --title milk", "sleep 600"]\n';
    const scenario = toolScenario(gates, 'run: { timeout_secs: 2 }\n');
    const folder = await toolProject({ scenario, script });
    const run = await runTool(folder);
    const interaction = { completed: false, total_commands: 1 };
    expect(onlyTrial(run)).toMatchObject({ outcome: 'pass', timedOut: true, interaction });
    const { stdout } = await assay(['report', 'latest', '--format', 'console'], { cwd: folder });
    expect(readFileSync(stdout.trim(), 'utf8')).toContain('1 passed, 1 judged after a time-out of the agent');
  });

  it('gives a composite score only when it is configured', async () => {
    const gates = '[{ type: command_succeeds, command: my-tool doctor }, { type: file_exists, path: none }]';
    const script = 'steps: ["my-tool list", "my-tool bad"]\n';
    const without = onlyTrial(await runTool(await toolProject({ scenario: toolScenario(gates), script })));
    expect(without).not.toHaveProperty('composite_score');
    const scenario = toolScenario(gates, '  composite: {}\n');
    const trial = onlyTrial(await runTool(await toolProject({ scenario, script })));
    expect(trial.composite_score).toBeCloseTo((0.35 * 0.5 + 0.1 * 0.5) / 0.45, 10);
  });

  it('names the source of the error when there is no such agent', async () => {
    const folder = await toolProject({ scenario: toolScenario('[]'), script: 'steps: [my-tool list]\n' });
    const missing = await runTool(folder, ['--agent', 'claude-code'], { ANTHROPIC_API_KEY: 'key-that-is-never-used' });
    expect(onlyTrial(missing)).toMatchObject({ outcome: 'error', fault: { code: 'AGENT_MISSING', blame: 'user' } });
    expect(missing.exitCode).toBe(3);
    const unknown = await runTool(folder, ['--tool', 'scrypted']);
    expect(unknown).toMatchObject({ exitCode: 2, trials: [] });
    expect(unknown.stderr).toContain('There is no agent "scrypted".\n  Did you mean `scripted`?');
  });

  it('does not try a tool that is not healthy', async () => {
    const scenario = toolScenario('[]').replace(
      '  binary: my-tool\n',
      '  binary: my-tool\n  health_check: my-tool sick\n',
    );
    const run = await runTool(await toolProject({ scenario, script: 'steps: [my-tool list]\n' }));
    expect(onlyTrial(run)).toMatchObject({
      outcome: 'error',
      fault: { code: 'HEALTH_CHECK_FAILED', blame: 'target', message: expect.stringContaining('unknown command sick') },
    });
    expect(run.exitCode).toBe(3);
  });

  it('checks the health again after the trial where the scenario wants it', async () => {
    const scenario = (after: string): string =>
      toolScenario('[{ type: file_exists, path: done }]').replace(
        '  binary: my-tool\n',
        `  binary: my-tool\n  health_check: test ! -e broken\n${after}`,
      );
    const script = 'steps: [my-tool list, touch done, touch broken]\n';
    const once = await runTool(await toolProject({ scenario: scenario(''), script }));
    expect(onlyTrial(once).outcome).toBe('pass');
    const after = scenario('  health_check_after: true\n');
    const broken = await runTool(await toolProject({ scenario: after, script }));
    expect(onlyTrial(broken)).toMatchObject({
      outcome: 'error',
      fault: {
        code: 'HEALTH_CHECK_FAILED',
        message: expect.stringContaining('After the agent ended, the health check'),
      },
    });
    const healthy = await runTool(
      await toolProject({ scenario: after, script: 'steps: [my-tool list, touch done]\n' }),
    );
    expect(onlyTrial(healthy).outcome).toBe('pass');
    const wrong = await toolProject({ scenario: scenario('  health_check_after: sometimes\n'), script });
    const refused = await assay(['run', 'scenario.yaml'], { cwd: wrong, env: toolEnvironment(wrong) });
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('health_check_after') });
  });

  it('is refused where LLM_TOOL_TEST_ENABLED turns it off, and runs where it is on, empty or not set', async () => {
    const scenario = toolScenario('[{ type: file_exists, path: done }]');
    const folder = await toolProject({ scenario, script: 'steps: [my-tool list, touch done]\n' });
    for (const value of ['0', 'true']) {
      const env = { ...toolEnvironment(folder), LLM_TOOL_TEST_ENABLED: value };
      const refused = await assay(['run', 'scenario.yaml'], { cwd: folder, env });
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(`LLM_TOOL_TEST_ENABLED is "${value}", so "`);
      expect((await assay(['runs', '--json'], { cwd: folder })).stdout).toBe('[]\n');
      expect(await assay(['scenarios', 'scenario.yaml'], { cwd: folder, env })).toMatchObject({ exitCode: 0 });
    }
    for (const value of ['1', '']) {
      expect(onlyTrial(await runTool(folder, [], { LLM_TOOL_TEST_ENABLED: value })).outcome).toBe('pass');
    }
    await writeFiles(folder, {
      'add.mjs': 'export const add = ({ n }) => n + 1;\n',
      'add.yaml':
        'name: add\ncall: { module: ./add.mjs, export: add }\ninput: { n: 1 }\npassCriteria: [result === 2]\n',
    });
    const env = { LLM_TOOL_TEST_ENABLED: '0' };
    expect(await assay(['run', 'add.yaml'], { cwd: folder, env })).toMatchObject({ exitCode: 0 });
  });

  it('goes on when the setup fails, and says so', async () => {
    const scenario = toolScenario(
      '[{ type: file_exists, path: made }, { type: file_exists, path: done }]',
      'setup: { commands: ["exit 3", "touch made"] }\n',
    );
    const run = await runTool(await toolProject({ scenario, script: 'steps: [my-tool list, touch done]\n' }));
    const trial = onlyTrial(run);
    expect(trial.outcome).toBe('pass');
    const events = await readFile(join(run.folder, '.assay/artifacts', trial.artifacts ?? '', 'events.jsonl'), 'utf8');
    expect(events).toContain('Setup failed, so the results may be invalid');
  });

  it('leaves the files of the contract behind', async () => {
    const gates = '[{ type: file_exists, path: .my-tool/store.db }]';
    const run = await runTool(
      await toolProject({ scenario: toolScenario(gates), script: 'steps: ["my-tool create --title milk"]\n' }),
    );
    const folder = join(run.folder, '.assay/artifacts', onlyTrial(run).artifacts ?? '');
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    expect(JSON.parse(await read('metrics.json'))).toMatchObject({ gates_passed: 1, gates_total: 1, outcome: 'Pass' });
    expect(JSON.parse(await read('run.json'))).toMatchObject({ scenario_id: 'Items', tool: 'scripted' });
    expect(await read('evaluation.md')).toContain('Gates Passed | 1/1');
    expect(await read('report.md')).toContain('## Execution');
    expect(await read('transcript.raw.txt')).toBe('created\n');
    expect(await read('transcript.human.txt')).toContain('my-tool create --title milk');
    expect(
      (await read('events.jsonl'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).event),
    ).toEqual(expect.arrayContaining(['spawn', 'tool_call', 'tool_result', 'complete']));
    expect(await read('fixture/.my-tool/store.db')).toBe('milk\n');
  });

  it('lists the trials and their cost without running them', async () => {
    const folder = await toolProject({ scenario: toolScenario('[]'), script: 'steps: [my-tool list]\n' });
    const result = await assay(['run', 'scenario.yaml', '--dry-run', '--agent', 'codex', '--model', 'gpt-4o'], {
      cwd: folder,
    });
    expect(result.stdout).toMatch(/Items \(codex, gpt-4o\) {2}1 trial/);
    expect(result.stdout).toMatch(/Cost: at least \$0\.0\d+/);
    expect(result.stdout).toContain('Nothing was run.');
    expect(result.exitCode).toBe(0);

    const scenario = toolScenario('[{ type: file_exists, path: done }]');
    const reused = await toolProject({ scenario, script: 'steps: [my-tool list, touch done]\n' });
    const options = { cwd: reused, env: toolEnvironment(reused) };
    await assay(['run', 'scenario.yaml', '--reuse', '-q'], options);
    const again = await assay(['run', 'scenario.yaml', '--reuse', '--dry-run'], options);
    expect(again.stdout).toMatch(/prompt about \d+ tokens, .*, 1 reused/);
    expect(again.stdout).toContain('1 trial would run, 1 of them reused from earlier runs. Nothing was run.');
    expect(JSON.parse((await assay(['runs', '--json'], options)).stdout)).toHaveLength(1);
  });
});
