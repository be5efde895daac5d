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
