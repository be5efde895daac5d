import type { ErrorRows } from './error-kind.ts';

/** The request, the files that it names, and the project. */
export const requestErrors = {
  user: {
    2: {
      USAGE: [
        'the command was called with a wrong argument or option',
        'Run the command with --help to see its arguments and options.',
      ],
      FILE_NOT_FOUND: [
        'a named file or folder does not exist',
        'Check the path; it is read relative to the current folder.',
      ],
      FILE_INVALID: [
        'a file does not have the required format',
        'Correct the file, then check it with `assay validate`.',
      ],
      CONFIG_INVALID: [
        'the config file of the project has a problem',
        'Correct the config file; `assay schema config` prints its schema.',
      ],
      PROJECT_NOT_TRUSTED: [
        'a command that only reads met code of a project that you have neither run nor trusted',
        'Read the code; then run the project once, or agree to it with `assay trust`.',
      ],
      ADDRESS_NOT_TRUSTED: [
        'a file of the project sends a key of yours to an address that you have not agreed to',
        'Run `assay trust <address>` to agree to the address, or take it out of the file.',
      ],
      NOTHING_TO_RUN: ['no scenario matches the request', 'List the scenarios with `assay list scenarios`.'],
      NOT_FOUND: ['no stored run, trial or part has this name', 'List the stored runs with `assay runs`.'],
      RUN_CHANGED: ['files changed since the run to resume was started', 'Start a new run, or restore the files.'],
      CRITERION_UNUSABLE: [
        'a criterion cannot be evaluated on the data of a trial',
        'Correct the criterion; the tool is not at fault.',
      ],
    },
  },
} as const satisfies ErrorRows;
