/**
 * What counts as high and low in a diagnosis. Between the two bounds of a figure nothing is reported. The bounds of
 * errors, help and first tries lie so that the example of the seed document (0.35, 4 and 0.55 against 0.10, 1 and 0.82)
 * falls on both sides of them; the others were chosen to stay quiet about ordinary work.
 */
export interface DiagnosisThresholds {
  /** Below this many commands in all, rates mean nothing. */
  readonly minCommands: number;
  /** With fewer errors in all, no error rate is high. */
  readonly minErrors: number;
  /** An error rate of at least this is high. */
  readonly highErrorRate: number;
  /** An error rate of at most this is low. */
  readonly lowErrorRate: number;
  /** At least this many calls for help per trial are many. */
  readonly highHelp: number;
  /** At most this many calls for help per trial are few. */
  readonly lowHelp: number;
  /** A share of first tries that succeeded below this is low. */
  readonly lowFirstTry: number;
  /** A subcommand that failed again this often, in one trial and without a success in between, is stuck. */
  readonly highRetries: number;
  /** At least this many commands in a trial that completed are many. */
  readonly highCommands: number;
}

/** The bounds that are used unless others are given. */
export const diagnosisThresholds: DiagnosisThresholds = {
  minCommands: 3,
  minErrors: 2,
  highErrorRate: 0.25,
  lowErrorRate: 0.1,
  highHelp: 3,
  lowHelp: 1,
  lowFirstTry: 0.6,
  highRetries: 2,
  highCommands: 15,
};
