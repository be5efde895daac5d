import type { ErrorRows } from './error-kind.ts';

/** The tool or endpoint under test. */
export const targetErrors = {
  user: {
    2: {
      TARGET_NOT_LOADED: [
        'the module or program under test does not exist or does not load',
        'Check the `call` of the scenario: the module or program must exist and load.',
      ],
    },
  },
  target: {
    3: {
      TARGET_TIMEOUT: [
        'the tool did not answer within the time limit of the trial',
        'Raise `timeoutSecs`, or find out why the tool is slow.',
      ],
      TARGET_CRASHED: [
        'the tool ended without an answer',
        'Read the output of the tool in the trace to see why it ended.',
      ],
      TARGET_UNREACHABLE: [
        'the endpoint under test could not be reached',
        'Check that the endpoint is running and that the URL is correct.',
      ],
      TARGET_OUTPUT_NOT_JSON: [
        'the answer of the tool is not JSON',
        'Let the tool answer with one JSON value and nothing else; log to stderr.',
      ],
      TARGET_NO_MESSAGE: [
        'the answer of the agent holds no message',
        'Let the agent answer with a message, or map its answer in the config of the connector.',
      ],
      TARGET_OUTPUT_TOO_LARGE: [
        'the answer of the tool is larger than the limit',
        'Make the answer smaller: the limit keeps one tool from taking all memory.',
      ],
      TARGET_STOPPED: [
        'the module under test was stopped because another case blocked its thread',
        'Fix the case that blocked the shared module, or run with --concurrency 1.',
      ],
    },
  },
} as const satisfies ErrorRows;
