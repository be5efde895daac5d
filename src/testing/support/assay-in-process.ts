import { createRequire } from 'node:module';
import { PassThrough, type Readable, Writable } from 'node:stream';
import type { CliContext } from '../../entry/cli/context.ts';
import { type CommandOptions, type CommandResult, commandEnvironment } from './assay.ts';

interface Program {
  main(argv: readonly string[], context: CliContext): Promise<number>;
}

/** Past Vitest, which would load the modules of a project in the program's place. */
const { loadProgram } = createRequire(import.meta.url)('../../../bin/load-program.js') as { loadProgram(): Program };

const program = loadProgram();

/**
 * Runs a command of the built program in this process: starting one takes several times as long as most commands. For
 * suites about what a command decides and prints; what a process does by itself (signals, its memory, its end, what it
 * inherits) takes `assay`.
 */
export async function assayInProcess(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new CollectedText(), new CollectedText()];
  stdin.end(options.stdin ?? '');
  const env = commandEnvironment(options);
  const exitCode = await runInProcess(args, { cwd: options.cwd, env, stdin, stdout, stderr });
  return { exitCode, signal: null, stdout: stdout.text, stderr: stderr.text };
}

interface Surroundings extends Pick<CliContext, 'cwd' | 'env'> {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The same with streams of the caller's, and with no other variables than those that are given. */
export function runInProcess(args: readonly string[], surroundings: Surroundings): Promise<number> {
  return program.main(args, surroundings as unknown as CliContext);
}

class CollectedText extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
