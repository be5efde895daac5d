import { execFile } from 'node:child_process';
import { AssayError } from '../../domain/errors.ts';
import { ownProcess, processExists } from '../../shared/processes/own-process.ts';
import type { ProcessIdentity } from '../../shared/processes/process-identity.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const probeTimeoutMs = 20_000;
const usualBuildSecs = 1_800;

/** Label of the process for which a container runs: by it, abandoned containers are found. */
const ownerLabel = 'assay.owner';

interface EngineResult {
  readonly exitCode: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Podman or Docker, as its command is written. */
export class ContainerEngine {
  readonly command: readonly [string, ...string[]];
  readonly env: Environment;

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

  /** The name under which the image of a Dockerfile is run; builds it unless nothing changed. */
  async build(dockerfile: string, folder: string, timeoutSecs = usualBuildSecs): Promise<string> {
    const args = ['build', '-q', '-f', dockerfile, folder];
    const { exitCode, stdout, stderr } = await this.run(args, timeoutSecs * 1_000);
    const image = stdout.split('\n').at(-1);
    if (exitCode === 0 && image) return image;
    const reason = lastLine(stderr) || `it took longer than ${timeoutSecs} s`;
    throw unavailable(
      `The image of ${dockerfile} could not be built: ${reason}`,
      'Its base image must be on this machine, or in a registry that can be reached from here.',
    );
  }

  /** Removes the containers of processes that have ended; returns how many. */
  async removeAbandoned(): Promise<number> {
    const format = `{{.ID}} {{.Label "${ownerLabel}"}}`;
    const { stdout } = await this.run(['ps', '-a', '--filter', `label=${ownerLabel}`, '--format', format]);
    const abandoned = stdout.split('\n').flatMap((line) => {
      const [id = '', owner = ''] = line.split(' ');
      return id !== '' && processExists(ownerIn(owner)) === false ? [id] : [];
    });
    for (const id of abandoned) await this.run(['rm', '-f', id]);
    return abandoned.length;
  }
}

function ownerIn(label: string): ProcessIdentity {
  return JSON.parse(Buffer.from(label, 'base64url').toString('utf8')) as ProcessIdentity;
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
