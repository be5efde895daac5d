import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const agent = `export default ({ messages }) => ({ content: 'You said ' + messages.at(-1).content });`;
const connector = { type: 'module', config: { module: './agent.mjs' } };
const eight = Array.from({ length: 8 }, (_, index) => `message ${index + 1}`);

async function project(scenario: object, module = agent) {
  const cwd = await temporaryFolder({
    's.json': JSON.stringify({ name: 'Script', connector, ...scenario }),
    'agent.mjs': module,
  });
  return { cwd };
}

async function trialOf(scenario: object, module?: string) {
  const { stdout, stderr } = await assay(['run', 's.json', '--json'], await project(scenario, module));
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout).trials[0];
}

const avoids = (text: string) => [{ type: 'not-contains', config: { text } }];

describe('a script of the user', () => {
  it('is sent to its end, whatever the usual limit of messages is', async () => {
    const trial = await trialOf({ userMessages: eight, evaluators: avoids('message 6') });
    expect(trial).toMatchObject({ outcome: 'fail', turns: { length: 6 } });
    expect(await trialOf({ userMessages: eight, evaluators: avoids('message 9') })).toMatchObject({
      outcome: 'pass',
      turns: { length: 8 },
    });
  });

  it('is a problem of the file where its limit is too low for it', async () => {
    const scenario = { userMessages: eight, maxMessages: 10, evaluators: avoids('message 6') };
    for (const command of ['validate', 'run']) {
      const { exitCode, stderr, stdout } = await assay([command, 's.json'], await project(scenario));
      expect(exitCode).toBe(2);
      expect(stdout + stderr).toContain('8 messages of the user and their answers need 16');
      expect(stdout + stderr).toContain('Raise it to at least 16');
    }
    expect(await trialOf({ ...scenario, maxMessages: 16, evaluators: avoids('message 9') })).toMatchObject({
      outcome: 'pass',
    });
  });

  it('that an agent of many words leaves no room for is an error, never a pass', async () => {
    const wordy = `export default () => ({ messages: ['a', 'b', 'c'].map((content) => ({ role: 'assistant', content })) });`;
    const scenario = { userMessages: ['one', 'two', 'three'], maxMessages: 6, evaluators: avoids('message') };
    expect(await trialOf(scenario, wordy)).toMatchObject({ outcome: 'error', fault: { code: 'TURN_MISSING' } });
  });
});

describe('the time of a judge', () => {
  const scenario = {
    userMessages: ['one', 'two'],
    timeoutSecs: 1.5,
    judge: { model: 'openai/gpt-4o-mini' },
    successCriteria: 'The agent repeats the words',
  };

  it.each([
    ['slow', { delayMs: 1_600, rules: [{ reply: 'no verdict' }] }, /^JUDGE_UNREADABLE$/],
    ['refusing', { rules: [{ fault: { status: 401 } }] }, /^MODEL_/],
  ])('is not that of the agent: a %s one', async (_kind, script, code) => {
    await using judge = await startScriptedModel(script as Parameters<typeof startScriptedModel>[0]);
    const { cwd } = await project(scenario);
    const env = { OPENAI_API_KEY: 'sk-test', ...judge.environment };
    const { stdout } = await assay(['run', 's.json', '--json'], { cwd, env });
    const [trial] = JSON.parse(stdout).trials;
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: expect.stringMatching(code) } });
    expect(trial.fault.blame).not.toBe('target');
  });
});
