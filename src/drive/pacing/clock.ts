import { setTimeout as delay } from 'node:timers/promises';

/** The time as the rules for calls see it; a test passes its own and need not sleep. */
export interface Clock {
  nowMs(): number;
  /** Rejects with the reason of the signal as soon as that is given. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The time of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  async wait(ms, signal) {
    await delay(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  },
};

/** Stops the clock of a trial while it waits for its turn at a server. */
export interface WaitClock {
  /** The clock stands still until the function is called. */
  hold(): () => void;
}

/** The clock of a trial, which counts the time of its target only. */
export interface TrialClock extends WaitClock {
  /** Takes back time that has passed in a queue of ours. */
  leaveOut(ms: number): void;
}
