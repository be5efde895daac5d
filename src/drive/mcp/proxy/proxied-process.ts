import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import { taggedEnvironment } from '../../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../../shared/processes/run-process.ts';
import type { ServerDefinition } from '../server-definition.ts';

export type StdioDefinition = Extract<ServerDefinition, { transport: 'stdio' }>;

const stderrEdgeBytes = 16_384;

/** Time between the end of a server's input and being asked to end. */
const goodbyeMs = 500;

interface ProcessSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Known to Assay too, which ends what a proxy that was killed could not. */
  readonly tag: string;
}

/** The program of a server behind a proxy, with all that it started. */
export class ProxiedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when it could not be started. */
  readonly exit: Promise<ProcessExit>;
  readonly #stderr = new BoundedOutput(stderrEdgeBytes, stderrEdgeBytes);
  readonly #stopping = new AbortController();

  constructor({ command, args, ...own }: StdioDefinition, { cwd, env, tag }: ProcessSurroundings) {
    this.child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd: own.cwd ?? cwd,
      env: taggedEnvironment({ ...env, ...own.env }, tag),
      detached: true,
    });
    this.child.stderr.on('data', (chunk: Buffer) => this.#stderr.append(chunk));
    const supervision = { tag, isNamespaced: false, signal: this.#stopping.signal, endsDaemons: true };
    this.exit = superviseProcess(this.child, supervision);
  }

  stderr(): string {
    return this.#stderr.text();
  }

  /** Asks it to end, and ends it with all that it started when it does not. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Ends its input, which tells a server that it is not needed any more; one that stays is stopped. */
  async letGo(): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.stop(), goodbyeMs);
    await this.exit.catch(() => undefined);
    clearTimeout(timer);
  }
}
