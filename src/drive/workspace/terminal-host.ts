import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { loadPty, type TerminalProcess, terminalSize } from './agent-terminal.ts';

/** Terminal type that programs find in TERM. */
const terminalType = 'xterm-256color';

/** A shell reports the signal that ended a command as an exit code above this. */
const signalBase = 128;

/** So much output may wait to be read before the terminal is read no further. */
const mostWaitingBytes = 8 * 1_048_576;

/**
 * Leads the session of the terminal. It outlives the program until all output was read, because the system drops unread
 * output when the leader of a session ends. Its own messages about a crash stay out of the terminal.
 */
const leaderScript = `
end=$1
shift
trap : TERM INT HUP QUIT
exec 9>&2 2>/dev/null
(exec 2>&9 9>&-; exec "$@")
code=$?
trap '' TTOU
printf '%s' "$end$code;"
while :; do sleep 600; done
`;

/** Streams and environment of the process that hosts a terminal. */
interface HostContext {
  readonly cwd: string;
  /** Of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { unref?(): void };
  readonly stdout: NodeJS.WritableStream & { readonly writableLength?: number };
}

/**
 * Runs a program in a terminal, writes what it prints to stdout, and resolves to its exit code. Nothing is typed. The
 * terminal is opened in this process and not in the one that runs trials, whose other children would inherit it.
 */
export async function hostTerminal(argv: readonly string[], { cwd, env, stdin, stdout }: HostContext): Promise<number> {
  const { spawn } = await loadPty();
  const end = randomBytes(16).toString('hex');
  const { columns: cols, rows } = terminalSize;
  const options = { name: terminalType, cols, rows, cwd, env: { ...env }, encoding: null };
  const terminal = spawn('/bin/sh', ['-c', leaderScript, 'sh', end, ...argv], options);
  const endGroup = (signal: NodeJS.Signals): void => signalGroup(terminal.pid, signal);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endGroup('SIGTERM'));
  // Its input ends with the process that started it, and then nothing may be left of the program.
  stdin.on('end', () => endGroup('SIGKILL'));
  stdin.resume();
  const exitCode = await exitOf(terminal, end, stdout);
  endGroup('SIGKILL');
  await new Promise((resolve) => stdout.write('', resolve));
  stdin.pause();
  stdin.unref?.();
  return exitCode;
}

/** Passes on the output; resolves with the exit code that follows it, or how the leader ended if that was killed. */
function exitOf(terminal: TerminalProcess, end: string, stdout: HostContext['stdout']): Promise<number> {
  const output = new OutputBeforeEnd(end);
  return new Promise((resolve) => {
    terminal.onData((chunk) => {
      stdout.write(output.push(chunk));
      if (output.exitCode !== undefined) resolve(output.exitCode);
      if ((stdout.writableLength ?? 0) > mostWaitingBytes) {
        terminal.pause();
        stdout.once('drain', () => terminal.resume());
      }
    });
    terminal.onExit(({ exitCode, signal }) => resolve(signal ? signalBase + signal : exitCode));
  });
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, constants.signals[signal]);
  } catch {
    // It has ended by itself, which is what was wanted.
  }
}

/** Cuts a stream off at a mark that the exit code follows. */
export class OutputBeforeEnd {
  readonly #mark: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #exitCode: number | undefined;

  constructor(mark: string) {
    this.#mark = Buffer.from(mark);
  }

  /** Undefined until the mark and the code were read. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The bytes that can be passed on: the beginning of a mark waits for its rest. */
  push(chunk: Buffer): Buffer {
    if (this.#exitCode !== undefined) return Buffer.alloc(0);
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const found = bytes.indexOf(this.#mark);
    const place = found === -1 ? bytes.length - this.#begunMark(bytes) : found;
    this.#held = bytes.subarray(place);
    const code = found === -1 ? null : /^(\d+);/.exec(this.#held.toString('latin1', this.#mark.length));
    if (code) this.#exitCode = Number(code[1]);
    return bytes.subarray(0, place);
  }

  /** How many of the last bytes may begin the mark. */
  #begunMark(bytes: Buffer): number {
    for (let length = Math.min(this.#mark.length - 1, bytes.length); length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(this.#mark.subarray(0, length))) return length;
    }
    return 0;
  }
}
