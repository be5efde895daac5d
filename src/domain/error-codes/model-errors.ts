import type { ErrorKind } from './error-kind.ts';

/** Models, their providers, and recordings of their replies. */
export const modelErrors = {
  MODEL_UNKNOWN: {
    meaning: 'no provider is known for this model name',
    blame: 'user',
    exitCode: 2,
    hint: 'Name a model as provider/model, such as openai/gpt-4o-mini.',
  },
  MODEL_NO_KEY: {
    meaning: 'the provider of the model has no API key',
    blame: 'user',
    exitCode: 3,
    hint: 'Set the key in the environment or in the config.',
  },
  MODEL_NOT_NAMED: {
    meaning: 'a model is needed and neither the scenario nor the config names one',
    blame: 'user',
    exitCode: 3,
    hint: 'Name a model in the scenario or in the config.',
  },
  MODEL_UNAUTHORIZED: {
    meaning: 'the provider refused the API key',
    blame: 'model',
    exitCode: 3,
    hint: 'Check the API key of the provider.',
  },
  MODEL_QUOTA: {
    meaning: 'the account at the provider has no quota left',
    blame: 'model',
    exitCode: 3,
    hint: 'Add quota to the account, or use another provider; the request is not retried.',
  },
  MODEL_RATE_LIMITED: {
    meaning: 'the provider refused requests because there were too many',
    blame: 'model',
    exitCode: 3,
    hint: 'Lower the concurrency or the rate for this provider.',
  },
  MODEL_UNAVAILABLE: {
    meaning: 'the provider did not answer, or answered with a server error',
    blame: 'model',
    exitCode: 3,
    hint: 'Run these trials again with --retry-errors.',
  },
  MODEL_TIMEOUT: {
    meaning: 'the provider did not answer within the time limit',
    blame: 'model',
    exitCode: 3,
    hint: 'Raise `timeoutSecs` of the provider in the config, or use a faster model.',
  },
  MODEL_BAD_REQUEST: {
    meaning: 'the provider rejected the request as invalid',
    blame: 'model',
    exitCode: 3,
    hint: 'Read the message of the provider to see why it rejected the request.',
  },
  MODEL_BAD_REPLY: {
    meaning: 'the answer of the provider is not a valid reply',
    blame: 'model',
    exitCode: 3,
    hint: 'Run it again; if it fails again, check the base URL and the model name.',
  },
  MODEL_BUDGET_REACHED: {
    meaning: 'a model call was refused because it could exceed the spending limit',
    blame: 'user',
    exitCode: 3,
    hint: 'Raise --max-usd, or use a cheaper model.',
  },
  MODEL_NO_PRICE: {
    meaning: 'a spending limit is set and the model has no known price',
    blame: 'user',
    exitCode: 2,
    hint: 'Set a price under `models.prices` in the config, or run without --max-usd.',
  },
  REPLAY_MISS: {
    meaning: 'the recording has no reply for this request',
    blame: 'user',
    exitCode: 3,
    hint: 'Record again with --record, or undo the change to the request.',
  },
  REPLAY_UNREADABLE: {
    meaning: 'the recording cannot be read',
    blame: 'user',
    exitCode: 2,
    hint: 'Delete the recording and record it again with --record.',
  },
  REPLAY_UNWRITABLE: {
    meaning: 'the recording cannot be written',
    blame: 'user',
    exitCode: 3,
    hint: 'Check that the recordings folder is writable.',
  },
} as const satisfies Record<string, ErrorKind>;
