import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { isInSystem } from '../workspace/bubblewrap-mounts.ts';
import type { SystemEntry, SystemRequest, TrialSystem } from '../workspace/isolation.ts';
import { resourceLimits } from './container-limits.ts';
import { containerMounts, inContainer } from './container-mounts.ts';
import { type ContainerEngine, lastLine, unavailable } from './engine.ts';
import { namespaceOf, othersIn } from './namespace-processes.ts';
import { Services } from './services.ts';

type Argv = readonly [string, ...string[]];
type Three = [string, string, string];

const startTimeoutMs = 60_000;
const endTimeoutMs = 5_000;
const copyTimeoutMs = 600_000;
const pollMs = 10;
/** How engines say that there is nothing at a path. */
const notFound = /could not (?:be )?find|could not be found|no such file or directory|not exist/i;
/** Name of the container of the agent in the network of a trial. */
const mainService = 'main';
/** More than an answer takes; anything may write to the pipe. */
const keptAnswers = 131_072;

/**
 * The first process of a container. When it gets a line, it ends all others and repeats the line; when Assay has ended,
 * whatever ended it, it ends with everything else.
 */
const initScript = `
trap '' HUP INT TERM
exec 8<"$1" 9>>"$2"
while read -r line <&8; do
  kill -KILL -1
  wait
  echo "$line" >&9
done 2>/dev/null
`;

/** Finds a program on PATH; `command -v` would name a builtin of the shell instead. */
const locateScript = `
case $1 in /*) [ -x "$1" ] && echo "$1"; exit;; esac
IFS=:
for folder in $PATH; do [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && echo "$folder/$1" && exit; done
exit 1`;

/** An image that trials run in. */
interface ContainerImage {
  readonly name: string;
  /** PATH of the image. */
  readonly path: string;
  /** In which commands start; empty for the root. */
  readonly folder: string;
}

/** Starts the container of a trial, after those that are to be there for it. */
export async function openTrialContainer(
  engine: ContainerEngine,
  image: ContainerImage,
  request: SystemRequest,
): Promise<TrialSystem> {
  const specs = request.services ?? [];
  if (specs.length === 0) return openContainer(engine, image, request, undefined);
  const services = await Services.open(engine, specs, request.hasOwnNetwork);
  try {
    return await openContainer(engine, image, request, services);
  } catch (error) {
    await services[Symbol.asyncDispose]();
    throw error;
  }
}

async function openContainer(
  engine: ContainerEngine,
  image: ContainerImage,
  request: SystemRequest,
  services: Services | undefined,
): Promise<TrialSystem> {
  const name = `assay-${randomUUID()}`;
  const control = mkdtempSync(join(tmpdir(), 'assay-container-'));
  const [lifeline, answers, inputs] = ['lifeline', 'answers', 'inputs'].map((name) => join(control, name)) as Three;
  // Pipes work on a full disk too.
  execFileSync('mkfifo', ['-m', '600', lifeline, answers]);
  mkdirSync(inputs, { mode: 0o700 });
  // Open in both directions, so opening it does not wait for a reader, and the container notices when it is gone.
  const opened = openSync(lifeline, 'r+');
  const answering = openSync(answers, constants.O_RDWR | constants.O_NONBLOCK);
  const close = async (): Promise<void> => {
    for (const descriptor of [opened, answering]) closeSync(descriptor);
    await rm(control, { recursive: true, force: true });
  };
  const pidFile = join(control, 'pid');
  const { exitCode, stderr } = await engine.run(
    [
      ...['run', '-d', '--rm', '--name', name, '--label', engine.label],
      ...workdirOptions(request, image),
      ...(services?.optionsFor(mainService) ?? ['--network', request.hasOwnNetwork ? 'none' : 'host']),
      ...['--security-opt', 'no-new-privileges'],
      ...(engine.isPodman ? ['--pidfile', pidFile] : []),
      ...resourceLimits(request),
      ...userOptions(engine),
      ...containerMounts(request.folders, { lifeline, answers, inputs }),
      ...['--entrypoint', '/bin/sh', image.name, '-c', initScript, 'sh', inContainer.lifeline, inContainer.answers],
    ],
    startTimeoutMs,
  );
  if (exitCode !== 0) {
    await close();
    throw unavailable(`A container of ${image.name} could not be started: ${lastLine(stderr)}`);
  }
  try {
    const pid = engine.isPodman ? Number(readFileSync(pidFile, 'utf8')) : await inspectedPid(engine, name);
    return new TrialContainer({
      engine,
      image,
      name,
      pid,
      lifeline: opened,
      answers: answering,
      inputs,
      services,
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

interface ContainerParts {
  readonly engine: ContainerEngine;
  readonly image: ContainerImage;
  readonly name: string;
  readonly pid: number;
  /** Descriptor of the pipe that the first process reads. */
  readonly lifeline: number;
  /** Descriptor of the pipe to which it answers. */
  readonly answers: number;
  /** Absolute: the folder of texts that commands read. */
  readonly inputs: string;
  /** The containers in its network; undefined where it is alone. */
  readonly services: Services | undefined;
  readonly close: () => Promise<void>;
}

class TrialContainer implements TrialSystem {
  readonly pid: number;
  readonly #parts: ContainerParts;
  #isClosed = false;

  constructor(parts: ContainerParts) {
    this.pid = parts.pid;
    this.#parts = parts;
  }

  enter(argv: Argv, env: Readonly<Record<string, string>>, input?: string): SystemEntry {
    const { engine, image, name } = this.#parts;
    const variables = { ...env, PATH: pathIn(env.PATH ?? '', image.path) };
    const [program, ...before] = engine.command;
    const options = [...(input === undefined ? ['-i'] : []), ...variableOptions(variables, engine.env)];
    const command = input ? this.#reading(input, argv) : argv;
    return {
      argv: [program, ...before, 'exec', ...options, name, ...command],
      // Values stay out of the command line, which every user of the machine can read.
      env: { ...variables, ...setOnly(engine.env) },
    };
  }

  /** An engine that cannot deliver its input loses output, so a command reads its input from a file. */
  #reading(input: string, argv: Argv): Argv {
    const file = randomUUID();
    writeFileSync(join(this.#parts.inputs, file), input, { mode: 0o444 });
    return ['/bin/sh', '-c', 'exec "$@" <"$0"', `${inContainer.inputs}/${file}`, ...argv];
  }

  async locate(program: string): Promise<string> {
    const { engine, image, name } = this.#parts;
    const path = this.#pathByFiles(program);
    if (path !== undefined) return path;
    const command = ['/bin/sh', '-c', locateScript, 'sh', program];
    const { exitCode, stdout, stderr } = await engine.run(['exec', name, ...command]);
    if (exitCode === 0 && isAbsolute(stdout)) return stdout;
    if (exitCode === 127 || exitCode === 1) {
      throw new AssayError('TARGET_NOT_LOADED', `There is no program \`${program}\` in the image ${image.name}.`);
    }
    throw unavailable(`A command could not be run in a container of ${image.name}: ${lastLine(stderr)}`);
  }

  /** Starting a process in a container takes long, so its files are looked at from outside where that is allowed. */
  #pathByFiles(program: string): string | undefined {
    if (program.includes('/')) return undefined;
    const places = this.#parts.image.path.split(delimiter).filter(isAbsolute);
    return places
      .map((folder) => join(folder, program))
      .find((path) => {
        const found = statOf(`/proc/${this.pid}/root${path}`);
        return found?.isFile() && (found.mode & 0o111) !== 0;
      });
  }

  async endProcesses(): Promise<void> {
    const { lifeline, answers } = this.#parts;
    const namespace = namespaceOf(this.pid);
    const line = randomUUID();
    let heard = '';
    writeSync(lifeline, `${line}\n`);
    for (const end = Date.now() + endTimeoutMs; Date.now() < end; await delay(pollMs)) {
      heard = `${heard}${pending(answers)}`.slice(-keptAnswers);
      if (heard.includes(line) && !othersIn(namespace, this.pid)) return;
    }
    throw new AssayError('WORKSPACE_FAILED', 'Processes of the agent in the container could not be ended.');
  }

  get services(): readonly string[] {
    return this.#parts.services?.names ?? [];
  }

  serviceFault(): Promise<AssayError | undefined> {
    return this.#parts.services?.ended() ?? Promise.resolve(undefined);
  }

  async copyOut(path: string, file: string, service?: string): Promise<boolean> {
    const { engine, name, services } = this.#parts;
    const container = service === undefined ? name : (services?.containerOf(service) ?? service);
    const { exitCode, stderr } = await engine.pipe(['cp', `${container}:${path}`, '-'], { to: file }, copyTimeoutMs);
    if (exitCode === 0) return true;
    if (notFound.test(stderr)) return false;
    throw unavailable(`${path} could not be taken out of a container: ${lastLine(stderr)}`);
  }

  async copyIn(from: string, folder: string): Promise<void> {
    const { engine, name } = this.#parts;
    const made = await engine.run(['exec', name, '/bin/sh', '-c', 'mkdir -p "$0"', folder]);
    const isArchive = statOf(from)?.isFile() === true;
    const args = ['cp', isArchive ? '-' : `${from}/.`, `${name}:${folder}`];
    const { exitCode, stderr } =
      made.exitCode === 0 ? await engine.pipe(args, isArchive ? { from } : {}, copyTimeoutMs) : made;
    if (exitCode === 0) return;
    throw unavailable(`Files could not be laid into ${folder} of a container: ${lastLine(stderr)}`);
  }

  async runInService(service: string, command: string, timeoutMs: number): Promise<string | undefined> {
    const { engine, services } = this.#parts;
    const container = services?.containerOf(service) ?? service;
    const { exitCode, stdout, stderr } = await engine.run(['exec', container, '/bin/sh', '-c', command], timeoutMs);
    return exitCode === 0 ? undefined : lastLine(stderr || stdout) || `it ended with ${exitCode}`;
  }

  async folder(): Promise<string> {
    const { engine, name } = this.#parts;
    const { stdout } = await engine.run(['inspect', '--format', '{{.Config.WorkingDir}}', name]);
    return stdout === '' ? '/' : stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } finally {
      await this.#parts.services?.[Symbol.asyncDispose]();
    }
  }

  async stop(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { engine, name, close } = this.#parts;
    // The first process notices that the pipe is closed; the engine removes the rest.
    await close();
    await engine.run(['rm', '-f', ...(engine.isPodman ? ['-t', '0', '--ignore'] : []), name]);
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The text that is in a pipe now. */
function pending(descriptor: number): string {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } catch {
    return '';
  }
}

function setOnly(env: ContainerEngine['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Variables by name, except for those that the engine itself needs with other values. */
function variableOptions(variables: Readonly<Record<string, string>>, ofEngine: ContainerEngine['env']): string[] {
  return Object.entries(variables).flatMap(([name, value]) => [
    '--env',
    ofEngine[name] === undefined ? name : `${name}=${value}`,
  ]);
}

/** Folders of the host that the container has too, and then those of the image. */
function pathIn(ofTrial: string, ofImage: string): string {
  const mounted = ofTrial.split(delimiter).filter((folder) => isAbsolute(folder) && !isInSystem(folder));
  return [...mounted, ofImage].join(delimiter);
}

/** The folder of an image is made where it is missing, and another one is not. */
function workdirOptions({ imageFolder, folders }: SystemRequest, { folder }: ContainerImage): string[] {
  if (imageFolder === true || imageFolder === folder) return [];
  return ['--workdir', imageFolder === false ? folders.directory : imageFolder];
}

/** Files that the agent makes belong to the user who runs Assay. */
function userOptions(engine: ContainerEngine): string[] {
  const id = process.geteuid?.() ?? 0;
  if (id === 0) return [];
  return engine.isPodman ? ['--userns', 'keep-id'] : ['--user', `${id}:${process.getegid?.() ?? id}`];
}

async function inspectedPid(engine: ContainerEngine, name: string): Promise<number> {
  const { stdout } = await engine.run(['inspect', '--format', '{{.State.Pid}}', name]);
  if (Number(stdout) > 0) return Number(stdout);
  throw unavailable('The container of the trial ended at once.');
}
