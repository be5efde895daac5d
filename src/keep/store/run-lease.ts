import { randomUUID } from 'node:crypto';
import { AssayError } from '../../domain/errors.ts';
import type { RunStatus } from '../../domain/run.ts';
import { ownProcess } from '../../shared/processes/own-process.ts';
import type { RunClaim, RunHolder, Store } from './store.ts';

/** How long a process of another machine is believed to go on after its last word. */
const leaseMs = 60_000;
const renewalMs = leaseMs / 4;

type ClaimStore = Pick<Store, 'claimRun' | 'renewClaim' | 'releaseRun'>;

interface LeaseOptions {
  /** Interrupts the run. */
  readonly signal: AbortSignal;
  /** Whether workers run its trials while this process only watches over it. */
  readonly isShared?: boolean;
}

/**
 * The right of this process to run a run. It is extended by a timer, not with each trial, and lost only to a process
 * of another machine that heard nothing for too long: then this one stops. Disposing of it without an ending leaves the
 * run interrupted.
 */
export class RunLease implements AsyncDisposable {
  /** Aborted when the run is interrupted, or when it was lost. */
  readonly signal: AbortSignal;
  readonly #runId: string;
  readonly #store: ClaimStore;
  readonly #claim: RunClaim;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #isHeld = true;

  private constructor(runId: string, store: ClaimStore, claim: RunClaim, signal: AbortSignal) {
    this.#runId = runId;
    this.#store = store;
    this.#claim = claim;
    this.signal = AbortSignal.any([signal, this.#lost.signal]);
    this.#timer = setInterval(() => void this.#renew(), renewalMs);
    this.#timer.unref();
  }

  /** Refuses a run that another process runs, and names that process. */
  static async take(runId: string, store: ClaimStore, { signal, isShared = false }: LeaseOptions): Promise<RunLease> {
    const claim = { ...ownProcess(), claimId: randomUUID(), leaseMs, isShared };
    const holder = await store.claimRun(runId, claim);
    if (holder) throw heldBy(runId, holder);
    return new RunLease(runId, store, claim, signal);
  }

  /** Ends the run; throws where another process has taken it over. */
  async end(status: RunStatus, finishedAt: number): Promise<void> {
    if (!(await this.#release({ status, finishedAt }))) throw takenOver(this.#runId);
  }

  async #renew(): Promise<void> {
    // A store that cannot be reached for a while says nothing about who runs the run.
    const isRenewed = await this.#store.renewClaim(this.#runId, this.#claim).catch(() => true);
    if (!isRenewed && this.#isHeld) this.#lost.abort();
  }

  async #release(ending: Parameters<Store['releaseRun']>[2]): Promise<boolean> {
    clearInterval(this.#timer);
    const isReleased = await this.#store.releaseRun(this.#runId, this.#claim.claimId, ending);
    this.#isHeld = false;
    return isReleased;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#isHeld) return;
    const ending = this.#claim.isShared ? undefined : { status: 'interrupted' as const, finishedAt: Date.now() };
    await this.#release(ending).catch(() => undefined);
  }
}

/** The error for a run that another process runs. */
export function heldBy(runId: string, holder: RunHolder): AssayError {
  if (holder.kind === 'workers') {
    return new AssayError('RUN_LIVE', `Run ${runId} is being run by workers.`, {
      hint: `Follow it with \`assay queue watch ${runId}\`, or end it with \`assay queue cancel ${runId}\`.`,
    });
  }
  const { pid, host, since } = holder;
  const when = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
  return new AssayError('RUN_LIVE', `Run ${runId} is being run by pid ${pid} on host ${host} since ${when} UTC.`);
}

function takenOver(runId: string): AssayError {
  return new AssayError('RUN_TAKEN_OVER', `Run ${runId} was taken over by another process, so this one stopped.`);
}
