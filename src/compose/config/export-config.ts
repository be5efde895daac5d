import * as z from 'zod';
import { isWebUrl } from './webhook-config.ts';

/** `export:` of the project's config. */
export const exportConfigSchema = z.strictObject({
  otlp: z
    .union([
      z.literal(true),
      z.string().refine((text) => text.includes('${') || isWebUrl(text), 'must be an http or https URL, or `true`'),
    ])
    .optional()
    .describe(
      'URL of an OTLP receiver that gets traces and evaluation results of each run; `true`: the one of `OTEL_EXPORTER_OTLP_ENDPOINT`; ${VAR} is expanded',
    ),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('sent with every request, beside those of `OTEL_EXPORTER_OTLP_HEADERS`; ${VAR} is expanded'),
  timeoutSecs: z
    .number()
    .positive()
    .max(3_600)
    .default(10)
    .describe('most seconds that a run waits for the receiver, retries included; the rest is sent after the next run'),
});
export type ExportConfig = z.output<typeof exportConfigSchema>;
