import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AssayError } from '../../../domain/errors.ts';
import callerPart from '../../interposer/caller.pl?raw';
import keeperProgram from './log-keeper.pl?raw';

/** A proxy by the command line that starts it, and its log. */
interface KeptLog {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly logFile: string;
}

interface KeeperRequest {
  /** Absolute path of a perl. */
  readonly perl: string;
  /** Absolute, not there yet. */
  readonly socket: string;
  readonly logs: readonly KeptLog[];
}

/** Observations of the keeper, in words. */
interface KeeperDoubts {
  readonly problems: readonly string[];
  /** Why calls may be missing or forged. */
  readonly gaps: readonly string[];
  /** Of all lines that it wrote to logs. */
  readonly writtenBytes: number;
}

/** How long the keeper may take to write what is left; it takes milliseconds. */
const finishTimeoutMs = 10_000;

/** The process that writes the logs of proxies, out of reach of the agent; it ends when this one dies. */
export class LogKeeper implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  readonly #socket: string;
  #printed = '';
  #complaint = '';

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, socket: string) {
    this.#child = child;
    this.#socket = socket;
    this.#ended = once(child, 'close').catch(() => undefined);
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = `${this.#complaint}${text}`.slice(0, 1_000);
    });
  }

  /** Proxies can connect when it is open. */
  static async open({ perl, socket, logs }: KeeperRequest): Promise<LogKeeper> {
    const expected = logs.flatMap(({ logFile, argv }) => [logFile, String(argv.length), ...argv]);
    const executable = logs[0]?.argv[0] ?? '';
    const child = spawn(perl, ['-e', callerPart + keeperProgram, socket, executable, ...expected], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const keeper = new LogKeeper(child, socket);
    await Promise.race([once(child.stdout, 'data').catch(() => undefined), keeper.#ended]);
    if (keeper.#printed !== '') return keeper;
    throw new AssayError('WORKSPACE_FAILED', `MCP servers cannot be recorded: ${keeper.#complaint.trim()}`);
  }

  /** Ends the keeper after all that it has heard. */
  async finish(): Promise<KeeperDoubts> {
    const isInPlace = existsSync(this.#socket);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), finishTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    const counts = /^(\d+) (\d+) (\d+) (\d+)$/m.exec(this.#printed)?.slice(1).map(Number);
    const [foreign = 0, influenced = 0, stops = 0, writtenBytes = 0] = counts ?? [];
    const missing = 'another process ended, stopped or hid the recorder of MCP servers, so calls may be missing';
    const forged = `${influenced} proxies of MCP servers ran under foreign influence, so their records may be forged`;
    const refused = `${foreign} connections to the recorder of MCP servers did not come from a proxy and were refused`;
    return {
      writtenBytes,
      problems: foreign > 0 ? [refused] : [],
      gaps: [
        ...(counts === undefined || stops > 0 || !isInPlace ? [missing] : []),
        ...(influenced > 0 ? [forged] : []),
      ],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Folder of the logs that proxies write themselves, in that of a recording. */
export const writtenLogs = 'written';
