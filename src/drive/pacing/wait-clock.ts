/** Stops the clock of a trial while it waits for its turn at a server. */
export interface WaitClock {
  /** The clock stands still until the function is called. */
  hold(): () => void;
}
