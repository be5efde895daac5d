import * as z from 'zod';
import { parseBytes, parseDuration } from '../../shared/format.ts';
import { defaultConfig } from './default-config.ts';

const usual = defaultConfig.collect;

const age = z.string().refine((text) => parseDuration(text) !== undefined, 'must be an age such as `30d` or `12h`');
const size = z.string().refine((text) => parseBytes(text) !== undefined, 'must be a size such as `500MB` or `2GB`');

/** Which traces are meant; all of them where nothing is said. */
const traceMatchShape = {
  service: z.string().min(1).optional().describe('name of a service; `*` stands for any text'),
  name: z.string().min(1).optional().describe('name of a span; `*` stands for any text'),
  status: z
    .enum(['error', 'ok'])
    .optional()
    .describe('`error`: a span of the trace ended with an error; `ok`: none did'),
  slowerThanSecs: z.number().positive().optional().describe('traces that took longer than this'),
  attributes: z
    .record(z.string().min(1), z.string())
    .optional()
    .describe('attributes that a span has; `*` stands for any text'),
};
export const traceMatchSchema = z.strictObject(traceMatchShape);
export type TraceMatch = z.infer<typeof traceMatchSchema>;

const sampleRuleSchema = z.strictObject({
  ...traceMatchShape,
  keep: z.number().min(0).max(1).describe('share of these traces that is kept, from 0 to 1'),
});
export type SampleRule = z.infer<typeof sampleRuleSchema>;

/** `collect:` of the project's config. */
export const collectConfigSchema = z.strictObject({
  quietSecs: z
    .number()
    .positive()
    .max(3_600)
    .default(usual.quietSecs)
    .describe('a trace whose root span arrived is complete after so many seconds without a further span'),
  idleSecs: z
    .number()
    .positive()
    .max(86_400)
    .default(usual.idleSecs)
    .describe('a trace without a root span is complete after so many seconds without a further span'),
  lateSecs: z
    .number()
    .min(0)
    .max(86_400)
    .default(usual.lateSecs)
    .describe('spans that arrive later than this after the others of their trace are refused'),
  runs: z.enum(['hour', 'day']).default(usual.runs).describe('how often a new run begins, in UTC'),
  maxSpool: size.default(usual.maxSpool).describe('disk space for spans whose trace is incomplete'),
  sample: z
    .array(sampleRuleSchema)
    .max(100)
    .default(usual.sample)
    .describe('which traces are kept: the first rule that fits decides; without one a trace is kept'),
  retention: z
    .strictObject({
      olderThan: age.optional().describe('remove collected runs older than this, such as `30d`'),
      failuresOlderThan: age
        .optional()
        .describe('the same for runs with trials that failed or could not be judged; by default as `olderThan`'),
      maxSize: size.optional().describe('remove the oldest collected runs until the rest is at most this size'),
    })
    .prefault({})
    .describe('which collected runs are removed while traces are collected'),
});
export type CollectConfig = z.output<typeof collectConfigSchema>;
