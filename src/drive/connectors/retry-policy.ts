import * as z from 'zod';

/** How requests that an agent refused for the moment are retried. */
export const retryPolicySchema = () =>
  z.strictObject({
    times: z.int().min(0).max(20).default(3).describe('most retries of one request; 0 turns retries off'),
    statuses: z
      .array(z.literal([429, 503]))
      .optional()
      .describe(
        'statuses to retry, `[429, 503]` for an agent that may get a request twice; default: 429, and 503 where a second request does nothing twice',
      ),
    maxWaitSecs: z
      .number()
      .min(0)
      .max(3_600)
      .default(60)
      .describe('longest wait before a retry; an agent that asks for more makes the trial an error at once'),
  });
export type RetryPolicy = z.output<ReturnType<typeof retryPolicySchema>>;

/** For a connector that sets no policy; the defaults of the schema. */
export const defaultRetryPolicy: RetryPolicy = { times: 3, maxWaitSecs: 60 };
