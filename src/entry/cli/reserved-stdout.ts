import { Writable } from 'node:stream';
import type { CliContext } from './context.ts';

/** Keeps stdout for one writer: what anything else in the process prints there goes to stderr. */
export class ReservedStdout implements Disposable {
  /** Whatever is written to it goes to stdout. */
  readonly writer: Writable;
  readonly #restore: () => void;

  constructor({ stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>) {
    const own = stdout.write;
    this.writer = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        own.call(stdout, chunk, undefined, done);
      },
    });
    stdout.write = stderr.write.bind(stderr) as typeof own;
    this.#restore = () => {
      stdout.write = own;
    };
  }

  [Symbol.dispose](): void {
    this.#restore();
  }
}
