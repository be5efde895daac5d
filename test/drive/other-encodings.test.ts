import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { testedTiers } from '../../src/testing/support/tested-tiers.ts';

const [tier = 'none'] = await testedTiers();

/** Prints `café` as Latin-1: the last byte is not UTF-8. */
const printsLatin1 = (before: string, after = ''): string => `cat > /dev/null\nprintf '${before}caf\\351${after}'\n`;
const assertion = '[{ type: not-contains, config: { text: café } }]';

it.each([
  ['a program that is called', 'call: { command: sh said.sh }\ninput: {}\n', printsLatin1('{"said":"', '"}')],
  [
    'a program that answers',
    'connector: { type: command, config: { command: sh said.sh } }\nuserMessages: [Hi]\n',
    printsLatin1(''),
  ],
])('text in another encoding is not an answer in which something is missing: %s', async (_, target, script) => {
  const cwd = await temporaryFolder({
    's.yaml': `name: said\n${target}evaluators: ${assertion}\n`,
    'said.sh': script,
  });
  const { exitCode, stdout } = await assay(['run', 's.yaml'], { cwd });
  expect(stdout).toContain('that is not UTF-8');
  expect(exitCode).toBe(3);
});

it('lines of an agent in another encoding are named in what was observed', async () => {
  const project = await toolProject({
    scenario: toolScenario('[{ type: file_exists, path: made }]', `isolation: ${tier}\n`),
    script: '',
    files: {
      'assay.config.yaml': 'agent: mine\nagents: { mine: { command: sh agent.sh, format: text } }\n',
      'template/agent.sh': "my-tool list; touch made; printf 'caf\\351\\nfine\\n'",
    },
  });
  expect(onlyTrial(await runTool(project))).toMatchObject({
    coverage: {
      answers: { state: 'partial', reasons: ["1 line of the agent's output could not be read as UTF-8"] },
    },
  });
});
