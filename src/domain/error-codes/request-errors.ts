import type { ErrorKind } from './error-kind.ts';

/** The request, the files that it names, and the project. */
export const requestErrors = {
  USAGE: {
    meaning: 'the command was called with a wrong argument or option',
    blame: 'user',
    exitCode: 2,
    hint: 'Run the command with --help to see its arguments and options.',
  },
  FILE_NOT_FOUND: {
    meaning: 'a named file or folder does not exist',
    blame: 'user',
    exitCode: 2,
    hint: 'Check the path; it is read relative to the current folder.',
  },
  FILE_INVALID: {
    meaning: 'a file does not have the required format',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the file, then check it with `assay validate`.',
  },
  CONFIG_INVALID: {
    meaning: 'the config file of the project has a problem',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the config file; `assay schema config` prints its schema.',
  },
  PROJECT_NOT_TRUSTED: {
    meaning: 'a command that only reads met code of a project that you have neither run nor trusted',
    blame: 'user',
    exitCode: 2,
    hint: 'Read the code; then run the project once, or agree to it with `assay trust`.',
  },
  ADDRESS_NOT_TRUSTED: {
    meaning: 'a file of the project sends a key of yours to an address that you have not agreed to',
    blame: 'user',
    exitCode: 2,
    hint: 'Run `assay trust <address>` to agree to the address, or take it out of the file.',
  },
  NOTHING_TO_RUN: {
    meaning: 'no scenario matches the request',
    blame: 'user',
    exitCode: 2,
    hint: 'List the scenarios with `assay scenarios`.',
  },
  NOT_FOUND: {
    meaning: 'no stored run, trial or part has this name',
    blame: 'user',
    exitCode: 2,
    hint: 'List the stored runs with `assay runs`.',
  },
  RUN_CHANGED: {
    meaning: 'files changed since the run to resume was started',
    blame: 'user',
    exitCode: 2,
    hint: 'Start a new run, or restore the files.',
  },
  CRITERION_UNUSABLE: {
    meaning: 'a criterion cannot be evaluated on the data of a trial',
    blame: 'user',
    exitCode: 2,
    hint: 'Correct the criterion; the tool is not at fault.',
  },
} as const satisfies Record<string, ErrorKind>;
