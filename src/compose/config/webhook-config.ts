import * as z from 'zod';

/** Events that a webhook can receive. */
export const webhookEvents = ['run-finished', 'regression', 'error', 'drift'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** One of `webhooks:` of the project's config. */
export const webhookSchema = z.strictObject({
  url: z
    .string()
    .refine((text) => text.includes('${') || isWebUrl(text), 'must be an http or https URL')
    .describe('URL that gets the events as POST requests; ${VAR} is expanded'),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .default(['run-finished'])
    .describe(
      '`run-finished`, `regression` (worse than the baseline), `error` (something could not be judged) and `drift` (of a rule)',
    ),
  secret: z
    .string()
    .regex(/^\$\{[A-Za-z_]\w*\}$/, 'must be an environment variable, such as `${WEBHOOK_SECRET}`')
    .describe('environment variable with the key of the signatures, as `${VAR}`'),
  timeoutSecs: z
    .number()
    .positive()
    .max(60)
    .default(10)
    .describe('most seconds that a run waits for the delivery, retries included'),
});
export type Webhook = z.output<typeof webhookSchema>;

/** Whether a text is an address that a request can be sent to. */
export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/** The host of a URL, as it is shown: its path and query are often secrets. */
export function webhookHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
