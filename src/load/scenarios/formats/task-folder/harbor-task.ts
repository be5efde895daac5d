import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Network } from '../../../../drive/network/network-policy.ts';
import { type FileReading, parseTolerantly } from '../tolerant-parse.ts';
import {
  commandFor,
  fileOfTask,
  sidecarsIn,
  type TaskFolder,
  type UnsupportedPart,
  warnOfUnsupported,
} from './task-folder.ts';

const seconds = () => z.number().positive().max(86_400);
const variables = () => z.record(z.string(), z.string()).default({});
const text = () => z.string();
const user = () => z.union([z.string(), z.number()]).optional();

/** Megabytes of an earlier spelling, such as "4G". */
const size = () =>
  text()
    .regex(/^\d+(?:\.\d+)?\s*[MG](?:i?B)?$/i, { message: 'must be a size such as "2G" or "512M"' })
    .transform((written) => Math.ceil(Number.parseFloat(written) * (/g/i.test(written) ? 1_024 : 1)));

/** Network of a phase of the task. */
const reach = () => ({
  network_mode: z.enum(['public', 'no-network', 'allowlist']).optional(),
  allowed_hosts: z.array(z.string()).default([]),
});

const harborSchema = () =>
  z.strictObject({
    version: z.union([text(), z.number()]).optional(),
    schema_version: z.union([text(), z.number()]).optional(),
    source: text().optional(),
    task: z
      .strictObject({
        name: text().min(1).optional(),
        description: text().default(''),
        authors: z.array(z.unknown()).optional(),
        keywords: z.array(text()).default([]),
      })
      .prefault({}),
    steps: z.array(z.unknown()).default([]),
    artifacts: z.array(z.unknown()).optional(),
    metadata: z.record(z.string(), z.unknown()).default({}),
    agent: z.strictObject({ timeout_sec: seconds().optional(), user: user(), ...reach() }).prefault({}),
    verifier: z
      .strictObject({
        timeout_sec: seconds().default(600),
        env: variables(),
        user: user(),
        environment_mode: z.enum(['shared', 'separate']).optional(),
        environment: z.unknown().optional(),
        ...reach(),
      })
      .prefault({}),
    solution: z.strictObject({ env: variables() }).prefault({}),
    environment: z
      .strictObject({
        docker_image: text().min(1).optional(),
        build_timeout_sec: seconds().optional(),
        cpus: z.number().positive().optional(),
        memory_mb: z.int().positive().optional(),
        memory: size().optional(),
        storage_mb: z.int().positive().optional(),
        storage: size().optional(),
        workdir: text().startsWith('/').optional(),
        os: z.literal('linux').optional(),
        skills_dir: text().optional(),
        mcp_servers: z.array(z.unknown()).default([]),
        gpus: z.int().min(0).default(0),
        allow_internet: z.boolean().default(true),
        env: variables(),
        healthcheck: z.looseObject({ command: text().min(1) }).optional(),
        ...reach(),
      })
      .prefault({}),
  });

type HarborFile = z.output<ReturnType<typeof harborSchema>>;

/** Reads `task.toml` and the files beside it; undefined where something is wrong with them. */
export async function readHarborTask(reading: FileReading): Promise<TaskFolder | undefined> {
  const { source, context, found } = reading;
  const { directory } = context;
  const parsed = { schema: harborSchema(), value: source.value, source, isTolerant: () => true, decidingKeys: [] };
  const file = parseTolerantly(parsed, found);
  const hasSteps = (file?.steps.length ?? 0) > 0;
  const prompt = await fileOfTask('instruction.md', reading, hasSteps);
  const test = await fileOfTask('tests/test.sh', reading, hasSteps);
  const solution = await fileOfTask('solution/solve.sh', reading, true);
  const dockerfile = file?.environment.docker_image === undefined ? await dockerfileOf(reading) : undefined;
  if (!file) return undefined;
  refuseContradictions(file, reading);
  warnOfIgnored(file, reading);
  const parts = [...unsupportedParts(file, reading), ...(await sidecarsIn('environment/docker-compose.yaml', reading))];
  const unsupported = warnOfUnsupported(parts, reading);
  const { environment, verifier, agent, task } = file;
  const tags = [...task.keywords, ...textsIn(file.metadata.tags)];
  return {
    name: task.name ?? basename(directory),
    description: task.description,
    tags: [...new Set(tags)],
    prompt: prompt ?? '',
    timeoutSecs: agent.timeout_sec,
    verifier: {
      command: commandFor(test ?? '', '/tests/test.sh'),
      timeoutSecs: verifier.timeout_sec,
      env: verifier.env,
      from: 'reward-file',
    },
    env: environment.env,
    unsupported,
    container: {
      image: environment.docker_image,
      dockerfile,
      buildTimeoutSecs: environment.build_timeout_sec,
      cpus: environment.cpus,
      memoryMb: environment.memory_mb ?? environment.memory,
      ...(environment.workdir !== undefined && { imageFolder: environment.workdir }),
      network: networkOf(file),
      healthCheck: environment.healthcheck?.command,
      stagedFolders: [{ from: join(directory, 'tests'), to: '/tests' }],
      logsFolder: '/logs',
      ...(solution !== undefined && {
        solution: commandFor(solution, '/solution/solve.sh'),
        solutionFolder: { from: join(directory, 'solution'), to: '/solution' },
      }),
    },
  };
}

async function dockerfileOf(reading: FileReading): Promise<string | undefined> {
  const name = 'environment/Dockerfile';
  const found = await fileOfTask(name, reading);
  return found === undefined ? undefined : join(reading.context.directory, name);
}

/** The agent's own policy, or else that of the environment; the model can always be reached. */
function networkOf({ agent, environment }: HarborFile): Network {
  const phase = agent.network_mode !== undefined || agent.allowed_hosts.length > 0 ? agent : environment;
  const usual = environment.allow_internet ? 'public' : 'no-network';
  const mode = phase.network_mode ?? (phase.allowed_hosts.length > 0 ? 'allowlist' : usual);
  if (mode === 'public') return 'open';
  return mode === 'no-network' ? 'model-only' : { allow: [...phase.allowed_hosts] };
}

/** Parts without which an agent would do another task, or be judged by another one. */
function unsupportedParts(file: HarborFile, { source }: FileReading): UnsupportedPart[] {
  const { environment, verifier } = file;
  const needed: [string[], string, boolean][] = [
    [['environment', 'gpus'], 'a GPU', environment.gpus > 0],
    [['environment', 'mcp_servers'], 'MCP servers', environment.mcp_servers.length > 0],
    [['steps'], 'several steps', file.steps.length > 0],
    [['verifier', 'environment_mode'], 'a separate environment for the tests', isSeparate(verifier)],
  ];
  const reported = needed.filter(([, , isSet]) => isSet);
  return reported.map(([path, subject]) => ({ at: source.locate(path), subject }));
}

function refuseContradictions({ environment, agent, verifier }: HarborFile, { source, found }: FileReading): void {
  for (const [section, { network_mode: mode, allowed_hosts: hosts }] of Object.entries({ environment, agent })) {
    if (hosts.length === 0 || mode === undefined || mode === 'allowlist') continue;
    const message = `\`${section}.allowed_hosts\` needs \`network_mode = "allowlist"\`, not "${mode}"`;
    found.problems.push({ at: source.locate([section, 'allowed_hosts']), message });
  }
  for (const [name, value] of Object.entries(verifier.env).filter(([, written]) => written.includes('${'))) {
    const message = `\`verifier.env.${name}\` has a variable (${value}), which is not supported here`;
    found.problems.push({ at: source.locate(['verifier', 'env', name]), message });
  }
}

function warnOfIgnored(file: HarborFile, { source, found }: FileReading): void {
  const { environment, agent, verifier, solution } = file;
  const ignored: [string[], boolean][] = [
    [['artifacts'], (file.artifacts?.length ?? 0) > 0],
    [['environment', 'storage_mb'], environment.storage_mb !== undefined],
    [['environment', 'storage'], environment.storage !== undefined],
    [['environment', 'skills_dir'], environment.skills_dir !== undefined],
    [['agent', 'user'], agent.user !== undefined],
    [['verifier', 'user'], verifier.user !== undefined],
    [['verifier', 'network_mode'], verifier.network_mode !== undefined],
    [['verifier', 'allowed_hosts'], verifier.allowed_hosts.length > 0],
    [['solution', 'env'], Object.keys(solution.env).length > 0],
  ];
  for (const [path] of ignored.filter(([, isSet]) => isSet)) {
    found.warnings.push({ at: source.locate(path), message: `\`${path.join('.')}\` is not supported and is ignored` });
  }
}

function isSeparate({ environment_mode: mode, environment }: HarborFile['verifier']): boolean {
  return mode === 'separate' || (mode === undefined && environment !== undefined);
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
