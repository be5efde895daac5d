import { importModule } from '../../shared/import-module.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';
import { terminalText } from './terminal-text.ts';
import type { StreamRedaction, Transcript } from './transcript.ts';

/** Size of every terminal, in characters. It is fixed: another width would change where programs break their lines. */
export const terminalSize = { columns: 200, rows: 50 } as const;

/** File with the output of a terminal as it came, in the folder of the trial. */
export const rawOutputFile = 'terminal.raw.txt';

const packageName = '@lydell/node-pty';

/** The part of the optional package that is used; its own types are missing where it is not installed. */
interface Pty {
  spawn(
    file: string,
    args: readonly string[],
    options: {
      readonly name: string;
      readonly cols: number;
      readonly rows: number;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      /** Null: output comes as bytes. */
      readonly encoding: null;
    },
  ): TerminalProcess;
}

/** A program in a terminal. */
export interface TerminalProcess {
  readonly pid: number;
  onData(listener: (chunk: Buffer) => void): unknown;
  onExit(listener: (exit: { readonly exitCode: number; readonly signal?: number }) => void): unknown;
  pause(): void;
  resume(): void;
}

/** The terminal in which an agent runs. */
export interface AgentTerminal {
  /** Command of this machine that runs the one after it in a terminal. */
  readonly host: readonly [string, ...string[]];
  /** Receives the output as it came. */
  readonly raw: Transcript;
}

/** The package that opens terminals; throws where it is not installed, or has no build for this machine. */
export async function loadPty(): Promise<Pty> {
  const loaded = (await importModule(packageName)) as Pty & { readonly default?: Pty };
  return loaded.default ?? loaded;
}

/** Why no terminal can be opened here; undefined where one can. */
export async function terminalProblem(): Promise<string | undefined> {
  try {
    await loadPty();
    return undefined;
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split('\n');
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    return isMissing ? `the package ${packageName} is not installed` : `${packageName} cannot be loaded: ${line}`;
  }
}

/**
 * Takes secrets out of the output of a terminal. A secret with a colour in its middle is found in the text only: then the
 * text is kept in place of the output.
 */
export class TerminalRedaction implements StreamRedaction {
  readonly #redact: (text: string) => string;
  readonly #stream: StreamRedaction;

  constructor(redact: (text: string) => string, stream: StreamRedaction) {
    this.#redact = redact;
    this.#stream = stream;
  }

  push(chunk: string): Redacted {
    const text = terminalText(chunk);
    const clean = this.#redact(text);
    if (clean === text) return this.#stream.push(chunk);
    const lines = chunk.match(/[^\n]*\n|[^\n]+/g) ?? [];
    const redacted = lines.map((line) => this.#redactLine(line)).join('');
    // A secret of several lines is found in all of them together only.
    const left = terminalText(redacted);
    return this.#stream.push(this.#redact(left) === left ? redacted : clean);
  }

  #redactLine(line: string): string {
    const clean = this.#redact(terminalText(line));
    const redacted = this.#redact(line);
    return terminalText(redacted) === clean ? redacted : clean;
  }

  end(): Redacted {
    return this.#stream.end();
  }
}
