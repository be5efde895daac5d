import { createRequire } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
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
  const streams = { stdin, stdout, stderr } as unknown as Pick<CliContext, 'stdin' | 'stdout' | 'stderr'>;
  const exitCode = await program.main(args, { cwd: options.cwd, env: commandEnvironment(options), ...streams });
  return { exitCode, signal: null, stdout: stdout.text, stderr: stderr.text };
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
