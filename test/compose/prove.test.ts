import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const holding = '[{ type: file_exists, path: README.md }, { type: command_succeeds, command: "my-tool doctor" }]';
const working = '[{ type: file_exists, path: README.md }, { type: command_succeeds, command: "my-tool search milk" }]';
const create = JSON.stringify({ steps: [{ run: 'my-tool create --title milk' }] });

async function prove(gates: string, more = '') {
  const folder = await toolProject({ scenario: toolScenario(gates, more), script: create });
  const env = { PATH: `${folder}/bin:${process.env.PATH}` };
  return assay(['validate', 'scenario.yaml', '--prove'], { cwd: folder, env });
}

describe('validate --prove', () => {
  it('refuses a scenario whose gates all hold before anybody has done anything', async () => {
    const { exitCode, stderr } = await prove(holding);
    expect(stderr).toContain('"Items" cannot fail: every gate holds before the agent has done anything');
    expect(exitCode).toBe(2);
  });

  it('warns of a single gate that holds already, and runs the solution', async () => {
    const { exitCode, stderr } = await prove(working, 'solution: my-tool create --title milk\n');
    expect(stderr).toContain('warning: scenario.yaml:1:1: the gate file_exists of "Items" holds before');
    expect(stderr).not.toContain('command_succeeds');
    expect(exitCode).toBe(0);
  });

  it('refuses a solution that does not pass its gates', async () => {
    const { exitCode, stderr } = await prove(working, 'solution: my-tool create --title bread\n');
    expect(stderr).toContain('the solution of "Items" does not pass the gate command_succeeds');
    expect(exitCode).toBe(2);
  });

  it('refuses a test of a function that passes whatever it returns', async () => {
    const call = (criterion: string) =>
      `name: Sum\ncall: { module: ./sum.mjs, export: sum }\ncases:\n  - { input: { a: 1 }, passCriteria: ['${criterion}'] }\n`;
    const folder = await temporaryFolder({
      'sum.mjs': 'export const sum = () => 3;\n',
      'vain.yaml': call('result !== 4'),
      'good.yaml': call('result === 3'),
    });
    const vain = await assay(['validate', 'vain.yaml', '--prove'], { cwd: folder });
    expect(vain.stderr).toContain('of "Sum" cannot fail: it passes with no result');
    expect(vain.exitCode).toBe(2);
    expect(await assay(['validate', 'good.yaml', '--prove'], { cwd: folder })).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  it('warns of a conversation that a refusal passes', async () => {
    const talk = (check: string) =>
      `name: Booking\nconnector: { type: http, baseUrl: "http://127.0.0.1:9" }\nmessages: [{ role: user, content: Book a flight. }]\nmaxMessages: 2\nevaluators: [${check}]\n`;
    const folder = await temporaryFolder({
      'vain.yaml': talk('{ type: not-contains, config: { text: sorry } }'),
      'good.yaml': talk('{ type: contains, config: { text: booked } }'),
    });
    const vain = await assay(['validate', 'vain.yaml', '--prove'], { cwd: folder });
    const good = await assay(['validate', 'good.yaml', '--prove'], { cwd: folder });
    expect([vain.exitCode, good.exitCode, vain.stderr, good.stderr]).toEqual([
      0,
      0,
      expect.stringContaining('passes with the answer "I cannot help with that."'),
      '',
    ]);
  });
});

describe('a run', () => {
  it('does not pass a trial whose gates all held before the agent started', async () => {
    const folder = await toolProject({ scenario: toolScenario(holding), script: create });
    const run = await runTool(folder);
    expect(onlyTrial(run)).toMatchObject({ outcome: 'error', fault: { code: 'NOTHING_PROVEN', blame: 'user' } });
    expect(run.exitCode).toBe(2);
  });

  it('judges a trial with one gate that did not hold', async () => {
    const folder = await toolProject({ scenario: toolScenario(working), script: create });
    expect(onlyTrial(await runTool(folder))).toMatchObject({ outcome: 'pass' });
  });
});
