import type { AssayError } from '../../../domain/errors.ts';

/** How a call of a program ends. */
export type CliReply =
  | CliAnswer
  /** Nothing answers, and the program seems to run until its caller has had enough. */
  | { readonly kind: 'unanswered' }
  /** Assay cannot answer, so the trial cannot be judged. */
  | { readonly kind: 'fault'; readonly fault: AssayError };

/** A file that a program leaves. */
export type LeftFile =
  | { readonly is: 'file'; readonly content: Buffer; readonly mode?: string | undefined }
  | { readonly is: 'folder'; readonly mode: string }
  | { readonly is: 'link'; readonly to: string }
  | { readonly is: 'removed' };

/** Output, end and files of a program. */
export interface CliAnswer {
  readonly kind: 'answer';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Lengths of the pieces in which they are printed, in turn, beginning with stdout; without it stdout comes first. */
  readonly order?: readonly number[] | undefined;
  readonly exitCode: number;
  /** Signal that ends it, by number, in place of the exit code; 0 for a program that runs until it is killed. */
  readonly signal?: number | undefined;
  /** By path, absolute or from the folder of the call. */
  readonly files: Readonly<Record<string, LeftFile>>;
  /** Bytes of the standard input that it has read, where more than those were looked at. */
  readonly taken?: number | undefined;
}

/** The answer of a program that did nothing except for what is given. */
export function cliAnswer(given: Partial<Omit<CliAnswer, 'kind'>>): CliAnswer {
  return { kind: 'answer', stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0, files: {}, ...given };
}

/** A piece of the output of a program. */
export interface OutputPiece {
  readonly channel: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

/** Pieces of output as they are in an answer. */
export function answeredOutput(pieces: readonly OutputPiece[]): Pick<CliAnswer, 'stdout' | 'stderr' | 'order'> {
  const of = (wanted: OutputPiece['channel']): Buffer =>
    Buffer.concat(pieces.filter(({ channel }) => channel === wanted).map(({ bytes }) => bytes));
  const order: number[] = [0];
  for (const { channel, bytes } of pieces) {
    const isOut = channel === 'stdout';
    if (order.length % 2 === (isOut ? 0 : 1)) order.push(0);
    order.push((order.pop() ?? 0) + bytes.length);
  }
  return { stdout: of('stdout'), stderr: of('stderr'), order };
}
