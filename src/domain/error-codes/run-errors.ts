import type { ErrorKind } from './error-kind.ts';

/** Runs, their output, and the store that keeps them. */
export const runErrors = {
  OUTPUT_UNWRITABLE: {
    meaning: 'a report or another output could not be written',
    blame: 'user',
    exitCode: 3,
    hint: 'Free disk space, or write to another place; the run itself is not affected.',
  },
  HEAP_TOO_SMALL: {
    meaning: 'the memory that Node.js may use is too small for so many trials',
    blame: 'user',
    exitCode: 3,
    hint: 'Give Node.js more memory with NODE_OPTIONS=--max-old-space-size=<megabytes>.',
  },
  HOOK_FAILED: {
    meaning: 'a hook of the project failed before a run, a scenario or a trial',
    blame: 'user',
    exitCode: 3,
    hint: 'Make the command under `hooks` in the config succeed by hand, then run the errors again with `assay run --retry-errors`.',
  },
  TRIAL_SET_ASIDE: {
    meaning: 'a distributed trial lost its worker too often and is not retried',
    blame: 'target',
    exitCode: 3,
    hint: 'Run it alone with `assay run --scenario <name>`, and watch its memory, its disk space and the signals it sends.',
  },
  SPOOL_BUSY: {
    meaning: 'another process collects traces for this project',
    blame: 'user',
    exitCode: 2,
    hint: 'Send the traces to that process, or stop it first: `assay collect` and `assay serve` share one spool.',
  },
  RUN_LIVE: {
    meaning: 'another process is running this run',
    blame: 'user',
    exitCode: 2,
    hint: 'Wait until it ends, or stop it there.',
  },
  RUN_TAKEN_OVER: {
    meaning: 'another process took over this run',
    blame: 'user',
    exitCode: 3,
    hint: 'Follow the run with `assay show <run>`.',
  },
  RUN_INCOMPLETE: {
    meaning: 'planned trials of the run have no record',
    blame: 'user',
    exitCode: 3,
    hint: 'Continue with `assay run --resume <run>`.',
  },
  INTERRUPTED: {
    meaning: 'the run was interrupted before this trial ended',
    blame: 'user',
    exitCode: 3,
    hint: 'Continue with `assay run --resume <run>`.',
  },
  STORE_UNAVAILABLE: {
    meaning: 'the store could not be opened, read or written',
    blame: 'store',
    exitCode: 3,
    hint: 'Run `assay doctor` to see why the store cannot be opened or written.',
  },
  STORE_NEWER: {
    meaning: 'the store was written by a newer version of Assay',
    blame: 'store',
    exitCode: 2,
    hint: 'Update Assay, or name another store with --store.',
  },
  STORE_CORRUPT: {
    meaning: 'stored data is damaged',
    blame: 'store',
    exitCode: 3,
    hint: 'Restore the store from a backup: stored bytes changed after they were written.',
  },
  BUNDLE_REFUSED: {
    meaning: 'files of the project must not be sent to workers',
    blame: 'user',
    exitCode: 2,
    hint: 'Leave such files out with `bundle.exclude` in the config; put secrets into the environment of the workers.',
  },
  INTERNAL: {
    meaning: 'an internal error: a defect of Assay',
    blame: 'engine',
    exitCode: 3,
    hint: 'Report this defect of Assay with the output of --debug.',
  },
} as const satisfies Record<string, ErrorKind>;
