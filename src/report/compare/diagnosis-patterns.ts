/**
 * Bounds of high and low in a diagnosis. Between the two bounds of a figure nothing is reported. The bounds of errors,
 * help and first tries separate the two variants in the example of the seed document (0.35, 4 and 0.55 against 0.10, 1
 * and 0.82); the others were chosen to stay quiet about ordinary work.
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

/** Names of the diagnostic patterns, in the order in which they are reported. */
export type PatternName =
  | 'high-error-low-help'
  | 'high-error-high-help'
  | 'low-error-high-help'
  | 'high-retry'
  | 'many-commands'
  | 'low-error-low-help'
  | 'low-first-try';

/** A pattern in the figures, with its usual cause. */
export interface DiagnosticPattern {
  readonly pattern: PatternName;
  readonly title: string;
  readonly cause: string;
  readonly advice: string;
  /** Whether it is good news. */
  readonly isGood: boolean;
}

/** Cause and advice where agents had no guidance: the tool alone can be changed, or guidance be written. */
const withoutGuidance: Partial<Record<PatternName, Pick<DiagnosticPattern, 'cause' | 'advice'>>> = {
  'high-error-low-help': {
    cause: 'The agent guesses the syntax and gets it wrong, and does not look it up.',
    advice: 'Make the commands below work as the agent wrote them, or give it guidance with examples of them.',
  },
  'low-error-high-help': {
    cause: 'The agent does not know the syntax, so it looks it up.',
    advice: 'Give the agent guidance with the syntax that was looked up below.',
  },
  'many-commands': {
    cause: 'The agent does not know the shortest way through such a task.',
    advice: 'Give it guidance with common workflows, or the tool a command that does more at once.',
  },
  'low-first-try': {
    cause: 'The commands are not what the agent expects.',
    advice: 'Make the commands below work as the agent wrote them, or give it guidance with examples of them.',
  },
};

/** A pattern in words that fit to whether there was guidance. */
export function patternFor(name: PatternName, hasGuidance: boolean): DiagnosticPattern {
  return { ...diagnosticPatterns[name], ...(!hasGuidance && withoutGuidance[name]) };
}

/** The diagnostic patterns of seed 002. */
const diagnosticPatterns: Readonly<Record<PatternName, DiagnosticPattern>> = {
  'high-error-low-help': {
    pattern: 'high-error-low-help',
    title: 'High error rate and little use of --help',
    cause: 'The agent guesses the syntax and gets it wrong. The guidance may have wrong examples.',
    advice: 'Check every example in the guidance against the tool, starting with the commands below.',
    isGood: false,
  },
  'high-error-high-help': {
    pattern: 'high-error-high-help',
    title: 'High error rate in spite of --help',
    cause: 'The --help text is not enough: examples are missing, or arguments are described unclearly.',
    advice: 'Add an example and the form of each argument to the help of the commands below.',
    isGood: false,
  },
  'low-error-high-help': {
    pattern: 'low-error-high-help',
    title: 'Low error rate and much use of --help',
    cause: 'The guidance says too little up front, so the agent looks up the syntax.',
    advice: 'Put the syntax that was looked up below into the guidance, with examples.',
    isGood: false,
  },
  'high-retry': {
    pattern: 'high-retry',
    title: 'The same command failed repeatedly',
    cause: 'The error message of this command does not help to correct it.',
    advice: 'State in the error message what was expected, with an example of a correct call.',
    isGood: false,
  },
  'many-commands': {
    pattern: 'many-commands',
    title: 'Completed with many commands',
    cause: 'The guidance describes the commands but not the workflow.',
    advice: 'Add a section on common workflows that shows the shortest way through such a task.',
    isGood: false,
  },
  'low-error-low-help': {
    pattern: 'low-error-low-help',
    title: 'Low error rate and little use of --help',
    cause: 'All judged trials passed: the commands are what the agent expects.',
    advice: 'No action needed.',
    isGood: true,
  },
  'low-first-try': {
    pattern: 'low-first-try',
    title: 'Few commands are new and succeed at the first try',
    cause: 'The guidance misleads, or the commands are not what the agent expects.',
    advice: 'Compare the commands below with the guidance, and correct whichever is wrong.',
    isGood: false,
  },
};
