import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
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
      readiness: { command: 'test -d /app', intervalSecs: 5, timeoutSecs: 30, startPeriodSecs: 0, retries: 3 },
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
  const services = (ofDb: string) => ({
    't/environment/docker-compose.yaml': `services:\n  main: {}\n  db:\n    image: db:1\n${ofDb}`,
  });

  it.each<[string, Files, string]>([
    ['a list', { 't/environment/docker-compose.yaml': 'services: [main, db]\n' }, 'an unknown list of services'],
    ['a network', services('    networks: [back]\n'), '`services.db.networks` of its compose file'],
    ['a volume', services('    volumes: ["data:/data"]\n'), '`services.db.volumes` of its compose file'],
    ['a folder', services('    volumes: ["/etc:/data:ro"]\n'), '`services.db.volumes` of its compose file'],
    ['a variable', services('    environment: ["KEY=${KEY}"]\n'), '`services.db.environment` of its compose file'],
    ['a GPU', withLine('gpus = 1'), 'a GPU'],
    ['a TPU', withLine('tpu = { type = "v6e", topology = "2x4" }'), 'a TPU'],
    ['Windows', withLine('os = "Windows"'), 'Windows'],
  ])('such as %s is read with a warning', async (_name, files, subject) => {
    const { loaded } = await load({ ...harbor, ...files });
    expect(loaded.problems).toEqual([]);
    expect(loaded.warnings.map(formatProblem).join('\n')).toContain(
      `tasks with ${subject} are not supported, so trials of this one are errors`,
    );
    expect((await onlyScenario(loaded)).config.unsupported).toEqual([subject]);
  });
});

describe('services of a compose file', () => {
  const compose = `services:
  main:
    depends_on: { api: { condition: service_healthy }, seed: { condition: service_completed_successfully } }
    environment: { API: "http://api" }
  api:
    build: { context: ./api, args: { VERSION: 2 } }
    command: serve --name 'my api' $$HOME
    ports: ["8000:8000"]
    volumes: ["./api:/seed:ro"]
    environment: [A=1=2, B]
    depends_on: [seed]
    healthcheck: { test: ["CMD", "check"], interval: 1m30s, timeout: 500ms, start_period: 2s, retries: 7 }
  seed: { image: "seed:1", entrypoint: [run, it], user: 1000, healthcheck: { disable: true } }
`;

  it('are those of the trial, in the order in which they start', async () => {
    const { folder, loaded } = await load({
      ...harbor,
      't/environment/docker-compose.yaml': compose,
      't/environment/api/Dockerfile': 'FROM base\n',
    });
    expect([loaded.problems, loaded.warnings]).toEqual([[], []]);
    const { config } = await onlyScenario(loaded);
    const api = join(folder, 't/environment/api');
    expect(config.env).toEqual({ API: 'http://api', GREETING: 'hello' });
    expect(config.services).toEqual([
      { name: 'seed', image: 'seed:1', entrypoint: ['run', 'it'], user: '1000', completes: true, ...noneOf },
      {
        name: 'api',
        dockerfile: join(api, 'Dockerfile'),
        context: api,
        completes: false,
        command: ['serve', '--name', 'my api', '$HOME'],
        env: { A: '1=2' },
        buildArguments: { VERSION: '2' },
        mounts: [{ from: api, to: '/seed' }],
        readiness: { command: ['check'], intervalSecs: 90, timeoutSecs: 0.5, startPeriodSecs: 2, retries: 7 },
      },
    ]);
  });

  it('of Terminal-Bench are all but the client', async () => {
    const client = 'services:\n  client:\n    build: .\n    depends_on: [db]\n  db: { image: "db:1" }\n';
    const { config } = await onlyScenario((await load({ ...terminalBench, 't/docker-compose.yaml': client })).loaded);
    expect(config.services?.map(({ name }) => name)).toEqual(['db']);
  });

  it('with a wrong setting are refused, by its place', async () => {
    const wrong = compose.replace('1m30s', 'soon');
    expect((await problems({ ...harbor, 't/environment/docker-compose.yaml': wrong })).join('\n')).toContain(
      't/environment/docker-compose.yaml:12:',
    );
  });
});

const noneOf = { env: {}, mounts: [], buildArguments: {} };

describe('steps of a task of Harbor', () => {
  const stepped: Files = {
    ...harbor,
    't/instruction.md': undefined,
    't/tests/test.sh': undefined,
    't/tests/helper.sh': 'true\n',
    't/task.toml': `multi_step_reward_strategy = "final"\n${toml}[[steps]]\nname = "one"\nmin_reward = 0.5\n[steps.agent]\ntimeout_sec = 700.0
[[steps]]\nname = "two"\nmin_reward = { a = 1 }\n[steps.verifier]\ntimeout_sec = 5.0\nenv = { X = "y" }\n[steps.healthcheck]\ncommand = "true"\n`,
    't/steps/one/instruction.md': 'First.\n',
    't/steps/one/workdir/setup.sh': '#!/bin/bash\ntrue\n',
    't/steps/one/tests/test.sh': '#!/bin/bash\ntrue\n',
    't/steps/two/instruction.md': 'Second.\n',
    't/steps/two/tests/test.sh': '#!/bin/sh\ntrue\n',
    't/steps/two/solution/solve.sh': '#!/bin/sh\ntrue\n',
  };

  it('have their own instruction, files, tests and limits', async () => {
    const { folder, loaded } = await load(stepped);
    expect([loaded.problems, loaded.warnings]).toEqual([[], []]);
    const { scenario, task, config } = await onlyScenario(loaded);
    const at = (path: string): string => join(folder, 't', path);
    expect([scenario.timeoutMs, config.prompt]).toEqual([700_000, 'First.\n']);
    expect(task.evaluators).toMatchObject([{ type: 'reward', config: { steps: 'final', threshold: 1 } }]);
    expect(config.steps).toEqual([
      {
        name: 'one',
        prompt: 'First.\n',
        timeoutSecs: 700,
        files: at('steps/one/workdir'),
        setup: 'bash setup.sh',
        tests: [at('tests'), at('steps/one/tests')],
        command: 'bash /tests/test.sh',
        verifyTimeoutSecs: 45,
        env: { MODE: 'strict' },
        minReward: { reward: 0.5 },
      },
      {
        name: 'two',
        prompt: 'Second.\n',
        timeoutSecs: 120,
        readiness: { command: 'true', intervalSecs: 5, timeoutSecs: 30, startPeriodSecs: 0, retries: 3 },
        tests: [at('tests'), at('steps/two/tests')],
        command: 'sh /tests/test.sh',
        verifyTimeoutSecs: 5,
        env: { MODE: 'strict', X: 'y' },
        minReward: { a: 1 },
      },
    ]);
    expect(config.solution).toContain('2) exec sh /solution/two/solution/solve.sh;;');
  });

  it.each<[string, Files, string]>([
    ['an instruction', { 't/steps/two/instruction.md': undefined }, 'steps/two/instruction.md of the task is missing'],
    ['a test', { 't/steps/two/tests/test.sh': undefined }, 'steps/two/tests/test.sh of the task is missing'],
    ['its own name', { 't/task.toml': `${stepped['t/task.toml']}[[steps]]\nname = "two"\n` }, 'called "two" too'],
    ['a folder', { 't/task.toml': `${stepped['t/task.toml']}[[steps]]\nname = "../x"\n` }, 'the name of a folder'],
  ])('without %s are refused', async (_name, change, message) => {
    expect((await problems({ ...stepped, ...change })).join('\n')).toContain(message);
  });
});

describe('a container for the verifier', () => {
  const apart = (lines: string, tests: Files = { 't/tests/Dockerfile': 'FROM base\n' }): Files => ({
    ...harbor,
    ...tests,
    't/task.toml': `artifacts = ["/app/a", { source = "/b", service = "db", exclude = ["*.log"] }]\n${toml}\n${lines}\n`,
  });

  it('is built of the tests, and gets artifacts', async () => {
    const lines = '[verifier.environment]\nallow_internet = false\ncpus = 1\n[[verifier.collect]]\ncommand = "dump"';
    const { folder, loaded } = await load(apart(lines));
    expect([loaded.problems, loaded.warnings]).toEqual([[], []]);
    const { config } = await onlyScenario(loaded);
    expect(config.stagedFolders).toEqual([]);
    expect(config.steps).toMatchObject([
      {
        prompt: 'Say hello.\n',
        command: 'bash /tests/test.sh',
        verifier: {
          dockerfile: join(folder, 't/tests/Dockerfile'),
          network: 'none',
          cpus: 1,
          artifacts: [{ source: '/app/a' }, { source: '/b', service: 'db', exclude: ['*.log'] }],
          collect: [{ command: 'dump', timeoutSecs: 60 }],
        },
      },
    ]);
  });

  it('with services is what Assay does not have', async () => {
    const tests = { 't/tests/Dockerfile': 'FROM base\n', 't/tests/docker-compose.yaml': 'services: {}\n' };
    const { config } = await onlyScenario((await load(apart('[verifier.environment]', tests))).loaded);
    expect(config.unsupported).toEqual(['several containers for the tests']);
  });

  it.each<[string, Files, string]>([
    ['an image', apart('[verifier.environment]', {}), 'tests/Dockerfile of the task is missing'],
    [
      'one meaning',
      { 't/task.toml': toml.replace('45.0', '45.0\nenvironment_mode = "shared"\nenvironment = {}') },
      'contradicts',
    ],
    ['an absolute path', { 't/task.toml': `artifacts = ["../x"]\n${toml}` }, 'must be an absolute path'],
  ])('without %s is refused', async (_name, change, message) => {
    expect((await problems({ ...harbor, ...change })).join('\n')).toContain(message);
  });
});

describe('MCP servers of a task', () => {
  it('are those of the agent', async () => {
    const servers = `mcp_servers = [{ name = "a", transport = "http", url = "http://a/mcp" }, { name = "b", url = "http://b/sse" },
  { name = "c", transport = "stdio", command = "serve", args = ["--fast"] }]`;
    const { loaded } = await load({ ...harbor, ...withLine(servers) });
    expect([...loaded.problems, ...loaded.warnings]).toEqual([]);
    expect((await onlyScenario(loaded)).config.mcpServers).toEqual({
      a: { url: 'http://a/mcp', headers: {} },
      b: { url: 'http://b/sse', headers: {}, transport: 'sse' },
      c: { command: 'serve', args: ['--fast'], env: {} },
    });
  });

  it('without an address are refused', async () => {
    expect((await problems({ ...harbor, ...withLine('mcp_servers = [{ name = "a" }]') })).join('\n')).toContain(
      't/task.toml:18:',
    );
  });
});

describe('the tasks of the example', () => {
  it('load, and only one of them needs what Assay does not have', async () => {
    const folder = fileURLToPath(new URL('../../../../../examples/task-folders', import.meta.url));
    const loaded = await loadCliTools(folder, ['tasks']);
    expect([loaded.problems, loaded.scenarios.length]).toEqual([[], 12]);
    const unsupported = loaded.scenarios.flatMap(({ target }) => (target.config as CliToolConfig).unsupported ?? []);
    expect(unsupported).toEqual(['a GPU']);
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
