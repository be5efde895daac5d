import type { ErrorRows } from './error-kind.ts';

/** Models, their providers, and recordings of their replies. */
export const modelErrors = {
  user: {
    2: {
      MODEL_UNKNOWN: [
        'no provider is known for this model name',
        'Name a model as provider/model, such as openai/gpt-4o-mini.',
      ],
      MODEL_NO_PRICE: [
        'a spending limit is set and the model has no known price',
        'Set a price under `models.prices` in the config, or run without --max-usd.',
      ],
      REPLAY_UNREADABLE: ['the recording cannot be read', 'Delete the recording and record it again with --record.'],
    },
    3: {
      MODEL_NO_KEY: ['the provider of the model has no API key', 'Set the key in the environment or in the config.'],
      MODEL_NOT_NAMED: [
        'a model is needed and neither the scenario nor the config names one',
        'Name a model in the scenario or in the config.',
      ],
      MODEL_BUDGET_REACHED: [
        'a model call was refused because it could exceed the spending limit',
        'Raise --max-usd, or use a cheaper model.',
      ],
      REPLAY_MISS: [
        'the recording has no reply for this request',
        'Record again with --record, or undo the change to the request.',
      ],
      REPLAY_UNWRITABLE: ['the recording cannot be written', 'Check that the recordings folder is writable.'],
    },
  },
  model: {
    3: {
      MODEL_UNAUTHORIZED: ['the provider refused the API key', 'Check the API key of the provider.'],
      MODEL_QUOTA: [
        'the account at the provider has no quota left',
        'Add quota to the account, or use another provider; the request is not retried.',
      ],
      MODEL_RATE_LIMITED: [
        'the provider refused requests because there were too many',
        'Lower the concurrency or the rate for this provider.',
      ],
      MODEL_UNAVAILABLE: [
        'the provider did not answer, or answered with a server error',
        'Run these trials again with --retry-errors.',
      ],
      MODEL_TIMEOUT: [
        'the provider did not answer within the time limit',
        'Raise `timeoutSecs` of the provider in the config, or use a faster model.',
      ],
      MODEL_BAD_REQUEST: [
        'the provider rejected the request as invalid',
        'Read the message of the provider to see why it rejected the request.',
      ],
      MODEL_BAD_REPLY: [
        'the answer of the provider is not a valid reply',
        'Run it again; if it fails again, check the base URL and the model name.',
      ],
    },
  },
} as const satisfies ErrorRows;
