import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { loadCliTools, onlyScenario } from '../../../../testing/support/llm-tool-test.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

const toml = `schema_version = "1.1"
[task]
name = "org/hello"
description = "Says hello"
keywords = ["easy"]
[metadata]
tags = ["files", "easy"]
[agent]
timeout_sec = 120.0
[verifier]
timeout_sec = 45.0
env = { MODE = "strict" }
[solution]
[environment]
build_timeout_sec = 300.0
cpus = 2
memory_mb = 512
allow_internet = false
env = { GREETING = "hello" }
healthcheck = { command = "test -d /app", retries = 3 }
`;

const harbor = {
  't/task.toml': toml,
  't/instruction.md': 'Say hello.\n',
  't/environment/Dockerfile': 'FROM base\n',
  't/environment/data.yaml': 'name: x\ncall: y\ninput: 1\n',
  't/tests/test.sh': '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n',
  't/solution/solve.sh': '#!/bin/sh\ntrue\n',
};

const yaml =
  'instruction: |\n  Say hello.\nauthor_email: a@example.com\ndifficulty: easy\nmax_agent_timeout_sec: 90\ntags: [a]\n';
const terminalBench = {
  't/task.yaml': yaml,
  't/Dockerfile': 'FROM base\n',
  't/docker-compose.yaml': 'services:\n  client:\n    build: .\n',
  't/run-tests.sh': '#!/bin/bash\npytest $TEST_DIR -rA\n',
  't/tests/test_outputs.py': 'def test_it(): pass\n',
  't/solution.sh': 'true\n',
};

type Files = Readonly<Record<string, string | undefined>>;

async function load(files: Files) {
  const present = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const folder = await temporaryFolder(Object.fromEntries(present));
  return { folder, loaded: await loadCliTools(folder, ['t']) };
}

async function problems(files: Files): Promise<string[]> {
  return (await load(files)).loaded.problems.map(formatProblem);
}

async function warnings(files: Files): Promise<string[]> {
  return (await load(files)).loaded.warnings.map(formatProblem);
}

describe('a task folder of Harbor', () => {
  it('is a scenario of the container tier, and its other files are not scenarios', async () => {
    const { folder, loaded } = await load(harbor);
    expect([loaded.problems, loaded.warnings, loaded.otherFiles]).toEqual([[], [], ['t/environment/data.yaml']]);
    const { scenario, task, config } = await onlyScenario(loaded);
    const directory = join(folder, 't');
    expect(scenario).toMatchObject({
      name: 'org/hello',
      description: 'Says hello',
      tags: ['easy', 'files'],
      timeoutMs: 120_000,
    });
    expect(config).toMatchObject({
      prompt: 'Say hello.\n',
      isolation: 'container',
      imageFolder: true,
      dockerfile: join(directory, 'environment/Dockerfile'),
      buildTimeoutSecs: 300,
      cpus: 2,
      memoryMb: 512,
      network: 'model-only',
      env: { GREETING: 'hello' },
      healthCheck: 'test -d /app',
      stagedFolders: [{ from: join(directory, 'tests'), to: '/tests' }],
      logsFolder: '/logs',
      solution: 'sh /solution/solve.sh',
      solutionFolder: { from: join(directory, 'solution'), to: '/solution' },
    });
    expect(task.evaluators).toEqual([
      {
        type: 'reward',
        config: {
          command: 'bash /tests/test.sh',
          timeout_secs: 45,
          env: { MODE: 'strict' },
          from: 'reward-file',
          threshold: 1,
        },
      },
    ]);
  });

  it.each([
    ['allow_internet = true', 'open'],
    ['network_mode = "public"', 'open'],
    ['network_mode = "no-network"', 'model-only'],
    ['network_mode = "allowlist"\nallowed_hosts = ["example.com"]', { allow: ['example.com'] }],
    ['allowed_hosts = ["example.com"]', { allow: ['example.com'] }],
  ])('with %j has the network %j', async (written, network) => {
    const { loaded } = await load({ ...harbor, 't/task.toml': toml.replace('allow_internet = false', written) });
    expect((await onlyScenario(loaded)).config.network).toEqual(network);
  });

  it('has the memory and the folder that earlier and later keys set', async () => {
    const written = toml.replace('memory_mb = 512', 'memory = "2G"\nworkdir = "/app"');
    const { loaded } = await load({ ...harbor, 't/task.toml': written });
    expect((await onlyScenario(loaded)).config).toMatchObject({ memoryMb: 2_048, imageFolder: '/app' });
  });

  it('with `docker_image` needs no Dockerfile', async () => {
    const text = toml.replace('cpus = 2', 'docker_image = "org/made:1"');
    const { loaded } = await load({ ...harbor, 't/task.toml': text, 't/environment/Dockerfile': undefined });
    const { config } = await onlyScenario(loaded);
    expect([config.image, config.dockerfile]).toEqual(['org/made:1', undefined]);
  });

  it('without a name is called like its folder, and changes with each of its files', async () => {
    const nameless = { ...harbor, 't/task.toml': toml.replace('name = "org/hello"\n', '') };
    const { scenario } = await onlyScenario((await load(nameless)).loaded);
    const other = { ...nameless, 't/tests/test.sh': '#!/bin/bash\ntrue\n' };
    const changed = (await onlyScenario((await load(other)).loaded)).scenario;
    expect(scenario.name).toBe('t');
    expect(changed.contentHash).not.toBe(scenario.contentHash);
  });

  it.each<[string, Files, string]>([
    ['no instruction', { 't/instruction.md': undefined }, 't/task.toml:1:1: instruction.md of the task is missing'],
    ['an empty instruction', { 't/instruction.md': ' \n' }, 't/task.toml:1:1: instruction.md of the task is empty'],
    ['no tests', { 't/tests/test.sh': undefined }, 't/task.toml:1:1: tests/test.sh of the task is missing'],
    ['no image', { 't/environment/Dockerfile': undefined }, 'environment/Dockerfile of the task is missing'],
    ['wrong TOML', { 't/task.toml': '[agent]\ntimeout_sec = = 1\n' }, 't/task.toml:2:15: invalid value'],
    ['a negative limit', { 't/task.toml': toml.replace('120.0', '-1') }, 't/task.toml:9:15: '],
    ['negative memory', { 't/task.toml': toml.replace('512', '-512') }, 't/task.toml:17:13: '],
    ['an unknown network', withLine('network_mode = "lan"'), 't/task.toml:18:16: '],
    [
      'hosts without an allow-list',
      withLine('network_mode = "public"\nallowed_hosts = ["a.b"]'),
      't/task.toml:19:17: ',
    ],
    ['a size without a unit', withLine('memory = "4"'), 'must be a size such as "2G" or "512M"'],
    ['a variable for the tests', { 't/task.toml': toml.replace('"strict"', '"${MODE}"') }, 'verifier.env.MODE'],
  ])('with %s is refused, by its place', async (_name, change, message) => {
    expect((await problems({ ...harbor, ...change })).join('\n')).toContain(message);
  });

  it.each<[string, Files, string]>([
    ['an unknown key', { 't/task.toml': `speed = 1\n${toml}` }, 't/task.toml:1:1: unknown key `speed` is ignored'],
    [
      'a user',
      { 't/task.toml': toml.replace('timeout_sec = 45.0', 'user = "root"') },
      '`verifier.user` is not supported',
    ],
    ['an unknown key of the environment', withLine('memroy = 1'), 't/task.toml:18:1: unknown key `memroy` is ignored'],
    ['a size of the disk', withLine('storage = "10G"'), '`environment.storage` is not supported'],
    ['artifacts', { 't/task.toml': `artifacts = ["/app/a"]\n${toml}` }, '1:13: `artifacts` is not supported'],
    [
      'settings of its only service',
      { 't/environment/docker-compose.yaml': 'services:\n  main:\n    image: a\n    volumes: ["/a:/b"]\n' },
      't/environment/docker-compose.yaml:4:14: `services.main.volumes` is not supported and is ignored',
    ],
    ['a limit of the disk', withLine('storage_mb = 1'), 't/task.toml:18:14: `environment.storage_mb` is not supported'],
  ])('with %s gets a warning', async (_name, change, message) => {
    expect((await warnings({ ...harbor, ...change })).join('\n')).toContain(message);
  });
});

describe('a task that needs what Assay does not have', () => {
  const sidecar = 'services:\n  main: {}\n  db: {}\n';
  const steps = { 't/instruction.md': undefined, 't/tests/test.sh': undefined };

  it.each<[string, Files, string]>([
    ['a sidecar', { ...harbor, 't/environment/docker-compose.yaml': sidecar }, 'several containers (main, db)'],
    ['a sidecar', { ...terminalBench, 't/docker-compose.yaml': sidecar }, 'several containers (main, db)'],
    [
      'a list',
      { ...harbor, 't/environment/docker-compose.yaml': 'services: [main, db]\n' },
      'an unknown list of services',
    ],
    ['steps', { ...harbor, ...steps, 't/task.toml': `${toml}[[steps]]\nname = "one"\n` }, 'several steps'],
    [
      'a verifier apart',
      { ...harbor, 't/task.toml': toml.replace('45.0', '45.0\nenvironment_mode = "separate"') },
      'a separate environment for the tests',
    ],
    ['a GPU', { ...harbor, ...withLine('gpus = 1') }, 'a GPU'],
    ['MCP servers', { ...harbor, ...withLine('mcp_servers = [{ name = "a", url = "http://a/mcp" }]') }, 'MCP servers'],
  ])('such as %s is read with a warning', async (_name, files, subject) => {
    const { loaded } = await load(files);
    expect(loaded.problems).toEqual([]);
    expect(loaded.warnings.map(formatProblem).join('\n')).toContain(
      `tasks with ${subject} are not supported, so trials of this one are errors`,
    );
    const { config } = await onlyScenario(loaded);
    expect(config.unsupported).toEqual([subject]);
  });
});

function withLine(line: string): Files {
  return { 't/task.toml': toml.replace('allow_internet = false', line) };
}

describe('a task folder of Terminal-Bench', () => {
  it('is a scenario that pytest judges', async () => {
    // As every task of the first generation has it.
    const usual = `services:\n  client:\n    build: .\n    image: \${NAME}\n    command: [sleep, infinity]
    environment: ["TEST_DIR=\${TEST_DIR}"]\n    volumes: ["\${LOGS}:\${LOGS}"]\n`;
    const { folder, loaded } = await load({ ...terminalBench, 't/docker-compose.yaml': usual });
    expect([...loaded.problems, ...loaded.warnings]).toEqual([]);
    const { scenario, task, config } = await onlyScenario(loaded);
    expect(scenario).toMatchObject({ name: 't', tags: ['a'], timeoutMs: 90_000 });
    expect(config).toMatchObject({
      prompt: 'Say hello.\n',
      dockerfile: join(folder, 't/Dockerfile'),
      solution: 'sh /solution.sh',
      stagedFolders: [
        { from: join(folder, 't/run-tests.sh'), to: '/run-tests.sh' },
        { from: join(folder, 't/tests'), to: '/tests' },
      ],
    });
    const [{ config: verifier } = {}] = task.evaluators;
    expect(verifier).toMatchObject({ command: 'bash /run-tests.sh', env: { TEST_DIR: '/tests' }, from: 'pytest' });
  });

  it.each<[string, Files, string]>([
    ['no tests', { 't/run-tests.sh': undefined }, 't/task.yaml:1:1: run-tests.sh of the task is missing'],
    ['an empty instruction', { 't/task.yaml': yaml.replace('|\n  Say hello.', '""') }, 't/task.yaml:1:14: '],
    ['another parser', { 't/task.yaml': `${yaml}parser_name: swebench\n` }, 't/task.yaml:7:14: '],
    ['a negative limit', { 't/task.yaml': yaml.replace('90', '-90') }, 't/task.yaml:5:24: '],
  ])('with %s is refused, by its place', async (_name, change, message) => {
    expect((await problems({ ...terminalBench, ...change })).join('\n')).toContain(message);
  });
});
