import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { AssayError } from '../../domain/errors.ts';
import { ownProcess, processExists } from '../../shared/processes/own-process.ts';
import type { ProcessIdentity } from '../../shared/processes/process-identity.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const probeTimeoutMs = 20_000;
const usualBuildSecs = 1_800;
const longestComplaint = 4_096;

/** Label of the process for which a container runs: by it, abandoned containers are found. */
const ownerLabel = 'assay.owner';

interface EngineResult {
  readonly exitCode: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

type BuildRequest = [
  dockerfile: string,
  folder: string,
  timeoutSecs?: number | undefined,
  values?: Readonly<Record<string, string>>,
];

/** Podman or Docker, as its command is written. */
export class ContainerEngine {
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;
  readonly #built = new Map<string, Promise<string>>();

  constructor(command: readonly [string, ...string[]], env: Environment) {
    this.command = command;
    this.env = env;
  }

  get isPodman(): boolean {
    return /(^|\/)podman[^/]*$/.test(this.command[0]);
  }

  /** The label that containers of this process carry. */
  get label(): string {
    return `${ownerLabel}=${Buffer.from(JSON.stringify(ownProcess())).toString('base64url')}`;
  }

  run(args: readonly string[], timeout = probeTimeoutMs): Promise<EngineResult> {
    const [program, ...before] = this.command;
    return new Promise((resolve) => {
      const options = { env: this.env, timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 24 } as const;
      execFile(program, [...before, ...args], options, (error, stdout, stderr) => {
        resolve({ exitCode: error ? (error.code ?? undefined) : 0, stdout: stdout.trim(), stderr: stderr.trim() });
      });
    });
  }

  /** The name under which the image of a Dockerfile is run; it is built once. */
  build(...request: BuildRequest): Promise<string> {
    const key = JSON.stringify(request);
    const built = this.#built.get(key) ?? this.#build(...request);
    this.#built.set(key, built);
    return built;
  }

  async #build(...[dockerfile, folder, timeoutSecs = usualBuildSecs, values = {}]: BuildRequest): Promise<string> {
    const options = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    const args = ['build', '-q', ...options, '-f', dockerfile, folder];
    const { exitCode, stdout, stderr } = await this.run(args, timeoutSecs * 1_000);
    const image = stdout.split('\n').at(-1);
    if (exitCode === 0 && image) return image;
    const reason = lastLine(stderr) || `it took longer than ${timeoutSecs} s`;
    throw unavailable(
      `The image of ${dockerfile} could not be built: ${reason}`,
      'Its base image must be on this machine, or in a registry that can be reached from here.',
    );
  }

  /** Runs a command with files as its input and its output. */
  async pipe(args: readonly string[], files: { from?: string; to?: string }, timeout: number): Promise<EngineResult> {
    const [program, ...before] = this.command;
    const input = files.from === undefined ? 'ignore' : openSync(files.from, 'r');
    const output = files.to === undefined ? 'ignore' : openSync(files.to, 'wx', 0o600);
    try {
      const options = { env: { ...this.env }, timeout, killSignal: 'SIGKILL' } as const;
      const child = spawn(program, [...before, ...args], { ...options, stdio: [input, output, 'pipe'] });
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('error', () => undefined);
      child.stderr?.on('data', (text: string) => {
        stderr = `${stderr}${text}`.slice(-longestComplaint);
      });
      const [exitCode] = (await once(child, 'close')) as [number | null];
      return { exitCode: exitCode ?? undefined, stdout: '', stderr: stderr.trim() };
    } finally {
      for (const opened of [input, output]) if (typeof opened === 'number') closeSync(opened);
    }
  }

  /** Removes the containers and networks of processes that have ended; returns how many containers. */
  async removeAbandoned(): Promise<number> {
    const abandoned = await this.#abandoned(['ps', '-a'], `{{.ID}} {{.Label "${ownerLabel}"}}`);
    for (const id of abandoned) await this.run(['rm', '-f', '-v', id]);
    // `network ls` of Podman does not print one label.
    for (const name of await this.#abandoned(['network', 'ls'], `{{.Name}} {{.Labels}}`))
      await this.run(['network', 'rm', name]);
    return abandoned.length;
  }

  async #abandoned(list: readonly string[], format: string): Promise<string[]> {
    const { stdout } = await this.run([...list, '--filter', `label=${ownerLabel}`, '--format', format]);
    return stdout.split('\n').flatMap((line) => {
      const [id = '', labels = ''] = line.split(' ');
      const owner = ownerIn(labels.replace(/^.*?assay\.owner[=:]/, '').replace(/[,\]].*$/, ''));
      return id !== '' && owner && processExists(owner) === false ? [id] : [];
    });
  }
}

function ownerIn(label: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(Buffer.from(label, 'base64url').toString('utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** An error about the container tier. */
export function unavailable(message: string, hint?: string): AssayError {
  return new AssayError('ISOLATION_UNAVAILABLE', message, hint === undefined ? {} : { hint });
}

/** The line of an engine's complaint that says what went wrong. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/** The engine of the environment, or else the first that answers; throws where there is none. */
export async function findEngine(env: Environment): Promise<ContainerEngine> {
  const written = env.ASSAY_CONTAINER_ENGINE?.trim().split(/\s+/) ?? [];
  const [program, ...args] = written.filter((word) => word !== '');
  const candidates = program === undefined ? (['podman', 'docker'] as const) : [program];
  const problems: string[] = [];
  for (const name of candidates) {
    const engine = new ContainerEngine([name, ...args], env);
    const { exitCode, stderr } = await engine.run(['ps', '-q', '--filter', 'name=assay-probe']);
    if (exitCode === 0) return engine;
    problems.push(exitCode === 'ENOENT' ? `${name} was not found` : `${name}: ${lastLine(stderr)}`);
  }
  throw unavailable(
    `Isolation "container" is not available on this machine: ${problems.join('; ')}.`,
    'Install Podman or Docker, or set `ASSAY_CONTAINER_ENGINE`, such as `podman --runtime runc`.',
  );
}
