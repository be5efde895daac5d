import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const bot = `import { text } from 'node:stream/consumers';
const { messages } = JSON.parse(await text(process.stdin));
console.log('<think>hm</think> heard: ' + messages.map(({ content }) => content).join(' | '));
`;

const conversation = (transform: string, code: string) => `name: Thinking
connector:
  type: command
  transform: ${transform}
  config: { command: node bot.mjs }
userMessages: [one, two]
evaluators:
  - { type: not-contains, config: { text: '[thought]' }, when: every-turn }
  - { type: javascript, config: { code: '${code}' }, when: final }
`;

async function run(scenario: string) {
  const cwd = await temporaryFolder({
    's.yaml': scenario,
    'bot.mjs': bot,
    'strip.ts': "export const strip = (output: string): string => output.replace(/<think>.*?<\\/think> /, '');\n",
  });
  const result = await assay(['run', 's.yaml', '--json'], { cwd });
  return { ...result, trial: result.stdout === '' ? undefined : JSON.parse(result.stdout).trials[0] };
}

it('the judged answer is made by JavaScript, and the agent keeps its own words', async () => {
  const code = 'output === "HEARD: ONE | <THINK>HM</THINK> HEARD: ONE | TWO"';
  const { trial } = await run(conversation("[{ module: strip.ts, export: strip }, 'output.toUpperCase()']", code));
  expect(trial).toMatchObject({ outcome: 'pass' });
});

it.each([
  ["'output.nothing'", 'it returned nothing'],
  ["'output.no.field'", 'it threw TypeError'],
  ["'while (true);'", undefined],
])('a transform that fails makes the trial an error: %s', async (transform, reason) => {
  if (reason === undefined) {
    const stuck = await run(`${conversation(transform, 'true')}timeoutSecs: 2\n`);
    expect(stuck.trial).toMatchObject({ outcome: 'error' });
    return;
  }
  const { trial } = await run(conversation(transform, 'true'));
  expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'CODE_FAILED', blame: 'user' } });
  expect(trial.reason).toContain(reason);
});

it.each([
  ["'output +'", 'the code cannot be used'],
  ['{ module: none.mjs }', 'there is no file none.mjs'],
])('a transform that cannot run is refused: %s', async (transform, problem) => {
  const refused = await run(conversation(transform, 'true'));
  expect(refused).toMatchObject({ exitCode: 2, trial: undefined });
  expect(refused.stderr).toMatch(/s\.yaml:\d+:\d+: /);
  expect(refused.stderr).toContain(problem);
});
