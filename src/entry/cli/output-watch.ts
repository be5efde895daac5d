import { AssayError } from '../../domain/errors.ts';
import { type CliContext, write } from './context.ts';
import { errorText } from './error-text.ts';

/**
 * Notices output that was lost. A reader that went away, as in `| head`, ends the writing and nothing else, unless a
 * document was asked for: half a document is none.
 */
export class OutputWatch {
  readonly #context: CliContext;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(context: CliContext) {
    this.#context = context;
    context.stdout.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error;
    });
    context.stderr.on('error', () => undefined);
  }

  /** The exit code of the command, or that of lost output where the command would have said that all is well. */
  async exitCode(argv: readonly string[], ended: number): Promise<number> {
    // A failed write is reported in a later turn than the one that made it.
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.#failure;
    if (!failure || (failure.code === 'EPIPE' && !asksForDocument(argv))) return ended;
    const why = failure.code === 'EPIPE' ? 'its reader went away' : failure.message;
    const error = new AssayError('OUTPUT_UNWRITABLE', `Standard output could not be written to the end: ${why}.`);
    await write(this.#context.stderr, errorText(error, false));
    return ended > 1 ? ended : error.exitCode;
  }
}

function asksForDocument(argv: readonly string[]): boolean {
  return argv.some((arg, index) => arg === '--json' || (arg === '-' && /^(-o|--output)$/.test(argv[index - 1] ?? '')));
}
