import type { ErrorKind } from './error-kind.ts';

/** The tool or endpoint under test. */
export const targetErrors = {
  TARGET_NOT_LOADED: {
    meaning: 'the module or program under test does not exist or does not load',
    blame: 'user',
    exitCode: 2,
    hint: 'Check the `call` of the scenario: the module or program must exist and load.',
  },
  TARGET_TIMEOUT: {
    meaning: 'the tool did not answer within the time limit of the trial',
    blame: 'target',
    exitCode: 3,
    hint: 'Raise `timeoutSecs`, or find out why the tool is slow.',
  },
  TARGET_CRASHED: {
    meaning: 'the tool ended without an answer',
    blame: 'target',
    exitCode: 3,
    hint: 'Read the output of the tool in the trace to see why it ended.',
  },
  TARGET_UNREACHABLE: {
    meaning: 'the endpoint under test could not be reached',
    blame: 'target',
    exitCode: 3,
    hint: 'Check that the endpoint is running and that the URL is correct.',
  },
  TARGET_OUTPUT_NOT_JSON: {
    meaning: 'the answer of the tool is not JSON',
    blame: 'target',
    exitCode: 3,
    hint: 'Let the tool answer with one JSON value and nothing else; log to stderr.',
  },
  TARGET_OUTPUT_TOO_LARGE: {
    meaning: 'the answer of the tool is larger than the limit',
    blame: 'target',
    exitCode: 3,
    hint: 'Make the answer smaller: the limit keeps one tool from taking all memory.',
  },
  TARGET_STOPPED: {
    meaning: 'the module under test was stopped because another case blocked its thread',
    blame: 'target',
    exitCode: 3,
    hint: 'Fix the case that blocked the shared module, or run with --concurrency 1.',
  },
} as const satisfies Record<string, ErrorKind>;
