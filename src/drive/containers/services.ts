import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { shellWord } from '../../shared/shell-words.ts';
import type { ServiceSpec } from '../workspace/service-spec.ts';
import { waitUntilReady } from '../workspace/wait-until-ready.ts';
import { ulimits } from './container-limits.ts';
import { type ContainerEngine, lastLine, unavailable } from './engine.ts';

const startTimeoutMs = 120_000;
const completionTimeoutMs = 600_000;

/** Removes the containers of a trial when a pipe is closed. */
interface Keeper {
  /** Descriptor of the pipe. */
  readonly lifeline: number;
  readonly child: ChildProcess;
}

interface Started {
  readonly spec: ServiceSpec;
  /** Name of its container. */
  readonly container: string;
}

/**
 * The containers beside that of the agent, in a network of the trial. A separate process removes them when Assay closes
 * its input, which also happens when Assay is killed.
 */
export class Services implements AsyncDisposable {
  /** Name of the network of the trial. */
  readonly network: string;
  readonly #engine: ContainerEngine;
  readonly #keeper: Keeper;
  #isClosed = false;
  readonly #prefix: string;
  readonly #started: Started[] = [];
  /** Options that give a container the addresses of those before it. */
  readonly #hosts: string[] = [];

  private constructor(engine: ContainerEngine, network: string, names: readonly string[]) {
    this.network = network;
    this.#engine = engine;
    this.#prefix = network;
    this.#keeper = keeperOf(
      engine,
      network,
      names.map((name) => `${network}-${name}`),
    );
  }

  /** Starts them in their order; throws where one is not ready. */
  static async open(engine: ContainerEngine, specs: readonly ServiceSpec[], isInternal: boolean): Promise<Services> {
    const network = `assay-${randomUUID()}`;
    const images = [];
    for (const spec of specs) images.push(await imageOf(engine, spec));
    const services = new Services(
      engine,
      network,
      specs.map(({ name }) => name),
    );
    try {
      const options = [...(isInternal ? ['--internal'] : []), '--label', engine.label];
      const { exitCode, stderr } = await engine.run(['network', 'create', ...options, network]);
      if (exitCode !== 0) throw unavailable(`The network of the trial could not be made: ${lastLine(stderr)}`);
      for (const [index, spec] of specs.entries()) await services.#start(spec, images[index] ?? '');
      return services;
    } catch (error) {
      await services[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Options of a container that is to be in the network too. */
  optionsFor(name: string): string[] {
    return ['--network', this.network, '--network-alias', name, ...this.#hosts];
  }

  get names(): readonly string[] {
    return this.#started.map(({ spec }) => spec.name);
  }

  /** The container of a service; throws where there is none. */
  containerOf(name: string): string {
    const found = this.#started.find(({ spec }) => spec.name === name);
    if (found) return found.container;
    throw new AssayError('CONFIG_INVALID', `The task has no service "${name}".`);
  }

  /** The error of a trial in which a service ended before the trial did; undefined where all still run. */
  async ended(): Promise<AssayError | undefined> {
    for (const { spec, container } of this.#started.filter((one) => !one.spec.completes)) {
      const state = await this.#stateOf(container);
      if (state.isRunning) continue;
      const output = await this.#lastOutputOf(container);
      const message = `The service "${spec.name}" ended before the trial did, with exit code ${state.exitCode}${output}`;
      return new AssayError('HEALTH_CHECK_FAILED', message);
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { child, lifeline } = this.#keeper;
    child.ref();
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    closeSync(lifeline);
    await ended;
  }

  async #start(spec: ServiceSpec, image: string): Promise<void> {
    const container = `${this.#prefix}-${spec.name}`;
    const { name, entrypoint = [], command = [], env, workdir, user, mounts, readiness } = spec;
    const [program, ...before] = entrypoint;
    const { exitCode, stderr } = await this.#engine.run(
      [
        ...['run', '-d', '--name', container, '--label', this.#engine.label, '--hostname', name],
        ...this.optionsFor(name),
        ...ulimits(),
        ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...(workdir === undefined ? [] : ['--workdir', workdir]),
        ...(user === undefined ? [] : ['--user', user]),
        ...mounts.flatMap(({ from, to }) => ['--mount', `type=bind,source=${from},destination=${to},readonly`]),
        ...(program === undefined ? [] : ['--entrypoint', program]),
        ...[image, ...before, ...command],
      ],
      startTimeoutMs,
    );
    if (exitCode !== 0) throw unavailable(`The service "${name}" could not be started: ${lastLine(stderr)}`);
    this.#started.push({ spec, container });
    if (spec.completes) return this.#awaitCompletion(name, container);
    if (readiness)
      await waitUntilReady(`The service "${name}"`, readiness, (argv, ms) => this.#check(container, argv, ms));
    const fault = await this.ended();
    if (fault) throw fault;
    const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
    const { stdout: address } = await this.#engine.run(['inspect', '--format', format, container]);
    if (address !== '') this.#hosts.push('--add-host', `${name}:${address}`);
  }

  async #check(container: string, argv: readonly string[], timeoutMs: number): Promise<string | undefined> {
    const { exitCode, stdout, stderr } = await this.#engine.run(['exec', container, ...argv], timeoutMs);
    return exitCode === 0 ? undefined : lastLine(stderr || stdout);
  }

  async #awaitCompletion(name: string, container: string): Promise<void> {
    const { stdout } = await this.#engine.run(['wait', container], completionTimeoutMs);
    if (stdout.split('\n').at(-1) === '0') return;
    const output = await this.#lastOutputOf(container);
    throw new AssayError('HEALTH_CHECK_FAILED', `The service "${name}" did not end with exit code 0${output}`);
  }

  async #stateOf(container: string): Promise<{ isRunning: boolean; exitCode: string }> {
    const { stdout } = await this.#engine.run([
      'inspect',
      '--format',
      '{{.State.Running}} {{.State.ExitCode}}',
      container,
    ]);
    const [running, exitCode = 'unknown'] = stdout.split(' ');
    return { isRunning: running === 'true', exitCode };
  }

  async #lastOutputOf(container: string): Promise<string> {
    const { stdout, stderr } = await this.#engine.run(['logs', '--tail', '1', container]);
    const text = lastLine(stderr || stdout);
    return text === '' ? '.' : `: ${text}`;
  }
}

async function imageOf(
  engine: ContainerEngine,
  { image, dockerfile, context, buildArguments }: ServiceSpec,
): Promise<string> {
  if (dockerfile === undefined) return image ?? '';
  return engine.build(dockerfile, context ?? dirname(dockerfile), undefined, buildArguments);
}

/** Its input is a named pipe: it ends with the process that holds it open, whatever ended that. */
function keeperOf(engine: ContainerEngine, network: string, containers: readonly string[]): Keeper {
  const [program, ...args] = engine.command;
  const commands = [
    [...args, 'rm', '-f', '-v', ...(engine.isPodman ? ['-t', '0', '--ignore'] : []), ...containers],
    [...args, 'network', 'rm', network],
  ].map((words) => `${[program, ...words].map(shellWord).join(' ')}; `);
  const folder = mkdtempSync(join(tmpdir(), 'assay-keeper-'));
  const pipe = join(folder, 'lifeline');
  try {
    execFileSync('mkfifo', ['-m', '600', pipe]);
    const lifeline = openSync(pipe, 'r+');
    const input = openSync(pipe, 'r');
    const child = spawn('/bin/sh', ['-c', `read -r _; ${commands.join('')}`], {
      // Ctrl-C in a terminal reaches Assay, which closes the pipe.
      detached: true,
      env: { ...engine.env },
      stdio: [input, 'ignore', 'ignore'],
    });
    closeSync(input);
    // A run that leaves a trial behind need not wait for it.
    child.unref();
    return { lifeline, child };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
