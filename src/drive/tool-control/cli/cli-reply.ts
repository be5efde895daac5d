import type { AssayError } from '../../../domain/errors.ts';

/** How a call of a program ends. */
export type CliReply =
  | CliAnswer
  /** Nothing answers, and the program seems to run until its caller has had enough. */
  | { readonly kind: 'unanswered' }
  /** Assay cannot answer, so the trial cannot be judged. */
  | { readonly kind: 'fault'; readonly fault: AssayError };

/** Output, exit code and files of a program. */
export interface CliAnswer {
  readonly kind: 'answer';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
  /** By path from the folder of the call; null removes a file. */
  readonly files: Readonly<Record<string, Buffer | null>>;
}

/** The answer of a program that did nothing except for what is given. */
export function cliAnswer(given: Partial<Omit<CliAnswer, 'kind'>>): CliAnswer {
  return { kind: 'answer', stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0, files: {}, ...given };
}
