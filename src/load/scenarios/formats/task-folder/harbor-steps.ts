import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Network } from '../../../../drive/network/network-policy.ts';
import type { TaskStep, VerifierConfig } from '../../../../drive/targets/agent-task/container-config.ts';
import type { Readiness } from '../../../../drive/workspace/service-spec.ts';
import type { FileReading } from '../tolerant-parse.ts';
import type { HarborEnvironment, HarborFile, HarborStep, HarborVerifier, Healthcheck } from './harbor-schema.ts';
import { commandFor, fileOfTask } from './task-folder.ts';

/** Time limits where the file sets none. */
const usualSecs = { agent: 600, verifier: 600 };
/** Name of the only step of a task whose verifier has its own container. */
const onlyStep = 'task';

/** The steps of a task that is verified before its trial ends: one with `[[steps]]`, or with a container of the verifier. */
export async function stepsOf(file: HarborFile, prompt: string | undefined, reading: FileReading): Promise<TaskStep[]> {
  if (file.steps.length === 0) {
    const verifier = verifierOf(file, undefined, reading);
    return verifier ? [await wholeTask(file, prompt ?? '', verifier, reading)] : [];
  }
  const steps: TaskStep[] = [];
  for (const [index, step] of file.steps.entries()) {
    if (file.steps.findIndex(({ name }) => name === step.name) !== index) {
      const at = reading.source.locate(['steps', index, 'name']);
      reading.found.problems.push({ at, message: `another step is called "${step.name}" too` });
    }
    steps.push(await stepOf(file, step, reading));
  }
  return steps;
}

async function wholeTask(
  file: HarborFile,
  prompt: string,
  verifier: VerifierConfig,
  reading: FileReading,
): Promise<TaskStep> {
  return {
    name: onlyStep,
    prompt,
    tests: [],
    command: await commandApart(['tests'], reading),
    verifyTimeoutSecs: file.verifier.timeout_sec ?? usualSecs.verifier,
    env: file.verifier.env,
    verifier,
  };
}

async function stepOf(file: HarborFile, step: HarborStep, reading: FileReading): Promise<TaskStep> {
  const { directory } = reading.context;
  const own = `steps/${step.name}`;
  const isThere = (name: string): boolean => existsSync(join(directory, name));
  const tests = ['tests', `${own}/tests`].filter(isThere);
  const verifier = verifierOf(file, step, reading);
  const { min_reward: least, agent, healthcheck } = step;
  const setup = isThere(`${own}/workdir/setup.sh`) ? await fileOfTask(`${own}/workdir/setup.sh`, reading) : undefined;
  return {
    name: step.name,
    prompt: (await fileOfTask(`${own}/instruction.md`, reading)) ?? '',
    timeoutSecs: agent.timeout_sec ?? file.agent.timeout_sec ?? usualSecs.agent,
    ...(isThere(`${own}/workdir`) && { files: join(directory, own, 'workdir') }),
    ...(setup !== undefined && { setup: commandFor(setup, 'setup.sh') }),
    ...(healthcheck && { readiness: readinessOf(healthcheck) }),
    tests: verifier ? [] : tests.map((name) => join(directory, name)),
    command: await (verifier
      ? commandApart(tests.toReversed(), reading)
      : commandHere(tests.toReversed(), own, reading)),
    verifyTimeoutSecs: step.verifier.timeout_sec ?? file.verifier.timeout_sec ?? usualSecs.verifier,
    env: { ...file.verifier.env, ...step.verifier.env },
    ...(verifier && { verifier }),
    ...(least !== undefined && { minReward: typeof least === 'number' ? { reward: least } : least }),
  };
}

/** The test of a step, or else the one that all steps have. */
async function commandHere(folders: readonly string[], own: string, reading: FileReading): Promise<string> {
  const folder = folders.find((name) => existsSync(join(reading.context.directory, name, 'test.sh'))) ?? `${own}/tests`;
  return commandFor((await fileOfTask(`${folder}/test.sh`, reading)) ?? '', '/tests/test.sh');
}

/** A separate image may bring a test that is not in the folder. */
async function commandApart(folders: readonly string[], reading: FileReading): Promise<string> {
  for (const folder of folders) {
    const test = await fileOfTask(`${folder}/test.sh`, reading, true);
    if (test !== undefined) return commandFor(test, '/tests/test.sh');
  }
  return '[ ! -x /tests/test.sh ] || exec /tests/test.sh; exec sh /tests/test.sh';
}

/** Whether a verifier has its own container: it says so, or it describes one. */
function modeOf({ environment_mode: mode, environment }: HarborVerifier): 'shared' | 'separate' | undefined {
  return mode ?? (environment && 'separate');
}

/** Whether the task, or a step, is verified in a separate container. */
export function isApart(file: HarborFile, step?: HarborStep): boolean {
  return ((step && modeOf(step.verifier)) ?? modeOf(file.verifier)) === 'separate';
}

function verifierOf(file: HarborFile, step: HarborStep | undefined, reading: FileReading): VerifierConfig | undefined {
  if (!isApart(file, step)) return undefined;
  const environment = step?.verifier.environment ?? file.verifier.environment ?? file.environment;
  const own = step?.verifier.network_mode ? step.verifier : file.verifier;
  const { docker_image: image, workdir, build_timeout_sec: buildTimeoutSecs, cpus, healthcheck } = environment;
  return {
    ...(image === undefined ? { dockerfile: dockerfileOf(step, reading) } : { image }),
    buildTimeoutSecs,
    imageFolder: workdir ?? true,
    cpus,
    memoryMb: environment.memory_mb ?? environment.memory,
    network: limited(networkFrom(own.network_mode ? { ...environment, ...own } : environment)),
    env: environment.env,
    ...(healthcheck && { readiness: readinessOf(healthcheck) }),
    artifacts: [...file.artifacts, ...(step?.artifacts ?? [])].map(({ source, service, exclude }) => ({
      source,
      exclude,
      ...(service !== undefined && { service }),
    })),
    collect: [...file.verifier.collect, ...(step?.verifier.collect ?? [])].map(({ command, service, timeout_sec }) => ({
      command,
      timeoutSecs: timeout_sec,
      ...(service !== undefined && { service }),
    })),
  };
}

/** The verifier has no model. */
function limited(network: Network): Network {
  return network === 'model-only' ? 'none' : network;
}

/** The image of a verifier is built in a folder of tests: that of the step, where it has one. */
function dockerfileOf(step: HarborStep | undefined, { source, context, found }: FileReading): string {
  const folders = [...(step ? [`steps/${step.name}/tests`] : []), 'tests'].map((name) => join(context.directory, name));
  const folder = folders.find((path) => existsSync(path)) ?? folders.at(-1) ?? '';
  const path = join(folder, 'Dockerfile');
  if (!existsSync(path)) {
    const message = `${relative(context.directory, path)} of the task is missing, from which the image of the verifier is built`;
    found.problems.push({ at: source.locate(['verifier']), message, hint: 'Write it, or name a `docker_image`.' });
  }
  return path;
}

export function networkFrom(
  phase: Pick<HarborEnvironment, 'network_mode' | 'allowed_hosts' | 'allow_internet'>,
): Network {
  const usual = phase.allow_internet ? 'public' : 'no-network';
  const mode = phase.network_mode ?? (phase.allowed_hosts.length > 0 ? 'allowlist' : usual);
  if (mode === 'public') return 'open';
  return mode === 'no-network' ? 'model-only' : { allow: [...phase.allowed_hosts] };
}

export function readinessOf(check: Healthcheck): Readiness {
  return {
    command: check.command,
    intervalSecs: check.interval_sec,
    timeoutSecs: check.timeout_sec,
    startPeriodSecs: check.start_period_sec,
    retries: check.retries,
  };
}

/** Runs the solution of each step when its turn comes: each has its own session of the agent, in the same HOME. */
export async function solutionOfSteps({ steps }: HarborFile, reading: FileReading): Promise<string | undefined> {
  const commands: string[] = [];
  for (const [index, { name }] of steps.entries()) {
    const solution = await fileOfTask(`steps/${name}/solution/solve.sh`, reading, true);
    const command = solution === undefined ? 'true' : commandFor(solution, `/solution/${name}/solution/solve.sh`);
    commands.push(`${index + 1}) exec ${command};;`);
  }
  if (commands.every((command) => command.endsWith(' true;;'))) return undefined;
  const count = 'n=$(cat "$HOME/.step" 2>/dev/null); n=$((n + 1)); echo "$n" > "$HOME/.step"';
  return `${count}; case $n in ${commands.join(' ')} esac`;
}
