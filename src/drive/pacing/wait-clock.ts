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
