import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { gapsIn } from '../../src/domain/trace-coverage/coverage.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import {
  onlyTrial,
  runTool,
  type ToolRun,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const tools = `tools:
  my-tool:
    - when: { args: [create, --title, '*'], exact: true }
      stdout: "created {{args.2}} in call {{call}}"
      files: { "notes/{{args.2}}.txt": "{{args}}", README.md: null }
    - { when: { args: [import], stdin: milk }, stdout: { imported: "{{stdin}}" }, delay: 5 }
    - { when: { args: [list], call: 4 }, stderr: "locked\\n", exitCode: 7 }
    - { when: { args: [list] }, real: true }
  wc: [{ when: { args: [-m] }, stdout: mocked }, { real: true }]
`;

const steps = [
  'my-tool create --title tea',
  'echo milk | my-tool import',
  'echo bread | my-tool import; echo "exit $?"',
  'my-tool list',
  'my-tool list',
  'printf "a\\nb\\n" | while read line; do wc -m; printf "$line$line" | wc -c; done',
  'cat notes/tea.txt; ls README.md || true',
];

const gates =
  '[{ type: file_exists, path: notes/tea.txt }, { type: command_output_contains, command: my-tool create --title real, substring: created }]';

interface MockedTrial {
  readonly control?: Readonly<Record<string, number>>;
  readonly unusedMocks?: readonly string[];
}

async function traceOf({ folder }: ToolRun, trialId: string): Promise<Trace> {
  const shown = await assay(['show', trialId, '--json'], { cwd: folder });
  return (JSON.parse(shown.stdout) as { trace: Trace }).trace;
}

/** A project whose agent takes the steps in the given isolation; `FOLDER` in them is that of the project. */
async function projectIn(isolation: string, scenario: string, taken: readonly string[]): Promise<string> {
  const folder = await toolProject({ scenario, script: '' });
  const script = JSON.stringify(taken).replaceAll('FOLDER', folder);
  const config = `isolation: ${isolation}\nagent: scripted\nagents: { scripted: { script: script.yaml } }\n`;
  await writeFiles(folder, { 'script.yaml': `steps: ${script}\n`, 'assay.config.yaml': config });
  return folder;
}

const graders = expect.stringContaining('does not keep files and processes of the agent');

describe('a mocked program', () => {
  it.for(['none', 'bubblewrap'])(
    'answers in place of the real one, which gates still reach (%s)',
    async (isolation, { skip }) => {
      const scenario = toolScenario(gates, tools).replace(/command_pattern.*/, 'binaries: [wc]');
      const byPath = ['FOLDER/bin/my-tool create --title cake', 'FOLDER/bin/my-tool list', '/usr/bin/wc -c README'];
      const taken = isolation === 'none' ? steps : [...steps, ...byPath];
      const run = await runTool(await projectIn(isolation, scenario, taken));
      const trial = onlyTrial(run);
      skip(trial.fault?.code === 'ISOLATION_UNAVAILABLE', 'bubblewrap does not work on this machine');
      const trace = await traceOf(run, trial.trialId);
      expect.soft(trial).toMatchObject({ outcome: 'pass', gates_passed: 2 });
      const commands = eventsOf(trace, 'command').map(({ argv, exitCode, stdout, stderr, answeredBy }) => [
        argv.join(' '),
        exitCode,
        `${stdout?.text}${stderr?.text}`,
        answeredBy,
      ]);
      const unmatched =
        'my-tool: no mock of this program matches these arguments: ["import"] with the input "bread\\n"\n';
      const expected = [
        ['my-tool create --title tea', 0, 'created tea in call 1', 'mock'],
        ['my-tool import', 0, '{"imported":"milk\\n"}\n', 'mock'],
        ['my-tool import', 126, unmatched, 'mock'],
        ['my-tool list', 7, 'locked\n', 'mock'],
        ['my-tool list', 0, '[]\n', undefined],
        ['wc -m', 0, 'mocked', 'mock'],
        ['wc -c', 0, '2\n', undefined],
        // A mock that does not ask for the input leaves it to the loop around it.
        ['wc -m', 0, 'mocked', 'mock'],
        ['wc -c', 0, '2\n', undefined],
        ['my-tool create --title cake', 0, 'created cake in call 6', 'mock'],
        ['my-tool list', 0, '[]\n', undefined],
        ['wc -c README', 1, 'wc: README: No such file or directory\n', undefined],
      ];
      expect.soft(commands).toEqual(isolation === 'none' ? expected.slice(0, 9) : expected);
      expect.soft((trial as MockedTrial).control).toEqual({ mock: isolation === 'none' ? 6 : 7 });
      expect.soft(eventsOf(trace, 'tool-control')[2]).toMatchObject({
        border: 'cli',
        tool: 'my-tool',
        callNumber: 3,
        kind: 'mock',
        rule: 'scenario.yaml:13:7',
        what: 'no mock matches the arguments ["import"] with the input "bread\\n"',
      });
      const results = eventsOf(trace, 'tool-result').map(({ result }) => result);
      expect.soft(JSON.stringify(results)).toContain('create --title tea');
      expect.soft(JSON.stringify(results)).toContain("cannot access 'README.md'");
      // Failures that Assay answered are neither the tool's nor the agent's.
      expect.soft(trial.interaction).toMatchObject({ error_count: isolation === 'none' ? 0 : 1 });
      const notices = eventsOf(trace, 'notice').map(({ message }) => message);
      const byPathOnly = (name: string) =>
        `calls of ${name} by its path were not controlled: this isolation cannot put files over others`;
      expect.soft(notices).toEqual(isolation === 'none' ? [byPathOnly('my-tool'), byPathOnly('wc'), graders] : []);
    },
  );

  it('that an agent reaches around its mocks gives no figures: its calls are in doubt', async () => {
    const mocked = 'tools: { my-tool: { stdout: mocked } }\n';
    const taken = ['my-tool list', 'ASSAY_TOOL_CONTROL=1 my-tool list', 'cd .. && ASSAY_TOOL_CONTROL=1 my-tool list'];
    const run = await runTool(await projectIn('none', toolScenario('[]', mocked), taken));
    const trial = onlyTrial(run);
    expect.soft(trial.interaction).toBeNull();
    const trace = await traceOf(run, trial.trialId);
    expect(eventsOf(trace, 'command').map(({ answeredBy }) => answeredBy)).toEqual(['mock', undefined, undefined]);
    expect(gapsIn(trace, 'commands')[0]?.reason).toBe('2 calls went around the control of the tool');
  });

  it('that answered no call is named; a call that no mock matches uses none', async () => {
    const mocked =
      'tools:\n  my-tool:\n    - { when: { args: [create] }, stdout: made }\n    - { when: { args: [list] }, stdout: mocked }\n';
    const run = await runTool(
      await projectIn('none', toolScenario('[{ type: file_exists, path: list.txt }]', mocked), [
        'my-tool list > list.txt',
        'my-tool ad || true',
      ]),
    );
    expect((onlyTrial(run) as MockedTrial).unusedMocks).toEqual(['scenario.yaml:13:7']);
    const { stdout } = await assay(['report', 'latest', '-f', 'markdown', '-o', '-'], { cwd: run.folder });
    expect(stdout).toMatch(/# Mocks that answered no call\n\n- `scenario\.yaml:13:7`\n/);
  });

  it('cannot fill in arguments that a call does not have: the trial is an error that names the mock', async () => {
    const mocked = 'tools: { my-tool: { stdout: "{{args.3}}" } }\n';
    const run = await runTool(await projectIn('none', toolScenario('[]', mocked), ['my-tool list || true']));
    expect(onlyTrial(run)).toMatchObject({
      outcome: 'error',
      fault: {
        code: 'MOCK_UNUSABLE',
        message: 'The mock at scenario.yaml:11:19 uses {{args.3}}, which the call does not have.',
      },
    });
  });
});
