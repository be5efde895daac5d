import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../src/compose/program.ts';
import { eventsOf } from '../../src/domain/trace.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { makeImage, runEngine } from './container-image.ts';

const example = fileURLToPath(new URL('../../examples/task-folders', import.meta.url));
const env = { ASSAY_CONTAINER_ENGINE: process.env.ASSAY_CONTAINER_ENGINE ?? 'podman' };
/** With the shell and the tools of the image of the example, and Node.js. */
const image = 'localhost/assay-busybox:latest';

beforeAll(() => makeImage(image));

type Files = Readonly<Record<string, string>>;

/** One task of the example, with some of its files replaced. */
async function project(task: string, changes: Files = {}): Promise<string> {
  const folder = await temporaryFolder();
  cpSync(join(example, 'tasks', task), join(folder, 'task'), { recursive: true });
  for (const name of ['agent.yaml', 'assay.config.yaml']) cpSync(join(example, name), join(folder, name));
  await writeFiles(folder, changes);
  return folder;
}

async function run(task: string, changes: Files = {}, more: readonly string[] = []) {
  const cwd = await project(task, changes);
  const { stdout, stderr } = await assay(['run', 'task', '--json', '--no-cache', ...more], {
    cwd,
    env: { ...env, HERE: cwd },
  });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const [trial] = JSON.parse(stdout).trials;
  const { trace } = JSON.parse((await assay(['show', trial.trialId, '--json'], { cwd })).stdout);
  expect(containersAndNetworks()).toBe('');
  return { trial, trace, text: JSON.stringify(trace), artifacts: join(cwd, '.assay/artifacts', trial.artifacts ?? '') };
}

function containersAndNetworks(): string {
  const label = ['--filter', 'label=assay.owner', '-q'];
  return runEngine('ps', '-a', ...label) + runEngine('network', 'ls', ...label);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(100);
}

/** A script of the agent that does other things in tasks whose instructions have these words. */
const agent = (commands: Readonly<Record<string, string>>): Files => ({
  'agent.yaml': JSON.stringify({
    steps: Object.entries(commands).map(([words, command]) => ({ when: { prompt_contains: words }, run: command })),
  }),
});

const rewardOf = (trial: { evaluatorResults: readonly { value: number; reason: string }[] }) =>
  trial.evaluatorResults[0];

describe('the steps of a task', () => {
  const task = 'build-and-document';
  const build = "echo 'echo hello' > greet.sh";
  const document = 'cat title.txt > README.md';

  it('are taken in one container, each with its own tests, which no agent sees', async () => {
    const look = 'ls /tests /logs/verifier; cat /tests/helper.sh /tests/test.sh; touch looked';
    const { trial, trace, text, artifacts } = await run(
      task,
      agent({ 'greet.sh': `${build}; ${look}`, 'README.md': `[ -f looked ] && ${document}; ${look}` }),
    );
    expect(trial).toMatchObject({
      outcome: 'pass',
      gates: [{ detail: { steps: [{ name: 'build', rewards: { reward: 1 } }, { name: 'document' }] } }],
    });
    expect(text).not.toContain('give()');
    expect(eventsOf(trace, 'message').filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(eventsOf(trace, 'script').map(({ phase }) => phase)).toEqual(['post', 'setup', 'post']);
    expect(eventsOf(trace, 'gap')).toEqual([]);
    expect(readFileSync(join(artifacts, 'steps/build/reward.txt'), 'utf8')).toBe('1\n');
  });

  it('end with one whose reward is too low, and what was not reached is not a pass', async () => {
    const { trial, text } = await run(task, { ...agent({ 'greet.sh': 'true', 'README.md': document }) });
    expect(trial.outcome).toBe('fail');
    expect(rewardOf(trial)).toMatchObject({ value: 0, reason: expect.stringContaining('not reached: document') });
    expect(text).not.toContain('title in `title.txt`');
  });

  it('are a fail with the reward of the format where a full one is not enough for the next', async () => {
    const toml = readFileSync(join(example, 'tasks', task, 'task.toml'), 'utf8').replace(
      'min_reward = 1.0',
      'min_reward = { other = 1 }',
    );
    const { trial } = await run(task, { 'task/task.toml': toml });
    expect(trial.outcome).toBe('fail');
    expect(rewardOf(trial)).toMatchObject({ value: 1, reason: expect.stringContaining('not reached: document') });
  });

  it.each<[string, Files, string]>([
    ['no reward', { 'task/steps/document/tests/test.sh': '#!/bin/sh\nexit 0\n' }, 'NO_REWARD'],
    ['a setup that fails', { 'task/steps/document/workdir/setup.sh': '#!/bin/sh\nexit 3\n' }, 'WORKSPACE_FAILED'],
    [
      'a step that is not ready',
      { 'task/steps/document/workdir/setup.sh': '#!/bin/sh\ntrue\n' },
      'HEALTH_CHECK_FAILED',
    ],
    [
      'a test that does not end',
      {
        'task/steps/build/tests/test.sh': '#!/bin/sh\necho 1 > /logs/verifier/reward.txt\nsleep 100\n',
        ...shortTests(task),
      },
      'NO_REWARD',
    ],
  ])('are an error with %s', async (_name, changes, code) => {
    const { trial } = await run(task, changes);
    expect(trial).toMatchObject({ outcome: 'error', fault: { code } });
  });

  it('do not take a reward that the agent left', async () => {
    const forge = 'echo 1 > /logs/verifier/reward.txt; echo 1 > /logs/verifier/reward.json';
    const { trial } = await run(task, {
      ...agent({ 'greet.sh': `${build}; ${forge}`, 'README.md': forge }),
      'task/steps/document/tests/test.sh':
        '#!/bin/sh\nfound=$(ls /logs/verifier | wc -l)\necho $((1 - found)) > /logs/verifier/reward.txt\n',
    });
    expect(rewardOf(trial)).toMatchObject({ value: 1 });
  });
});

function shortTests(task: string): Files {
  const toml = readFileSync(join(example, 'tasks', task, 'task.toml'), 'utf8');
  return { 'task/task.toml': toml.replaceAll('timeout_sec = 30.0', 'timeout_sec = 3.0') };
}

describe('a container for the verifier', () => {
  const task = 'write-a-report';
  const work =
    'mkdir -p report; echo done > report/status.txt; echo x > notes.txt; echo y > /app/other.txt; echo z > /tmp/z';
  const looking = (condition: string): Files => ({
    'task/tests/test.sh': `#!/bin/sh\nreward=0\n${condition} && reward=1\necho $reward > /logs/verifier/reward.txt\n`,
  });

  it('has the artifacts, its own files and nothing else of the agent', async () => {
    const isOnlyThat =
      '[ -f /app/report/status.txt ] && [ -f /app/notes.txt ] && [ ! -e /app/other.txt ] && [ ! -e /tmp/z ] && [ -f /tests/expected.txt ] && [ "$WANTED" = done ]';
    const published =
      'mkdir -p /logs/artifacts; echo p > /logs/artifacts/p; ln -s /tests/expected.txt /logs/artifacts/link';
    const { trial, artifacts } = await run(task, {
      ...agent({ report: `${work}; ${published}` }),
      ...looking(`${isOnlyThat} && [ -f /logs/artifacts/p ] && [ ! -e /logs/artifacts/link ]`),
    });
    expect(trial.outcome).toBe('pass');
    expect(existsSync(join(artifacts, 'logs/verifier/reward.txt'))).toBe(true);
  });

  it('is not led to its own files by links', async () => {
    const links =
      'mkdir -p report; ln -s /tests/expected.txt report/status.txt; ln -s ../tests/expected.txt report/up; echo ok > report/plain; ln -s plain report/kept; ln -s /tests/expected.txt notes.txt';
    const { trial, text } = await run(task, {
      ...agent({ report: links }),
      ...looking(
        '[ ! -e /app/report/status.txt ] && [ ! -e /app/report/up ] && [ ! -e /app/notes.txt ] && [ -e /app/report/kept ]',
      ),
    });
    expect(trial.outcome).toBe('pass');
    expect(text).toContain('did not get links and special files of /app/report: report/status.txt, report/up');
    expect(text).toContain('did not get /app/notes.txt');
  });

  it('fails work that is not there, and is an error without a reward or an image', async () => {
    expect((await run(task, agent({ report: 'true' }))).trial.outcome).toBe('fail');
    const without = await run(task, { 'task/tests/test.sh': '#!/bin/sh\ntrue\n' });
    expect(without.trial).toMatchObject({ outcome: 'error', fault: { code: 'NO_REWARD' } });
    const broken = await run(task, { 'task/tests/Dockerfile': 'FROM localhost/no-such:1\n' });
    expect(broken.trial).toMatchObject({ outcome: 'error', fault: { code: 'ISOLATION_UNAVAILABLE' } });
  });

  it('gets what services wrote down, which the agent cannot write', async () => {
    const forge = 'echo hello > /tmp/state.txt; mkdir -p /var/log; echo hello > /var/log/messages.txt';
    const { trial } = await run('leave-a-message', agent({ wget: forge }));
    expect(trial).toMatchObject({ outcome: 'fail', evaluatorResults: [{ value: 0 }] });
  });

  it('is not asked where evidence could not be collected', async () => {
    const toml = readFileSync(join(example, 'tasks/leave-a-message/task.toml'), 'utf8');
    const { trial } = await run('leave-a-message', {
      'task/task.toml': toml.replace(/(\[\[verifier\.collect\]\][\s\S]*?command = ).*/, '$1"exit 3"'),
    });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'NO_REWARD' } });
    expect(trial.fault.message).toContain('`exit 3`, which collects evidence in "board", failed');
  });
});

describe('the services of a task', () => {
  const task = 'read-an-api';
  const compose = readFileSync(join(example, 'tasks', task, 'environment/docker-compose.yaml'), 'utf8');

  it.each<[string, string, string]>([
    [
      'does not become ready',
      compose.replace('test -s /www/value.txt', 'false').replace('retries: 20', 'retries: 2'),
      'The service "api" was not ready',
    ],
    [
      'ends at once',
      compose
        .replace('    expose', '    command: ["sh", "-c", "echo broken; exit 4"]\n    expose')
        .replace(/ {4}healthcheck:[\s\S]*/, ''),
      'ended before the trial did, with exit code 4: broken',
    ],
    [
      'has no image',
      compose.replace(/build:\n.*\n/, 'image: localhost/no-such:1\n'),
      'The service "api" could not be started',
    ],
  ])('are an error where one %s', async (_name, written, message) => {
    const { trial, trace } = await run(task, { 'task/environment/docker-compose.yaml': written });
    expect(trial).toMatchObject({ outcome: 'error', fault: { message: expect.stringContaining(message) } });
    expect(eventsOf(trace, 'agent-started')).toEqual([]);
  });

  it('are an error where one ends while the agent works', async () => {
    const mortal = 'httpd -p 8000 -h /www; while [ ! -e /tmp/over ]; do sleep 0.1; done; exit 5';
    const { trial } = await run('leave-a-message', {
      ...agent({ wget: 'wget -q -O /dev/null "http://board:8000/cgi-bin/say?hello"; sleep 2' }),
      'task/environment/board/say': '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\ntouch /tmp/over\n',
      'task/environment/docker-compose.yaml': JSON.stringify({
        services: { board: { build: './board', command: ['sh', '-c', mortal] } },
      }),
    });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'HEALTH_CHECK_FAILED' } });
    expect(trial.fault.message).toContain('The service "board" ended before the trial did');
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('are removed with their network after %s', async (signal) => {
    const cwd = await project(task, agent({ 'value.txt': 'sleep 600' }));
    const args = [programFile(), 'run', 'task', '--no-cache'];
    const ended = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
    await until(
      () => runEngine('ps', '--filter', 'label=assay.owner', '--format', '{{.Names}}').split('\n').length === 2,
    );
    ended.kill(signal);
    await once(ended, 'exit');
    await until(() => containersAndNetworks() === '');
  });
});

describe('the MCP servers of a task', () => {
  it.each(['public', 'no-network'])('are those of the agent, beside its model, with the network %s', async (mode) => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Hello back.' }] });
    const toml = readFileSync(join(example, 'tasks/ask-the-oracle/task.toml'), 'utf8').replace('no-network', mode);
    const settings = { baseUrl: `${model.url}/v1`, apiKey: 'sk-of-the-test-0123456789', format: 'text' };
    const support = fileURLToPath(new URL('../../src/testing/support/mcp-agent.mjs', import.meta.url));
    const command = 'node ${HERE}/ask.mjs && node ${HERE}/mcp-agent.mjs | tee /app/secret.txt';
    const { trial, trace } = await run(
      'ask-the-oracle',
      {
        'task/task.toml': toml,
        'task/instruction.md': 'call secret\n',
        'mcp-agent.mjs': readFileSync(support, 'utf8'),
        'ask.mjs': `const body = JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] });
        const headers = { authorization: 'Bearer ' + process.env.ASSAY_API_KEY, 'content-type': 'application/json' };
        await fetch(process.env.ASSAY_BASE_URL + '/chat/completions', { method: 'POST', headers, body });`,
        'assay.config.yaml': JSON.stringify({ agents: { mine: { kind: 'command', command, ...settings } } }),
      },
      ['--agent', 'mine', '--model', 'test-model'],
    );
    expect(trial, JSON.stringify(trial.fault)).toMatchObject({ outcome: 'pass' });
    expect(eventsOf(trace, 'model-call')).toHaveLength(1);
    expect(eventsOf(trace, 'mcp-server')).toMatchObject([{ label: 'oracle', transport: 'shttp', name: 'oracle' }]);
    expect(eventsOf(trace, 'tool-call').filter(({ seenBy }) => seenBy === 'recorder')).toMatchObject([
      { tool: 'secret' },
    ]);
  });
});
