import { basename } from 'node:path';
import { RpcError } from '../../../shared/json-rpc.ts';
import type { AgentExit, AgentProcess, AgentSession } from '../agent.ts';
import { fieldAt, listOf, numberOf, textOf } from '../json-shapes.ts';
import type { AcpTerminalRecord } from './updates.ts';

/** The last lines of an output within a limit of bytes. */
export class TailOfLines {
  #mostBytes: number;
  #lines: string[] = [];
  #bytes = 0;
  isCut = false;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  append(line: string): void {
    const ended = `${line}\n`;
    this.#lines.push(ended);
    this.#bytes += Buffer.byteLength(ended);
    // Dropping only at twice the limit keeps the work linear in what was printed.
    if (this.#bytes > 2 * this.#mostBytes) this.#lines = [this.#cut()];
  }

  text(): string {
    return this.#bytes > this.#mostBytes ? this.#cut() : this.#lines.join('');
  }

  /** Lets go of all but the last bytes. */
  shrinkTo(mostBytes: number): void {
    this.#mostBytes = Math.min(this.#mostBytes, mostBytes);
    this.#lines = [this.text()];
  }

  #cut(): string {
    this.isCut = true;
    const bytes = Buffer.from(this.#lines.join(''));
    let start = Math.max(0, bytes.length - this.#mostBytes);
    // A character that the limit falls into is dropped whole.
    while (start < bytes.length && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++;
    const kept = bytes.subarray(start);
    this.#bytes = kept.length;
    const text = kept.toString('utf8');
    this.#lines = [text];
    return text;
  }
}

const mostOutputBytes = 200_000;
/** Output that is kept of a terminal after the agent released it. */
const releasedOutputBytes = 16_384;
/** No agent has use for more at a time; each holds a process or what one has printed. */
const mostUnreleased = 200;
const invalidParams = -32_602;

interface Terminal {
  readonly commandLine: string;
  readonly process: AgentProcess;
  readonly output: TailOfLines;
  readonly startedAt: number;
  exit: AgentExit | undefined;
  endedAt: number | undefined;
  isReleased: boolean;
}

type Start = Pick<AgentSession, 'start' | 'workDirectory'>;

/** The terminals of one session: commands that the agent has us run, really run where the agent itself runs. */
export class AcpTerminals {
  readonly #session: Start;
  readonly #terminals = new Map<string, Terminal>();
  #unreleased = 0;

  constructor(session: Start) {
    this.#session = session;
  }

  create(params: unknown): { terminalId: string } {
    const command = textOf(fieldAt(params, 'command'));
    if (command === undefined) throw new RpcError(invalidParams, 'command must be a string');
    if (this.#unreleased >= mostUnreleased) throw new RpcError(invalidParams, 'there are too many terminals');
    this.#unreleased++;
    const args = listOf(fieldAt(params, 'args')).map(String);
    const limit = numberOf(fieldAt(params, 'outputByteLimit')) ?? mostOutputBytes;
    const output = new TailOfLines(Math.min(Math.max(0, limit), mostOutputBytes));
    const process = this.#session.start({
      argv: inFolder(textOf(fieldAt(params, 'cwd')) ?? this.#session.workDirectory, command, args),
      env: variablesOf(fieldAt(params, 'env')),
      stdin: '',
      onLine: (line) => output.append(line),
    });
    const commandLine = commandLineOf(command, args);
    const startedAt = performance.now();
    const begun = { exit: undefined, endedAt: undefined, isReleased: false };
    const terminal: Terminal = { commandLine, process, output, startedAt, ...begun };
    void process.ended.then((exit) => {
      terminal.exit = exit;
      terminal.endedAt = performance.now();
    }, ignored);
    const terminalId = `terminal-${this.#terminals.size + 1}`;
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  output(params: unknown): object {
    const { output, exit } = this.#named(params);
    const exitStatus = exit === undefined ? {} : { exitStatus: statusOf(exit) };
    return { output: output.text(), truncated: output.isCut, ...exitStatus };
  }

  async waitForExit(params: unknown): Promise<object> {
    return statusOf(await this.#named(params).process.ended);
  }

  /** Ends the command; the terminal stays, so its output can still be read. */
  kill(params: unknown): object {
    const terminal = this.#named(params);
    if (terminal.exit === undefined) terminal.process.stop();
    return {};
  }

  /** Ends the command if need be, and resolves with the id when it has ended. */
  async release(params: unknown): Promise<string> {
    const terminal = this.#named(params);
    this.kill(params);
    await terminal.process.ended;
    if (!terminal.isReleased) this.#unreleased--;
    terminal.isReleased = true;
    terminal.output.shrinkTo(releasedOutputBytes);
    return textOf(fieldAt(params, 'terminalId')) ?? '';
  }

  /** The record of a terminal, even of one that was released. */
  recordOf(terminalId: string): AcpTerminalRecord | undefined {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) return undefined;
    const { commandLine, exit, output, startedAt, endedAt } = terminal;
    const durationMs = (endedAt ?? performance.now()) - startedAt;
    return { commandLine, exitCode: exit?.exitCode ?? null, output: output.text(), durationMs };
  }

  /** Ends all commands that still run, and waits for them. */
  async endAll(): Promise<void> {
    for (const { process, exit } of this.#terminals.values()) if (exit === undefined) process.stop();
    await Promise.allSettled([...this.#terminals.values()].map(({ process }) => process.ended));
  }

  get ids(): readonly string[] {
    return [...this.#terminals.keys()];
  }

  #named(params: unknown): Terminal {
    const terminal = this.#terminals.get(textOf(fieldAt(params, 'terminalId')) ?? '');
    if (terminal === undefined) throw new RpcError(invalidParams, 'there is no such terminal');
    return terminal;
  }
}

/** A process that could not be started has no exit; its terminal says so by having none. */
function ignored(): void {}

function statusOf({ exitCode, signal }: AgentExit): object {
  return { exitCode, signal };
}

/** Agents give a program with its arguments, or a whole command line without any. */
function inFolder(folder: string, command: string, args: readonly string[]): readonly [string, ...string[]] {
  const enter = 'cd "$0" || exit 126';
  if (args.length === 0) return ['/bin/sh', '-c', `${enter}\n${command}`, folder];
  return ['/bin/sh', '-c', `${enter}\nexec "$@"`, folder, command, ...args];
}

/** The line that was meant, without the shell that it was wrapped in. */
function commandLineOf(command: string, args: readonly string[]): string {
  const [option, line] = args;
  const isShell = /^(?:ba|da|z|k)?sh$/.test(basename(command));
  return isShell && line !== undefined && /^-l?c$/.test(option ?? '') ? line : [command, ...args].join(' ');
}

function variablesOf(env: unknown): Record<string, string> {
  const named = listOf(env).map((entry) => [textOf(fieldAt(entry, 'name')), fieldAt(entry, 'value')] as const);
  return Object.fromEntries(
    named.flatMap(([name, value]) => (name && typeof value === 'string' ? [[name, value]] : [])),
  );
}
