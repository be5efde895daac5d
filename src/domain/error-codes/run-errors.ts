import type { ErrorRows } from './error-kind.ts';

/** Runs, their output, and the store that keeps them. */
export const runErrors = {
  user: {
    2: {
      SPOOL_BUSY: [
        'another process collects traces for this project',
        'Send the traces to that process, or stop it first: `assay collect` and `assay serve` share one spool.',
      ],
      RUN_LIVE: ['another process is running this run', 'Wait until it ends, or stop it there.'],
      BUNDLE_REFUSED: [
        'files of the project must not be sent to workers',
        'Leave such files out with `bundle.exclude` in the config; put secrets into the environment of the workers.',
      ],
    },
    3: {
      OUTPUT_UNWRITABLE: [
        'a report or another output could not be written',
        'Free disk space, or write to another place; the run itself is not affected.',
      ],
      FILE_REFUSED: [
        'the system refused to read or write a file or folder',
        'Check who may use the place that the message names, what stands there, and its free space.',
      ],
      HEAP_TOO_SMALL: [
        'the memory that Node.js may use is too small for so many trials',
        'Give Node.js more memory with NODE_OPTIONS=--max-old-space-size=<megabytes>.',
      ],
      HOOK_FAILED: [
        'a hook of the project failed before a run, a scenario or a trial',
        'Make the command under `hooks` in the config succeed by hand, then run the errors again with `assay run --retry-errors`.',
      ],
      RUN_TAKEN_OVER: ['another process took over this run', 'Follow the run with `assay show <run>`.'],
      RUN_INCOMPLETE: ['planned trials of the run have no record', 'Continue with `assay run --resume <run>`.'],
      INTERRUPTED: ['the run was interrupted before this trial ended', 'Continue with `assay run --resume <run>`.'],
    },
  },
  target: {
    3: {
      TRIAL_SET_ASIDE: [
        'a distributed trial lost its worker too often and is not retried',
        'Run it alone with `assay run --scenario <name>`, and watch its memory, its disk space and the signals it sends.',
      ],
    },
  },
  store: {
    2: {
      STORE_NEWER: [
        'the store was written by a newer version of Assay',
        'Update Assay, or name another store with --store.',
      ],
    },
    3: {
      STORE_UNAVAILABLE: [
        'the store could not be opened, read or written',
        'Run `assay doctor` to see why the store cannot be opened or written.',
      ],
      STORE_CORRUPT: [
        'stored data is damaged',
        'Restore the store from a backup: stored bytes changed after they were written.',
      ],
    },
  },
  engine: {
    3: {
      INTERNAL: ['an internal error: a defect of Assay', 'Report this defect of Assay with the output of --debug.'],
    },
  },
} as const satisfies ErrorRows;
