import type { ServerUsage } from '../../../../domain/server-performance.ts';
import { taggedProcesses } from '../../../../shared/processes/process-tree.ts';
import { type ProcessUsage, usageOf } from '../../../../shared/processes/process-usage.ts';
import type { McpSession } from '../../../mcp/session.ts';

/** Between samples while a call runs. */
const sampleEveryMs = 50;
/** Finding the processes of a server means looking at all processes of the machine. */
const searchEveryMs = 250;

/** Watches the processes of a server from the beginning to the end of a suite. */
export class ServerMonitor implements Disposable {
  readonly #session: () => McpSession;
  readonly #beganMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #tag: string | undefined;
  #found: readonly number[] = [];
  #searchedMs = Number.NEGATIVE_INFINITY;
  #first: ProcessUsage | undefined;
  #last: ProcessUsage | undefined;
  #samples = 0;
  #most = 0;
  #peakBytes = 0;
  #restarts = 0;
  /** CPU time of servers that were replaced, and of the present one. */
  #earlierCpuMs = 0;
  #cpuMs = 0;
  #cpuBeforeMs = 0;

  constructor(session: () => McpSession) {
    this.#session = session;
    this.#tag = session().processTag;
    this.sample();
    this.#timer = setInterval(() => this.sample(), sampleEveryMs);
    this.#timer.unref();
  }

  /** Takes one sample; gives the resident memory of all processes, undefined where it cannot be seen. */
  sample(): number | undefined {
    const { processTag } = this.#session();
    if (processTag === undefined) return undefined;
    if (processTag !== this.#tag) this.#replaced(processTag);
    const usage = usageOf(this.#processes(processTag));
    if (!usage) return undefined;
    if (this.#samples === 0) this.#cpuBeforeMs = usage.cpuMs;
    this.#first ??= usage;
    this.#last = usage;
    this.#samples++;
    this.#most = Math.max(this.#most, usage.processes);
    this.#peakBytes = Math.max(this.#peakBytes, usage.rssBytes, usage.peakOfOneBytes);
    // The time of a process that has ended without being waited for is not in later samples.
    this.#cpuMs = Math.max(this.#cpuMs, usage.cpuMs - this.#cpuBeforeMs);
    return usage.rssBytes;
  }

  /** A server that was started during the suite has used all of its CPU time in it. */
  #replaced(tag: string): void {
    this.#tag = tag;
    this.#restarts++;
    this.#earlierCpuMs += this.#cpuMs;
    this.#cpuMs = 0;
    this.#cpuBeforeMs = 0;
    this.#searchedMs = Number.NEGATIVE_INFINITY;
  }

  #processes(tag: string): readonly number[] {
    const nowMs = performance.now();
    if (nowMs - this.#searchedMs >= searchEveryMs) {
      this.#found = taggedProcesses(tag);
      this.#searchedMs = nowMs;
    }
    return this.#found;
  }

  /** Everything that was seen until now. */
  usage(): Pick<ServerUsage, 'durationMs' | 'processes' | 'unseen' | 'restarts'> {
    this.#searchedMs = Number.NEGATIVE_INFINITY;
    this.sample();
    const about = { durationMs: performance.now() - this.#beganMs, restarts: this.#restarts };
    if (!this.#first || !this.#last) return { ...about, processes: null, unseen: this.#whyUnseen() };
    return {
      ...about,
      processes: {
        most: this.#most,
        samples: this.#samples,
        startRssBytes: this.#first.rssBytes,
        endRssBytes: this.#last.rssBytes,
        peakRssBytes: this.#peakBytes,
        cpuMs: this.#earlierCpuMs + this.#cpuMs,
      },
    };
  }

  #whyUnseen(): string {
    return this.#tag === undefined
      ? 'Assay did not start the server, so its processes cannot be seen'
      : 'this system does not show the memory and CPU time of processes in /proc';
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
