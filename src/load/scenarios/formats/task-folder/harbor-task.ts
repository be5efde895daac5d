import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Network } from '../../../../drive/network/network-policy.ts';
import type { TaskStep } from '../../../../drive/targets/agent-task/container-config.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { type FileReading, parseTolerantly } from '../tolerant-parse.ts';
import { harborMain, readCompose } from './compose-file.ts';
import { type HarborFile, harborSchema } from './harbor-schema.ts';
import { isApart, networkFrom, readinessOf, solutionOfSteps, stepsOf } from './harbor-steps.ts';
import { commandFor, fileOfTask, type TaskFolder, type UnsupportedPart, warnOfUnsupported } from './task-folder.ts';

/** Reads `task.toml` and the files beside it; undefined where something is wrong with them. */
export async function readHarborTask(reading: FileReading): Promise<TaskFolder | undefined> {
  const { source, context, found } = reading;
  const { directory } = context;
  const parsed = { schema: harborSchema(), value: source.value, source, isTolerant: () => true, decidingKeys: [] };
  const file = parseTolerantly(parsed, found);
  if (!file) return undefined;
  const { environment, verifier, agent, task } = file;
  const hasSteps = file.steps.length > 0;
  const prompt = await fileOfTask('instruction.md', reading, hasSteps);
  const test = await fileOfTask('tests/test.sh', reading, hasSteps || isApart(file));
  const compose = await readCompose('environment/docker-compose.yaml', harborMain, reading);
  const steps = await stepsOf(file, prompt, reading);
  refuseContradictions(file, reading);
  warnOfIgnored(file, reading);
  const unsupported = warnOfUnsupported([...unsupportedParts(file, reading), ...compose.unsupported], reading);
  const tags = [...task.keywords, ...textsIn(file.metadata.tags)];
  const limits = steps.flatMap(({ timeoutSecs }) => timeoutSecs ?? []);
  return {
    name: task.name ?? basename(directory),
    description: task.description,
    tags: [...new Set(tags)],
    prompt: steps[0]?.prompt ?? prompt ?? '',
    timeoutSecs: limits.length > 0 ? Math.max(...limits) : agent.timeout_sec,
    verifier: {
      command: steps[0]?.command ?? commandFor(test ?? '', '/tests/test.sh'),
      timeoutSecs: verifier.timeout_sec ?? 600,
      env: steps.length > 0 ? {} : verifier.env,
      from: 'reward-file',
      ...(steps.length > 0 && { steps: file.multi_step_reward_strategy }),
    },
    env: { ...compose.env, ...environment.env },
    unsupported,
    container: {
      ...(await imageOf(file, compose, reading)),
      buildTimeoutSecs: environment.build_timeout_sec,
      cpus: environment.cpus,
      memoryMb: environment.memory_mb ?? environment.memory,
      ...(environment.workdir !== undefined && { imageFolder: environment.workdir }),
      network: networkOf(file),
      mcpServers: mcpServersOf(file),
      readiness: environment.healthcheck && readinessOf(environment.healthcheck),
      ...(compose.services.length > 0 && { services: [...compose.services] }),
      ...(steps.length > 0 && { steps }),
      stagedFolders: testFolder(steps, directory).map((from) => ({ from, to: '/tests' })),
      logsFolder: '/logs',
      ...(await solutionOf(file, reading)),
    },
  };
}

async function imageOf(
  { environment }: HarborFile,
  { image, dockerfile }: Pick<TaskFolder['container'], 'image' | 'dockerfile'>,
  reading: FileReading,
): Promise<Pick<TaskFolder['container'], 'image' | 'dockerfile'>> {
  if (environment.docker_image !== undefined) return { image: environment.docker_image };
  if (dockerfile !== undefined) return { dockerfile };
  if (image !== undefined) return { image };
  const name = 'environment/Dockerfile';
  return (await fileOfTask(name, reading)) === undefined ? {} : { dockerfile: join(reading.context.directory, name) };
}

/** Where the tests of a step are laid when its turn comes, or those of the whole task. */
function testFolder(steps: readonly TaskStep[], directory: string): string[] {
  if (steps.length === 0) return [join(directory, 'tests')];
  return steps.flatMap(({ tests }) => tests.slice(0, 1)).slice(0, 1);
}

async function solutionOf(
  file: HarborFile,
  reading: FileReading,
): Promise<Pick<CliToolConfig, 'solution' | 'solutionFolder'>> {
  const { directory } = reading.context;
  if (file.steps.length > 0) {
    const solution = await solutionOfSteps(file, reading);
    return solution === undefined
      ? {}
      : { solution, solutionFolder: { from: join(directory, 'steps'), to: '/solution' } };
  }
  const solution = await fileOfTask('solution/solve.sh', reading, true);
  if (solution === undefined) return {};
  return {
    solution: commandFor(solution, '/solution/solve.sh'),
    solutionFolder: { from: join(directory, 'solution'), to: '/solution' },
  };
}

function mcpServersOf({ environment }: HarborFile): CliToolConfig['mcpServers'] {
  const servers = environment.mcp_servers.map(({ name, transport, url = '', command = '', args }) => {
    if (transport === 'stdio') return [name, { command, args, env: {} }] as const;
    return [name, { url, headers: {}, ...(transport === 'sse' && { transport }) }] as const;
  });
  return Object.fromEntries(servers);
}

/** The agent's own policy, or else that of the environment; the model can always be reached. */
function networkOf({ agent, environment }: HarborFile): Network {
  const isOwn = agent.network_mode !== undefined || agent.allowed_hosts.length > 0;
  return networkFrom(isOwn ? { ...agent, allow_internet: environment.allow_internet } : environment);
}

/** Parts without which an agent would do another task, or be judged by another one. */
function unsupportedParts(file: HarborFile, { source, context }: FileReading): UnsupportedPart[] {
  const { environment, verifier, steps } = file;
  const ofSteps = steps.flatMap((step) => (isApart(file, step) ? [`steps/${step.name}/tests`, 'tests'] : []));
  const folders = isApart(file) ? ['tests', ...ofSteps] : ofSteps;
  const hasServices = folders.some((folder) => existsSync(join(context.directory, folder, 'docker-compose.yaml')));
  const environments = { environment, 'verifier.environment': verifier.environment };
  const needed: [(string | number)[], string, boolean][] = [
    ...Object.entries(environments).flatMap(([path, one]): typeof needed => [
      [[...path.split('.'), 'gpus'], 'a GPU', (one?.gpus ?? 0) > 0],
      [[...path.split('.'), 'tpu'], 'a TPU', one?.tpu !== undefined],
      [[...path.split('.'), 'os'], 'Windows', one?.os === 'windows'],
    ]),
    [['verifier'], 'several containers for the tests', hasServices],
    ...steps.map(({ agent }, index): (typeof needed)[number] => {
      const hasOwn = agent.network_mode !== undefined || agent.allowed_hosts.length > 0;
      return [['steps', index, 'agent'], 'a network for one step', hasOwn && !isSameNetwork(file, agent)];
    }),
  ];
  const reported = needed.filter(([, , isSet]) => isSet);
  return reported.map(([path, subject]) => ({ at: source.locate(path), subject }));
}

function isSameNetwork(file: HarborFile, agent: HarborFile['agent']): boolean {
  return JSON.stringify(networkOf(file)) === JSON.stringify(networkOf({ ...file, agent }));
}

function refuseContradictions(
  { environment, agent, verifier, steps }: HarborFile,
  { source, found }: FileReading,
): void {
  for (const [section, { network_mode: mode, allowed_hosts: hosts }] of Object.entries({ environment, agent })) {
    if (hosts.length === 0 || mode === undefined || mode === 'allowlist') continue;
    const message = `\`${section}.allowed_hosts\` needs \`network_mode = "allowlist"\`, not "${mode}"`;
    found.problems.push({ at: source.locate([section, 'allowed_hosts']), message });
  }
  const verifiers = [
    { path: ['verifier'], one: verifier },
    ...steps.map((step, index) => ({ path: ['steps', index, 'verifier'], one: step.verifier })),
  ];
  for (const { path, one } of verifiers) {
    for (const [name, value] of Object.entries(one.env).filter(([, written]) => written.includes('${'))) {
      const message = `\`verifier.env.${name}\` has a variable (${value}), which is not supported here`;
      found.problems.push({ at: source.locate([...path, 'env', name]), message });
    }
    if (one.environment_mode !== 'shared' || !one.environment) continue;
    const message = '`environment_mode = "shared"` contradicts the environment of the verifier';
    found.problems.push({ at: source.locate([...path, 'environment_mode']), message });
  }
}

function warnOfIgnored(file: HarborFile, { source, found }: FileReading): void {
  const { environment, agent, verifier, solution } = file;
  const ignored: [string[], boolean][] = [
    [['artifacts'], file.artifacts.length > 0 && !isApart(file) && !file.steps.some((step) => isApart(file, step))],
    [['environment', 'storage_mb'], environment.storage_mb !== undefined],
    [['environment', 'storage'], environment.storage !== undefined],
    [['environment', 'skills_dir'], environment.skills_dir !== undefined],
    [['agent', 'user'], agent.user !== undefined],
    [['verifier', 'user'], verifier.user !== undefined],
    [['verifier', 'network_mode'], verifier.network_mode !== undefined && !isApart(file)],
    [['verifier', 'allowed_hosts'], verifier.allowed_hosts.length > 0 && !isApart(file)],
    [['solution', 'env'], Object.keys(solution.env).length > 0],
  ];
  for (const [path] of ignored.filter(([, isSet]) => isSet)) {
    found.warnings.push({ at: source.locate(path), message: `\`${path.join('.')}\` is not supported and is ignored` });
  }
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
