import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  onlyTrial,
  runTool,
  toolEnvironment,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const [tier = 'none'] = await testedTiers();

interface Work {
  readonly gates: string;
  readonly does: string;
  readonly more?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A project whose agent is a program that runs a script, and ends as the script does. */
const projectOf = ({ gates, does, more = '', files = {} }: Work): Promise<string> =>
  toolProject({
    scenario: toolScenario(gates, `isolation: ${tier}\n${more}`),
    script: '',
    files: {
      'assay.config.yaml': 'agent: mine\nagents: { mine: { command: sh agent.sh, format: text } }\n',
      'template/agent.sh': does,
      ...files,
    },
  });

const trialOf = async (work: Work) => onlyTrial(await runTool(await projectOf(work)));

describe('whose fault it is', () => {
  const gates = '[{ type: file_exists, path: made }]';

  it('an agent that used the tool and gave up is judged by its work', async () => {
    expect(await trialOf({ gates, does: 'my-tool bogus || exit 9' })).toMatchObject({ outcome: 'fail' });
  });

  it('an agent that failed before it did anything is not', async () => {
    expect(await trialOf({ gates, does: 'exit 9' })).toMatchObject({
      outcome: 'error',
      fault: { code: 'AGENT_FAILED' },
    });
  });

  it.each(['sh ../gates/nothere.sh', 'python3 nothere.py', 'nosuchprogram'])(
    'a missing grader is a fault of the scenario: %s',
    async (command) => {
      const trial = await trialOf({
        gates: JSON.stringify([{ type: 'command_succeeds', command }]),
        does: 'my-tool list',
      });
      expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'GRADER_FAILED', blame: 'user' } });
    },
  );

  it('is said by `validate`', async () => {
    const commands = [
      'sh ../gates/nothere.sh',
      'python3 nothere.py',
      'npm test',
      'my-tool list',
      'nosuchprogram --check | grep -q ok',
      'sh "$ASSAY_SCENARIO_FOLDER/gates/gone.sh"',
      'for one in *.md; do test -f "$one"; done && ! false',
    ];
    const folder = await projectOf({
      gates: JSON.stringify(commands.map((command) => ({ type: 'command_succeeds', command }))),
      does: 'true',
      more: 'scripts: { post: [{ command: nosuchreport > report.txt }] }\n',
    });
    const { stdout, stderr } = await assay(['validate', 'scenario.yaml'], { cwd: folder });
    const said = `${stdout}${stderr}`;
    expect(said).toContain('`../gates/nothere.sh`, which is outside the work directory');
    expect(said).toContain('`nothere.py`, which is not in the template');
    expect(said).toContain('`npm test` runs code that the agent wrote');
    expect(said).toContain('the gate runs `nosuchprogram`, which is not a program on PATH');
    expect(said).toContain('/gates/gone.sh`, which does not exist');
    expect(said).toContain('the script runs `nosuchreport`, which is not a program on PATH');
    expect(said.match(/the (?:gate|script) runs/g)).toHaveLength(5);
  });

  it('a solution beside the scenario is found', async () => {
    const folder = await projectOf({
      gates,
      does: 'true',
      more: 'solution: sh ./solution/solve.sh\n',
      files: { 'solution/solve.sh': 'touch made\n' },
    });
    const { exitCode, stdout, stderr } = await assay(['validate', 'scenario.yaml', '--prove'], {
      cwd: folder,
      env: toolEnvironment(folder),
    });
    expect(exitCode, `${stdout}${stderr}`).toBe(0);
  });
});

describe('gates about conduct', () => {
  const gates = '[{ type: file_exists, path: README.md }, { type: no_transcript_errors }]';

  it.each([
    ['pass', 'my-tool list'],
    ['fail', 'my-tool bogus; true'],
  ])('give a %s once a command was recorded', async (outcome, does) => {
    expect(await trialOf({ gates, does })).toMatchObject({ outcome });
  });

  it('prove nothing where nothing was done, unless the scenario means it', async () => {
    const idle = { gates, does: 'echo nothing' };
    expect(await trialOf(idle)).toMatchObject({ outcome: 'error', fault: { code: 'NOTHING_PROVEN' } });
    const meant = { ...idle, gates: `${gates}\n  proves: false` };
    expect(await trialOf(meant)).toMatchObject({ outcome: 'pass' });
  });
});

it.runIf(tier === 'bubblewrap')("a tool that mentions /tmp does not open the machine's", async () => {
  const secret = await temporaryFolder({ 'of-another-trial': 'secret' });
  const folder = await projectOf({
    gates:
      '[{ type: file_contains, path: found, substring: mine }, { type: command_succeeds, command: "! grep -q secret found" }]',
    does: `echo mine > /tmp/mine && cat /tmp/mine > found; cat ${secret}/of-another-trial >> found; my-tool list`,
    files: { 'bin/my-tool': '#!/bin/sh\nT=${TMPDIR:-/tmp}\nls /tmp /var/tmp "$T" > /dev/null\n' },
  });
  expect(onlyTrial(await runTool(folder))).toMatchObject({ outcome: 'pass' });
});
