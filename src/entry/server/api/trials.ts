import * as z from 'zod';
import { trialRecordSchema } from '../../../domain/record.ts';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { variantSchema } from '../../../domain/variant.ts';

/** The input or answer of a trial, and its place in the trace. */
const trialTextSchema = z.object({
  text: z.string(),
  isCut: z.boolean(),
  event: z.number().describe('index of the event'),
});
export type TrialText = z.infer<typeof trialTextSchema>;

/** A trial without its trace, which is requested in pages. */
export const trialDetailSchema = z.object({
  record: trialRecordSchema,
  attempts: z.array(trialRecordSchema).describe('earlier attempts, before the trial was retried'),
  run: z.object({
    runId: z.string(),
    name: z.string().nullable(),
    startedAt: z.number(),
    planned: z.number(),
    importedFrom: z.string().nullable().describe('format of the file of an imported run; null: it was not imported'),
    editOf: z.string().nullable().describe('the trial whose input was edited for this one, which is not evidence'),
    whyNotAgain: z.string().nullable().describe('why its case cannot be run again; null: it can'),
  }),
  previousTrialId: z.string().nullable(),
  nextTrialId: z.string().nullable(),
  isFileThere: z.boolean().describe('the scenario file is in the project'),
  eventCount: z.number(),
  traceNote: z.string().nullable().describe('why the trace is not here; null: it is'),
  input: trialTextSchema.nullable().describe('null: the trace has none'),
  answer: trialTextSchema.nullable().describe('null: the trace has none'),
  gaps: z
    .array(z.object({ text: z.string(), event: z.number().describe('index of the event') }))
    .describe('where in the trace the losses of the `coverage` of the record are'),
  artifacts: z.array(z.object({ path: z.string(), bytes: z.number() })),
});
export type TrialDetail = z.infer<typeof trialDetailSchema>;

/** A changed input for one more trial of the same case; keys that are left out stay as the files have them. */
export const rerunTrialSchema = z
  .strictObject({
    input: z.unknown().optional().describe('input of the case; of a CLI tool its prompt'),
    messages: z.array(z.unknown()).max(1_000).optional().describe('of a conversation: messages that begin it'),
    userMessages: z.array(z.string().max(100_000)).max(1_000).optional().describe('of a conversation: turn by turn'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'nothing is changed');
export type RerunTrial = z.infer<typeof rerunTrialSchema>;

/** The input of the case as the files have it now; null where there is none. */
export const rerunSchema = z.object({
  isPossible: z.boolean(),
  whyNot: z.string().nullable(),
  keys: z.array(z.enum(['input', 'messages', 'userMessages'])).describe('that can be changed'),
  input: z.unknown(),
  messages: z.array(z.unknown()).nullable(),
  userMessages: z.array(z.string()).nullable(),
});
export type Rerun = z.infer<typeof rerunSchema>;

/** Expectations of a case that is made of a trial. */
export const promoteTrialSchema = z.strictObject({
  name: z.string().trim().min(1).max(200).optional().describe('name of the new scenario'),
  criterion: z.string().trim().min(1).max(2_000).optional().describe('what must not happen again, in plain words'),
  assertTools: z.boolean().optional().describe('expect the tools that were called; by default of a trial that passed'),
  connector: z.string().min(1).max(1_000).optional().describe('for an imported conversation: connector of the agent'),
  binary: z.string().min(1).max(1_000).optional().describe('for an imported task: program under test'),
});
export type PromoteTrial = z.infer<typeof promoteTrialSchema>;

/** The scenario file that was written. */
export const promotedTrialSchema = z.object({
  file: z.string().describe('relative to the project'),
  name: z.string(),
  fixture: z.string().nullable().describe('folder with its work directory; null where it has none'),
  notes: z.array(z.string()).describe('what its author should check'),
});
export type PromotedTrial = z.infer<typeof promotedTrialSchema>;

export const tracePageQuery = z.object({
  from: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
});

/** Neighbouring events. Texts beyond some kilobytes are cut in the middle; the whole event is requested by its index. */
export const tracePageSchema = z.object({
  total: z.number(),
  from: z.number(),
  events: z.array(
    z.object({
      index: z.number(),
      event: traceEventSchema,
      isCut: z.boolean(),
      madeBy: z.number().nullable().describe("index of the agent's call that made it; null: none, or not known"),
    }),
  ),
});
export type TracePage = z.infer<typeof tracePageSchema>;

/** Indices of the events that hold a text or are of a type. */
export const traceSearchQuery = z.object({ text: z.string().max(200).optional(), type: z.string().max(60).optional() });
export const traceSearchSchema = z.object({ indices: z.array(z.number()), isComplete: z.boolean() });
export type TraceSearch = z.infer<typeof traceSearchSchema>;

export const wholeEventSchema = z.object({ index: z.number(), event: traceEventSchema });
export type WholeEvent = z.infer<typeof wholeEventSchema>;

export const trialDiffQuery = z.object({ a: z.string(), b: z.string() });

export const comparisonQuery = z.object({
  a: z.string().describe('a run'),
  b: z.string().optional().describe('another run; left out to compare variants of one'),
  by: variantSchema.keyof().optional(),
  valueA: z.string().optional(),
  valueB: z.string().optional(),
  force: z.stringbool().default(false),
});

export const suggestedSidesQuery = z.object({
  b: z.string().max(200).optional().describe('a run; by default the newest'),
});

/** The sides that a comparison starts with. */
export const suggestedSidesSchema = z.object({
  a: z.string().nullable().describe('the run before B that shares most scenarios with it; null where none shares any'),
  b: z.string().nullable().describe('null where there are no runs'),
});
export type SuggestedSides = z.infer<typeof suggestedSidesSchema>;

/** Two sides whose answers a judge compares. */
export const judgeComparisonSchema = comparisonQuery.extend({
  force: z.boolean().default(false),
  judgeModel: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('as provider/model; by default that of the project'),
  maxUsd: z.number().min(0).max(1_000_000).optional().describe('spending limit in USD'),
  isAfresh: z.boolean().default(false).describe('judge again what was judged before'),
});
export type JudgeComparison = z.input<typeof judgeComparisonSchema>;

/** How far a judge is with the answers of two sides, or of all variants of a run (`by` without values). */
export const judgingSchema = z.object({
  state: z
    .enum(['none', 'running', 'incomplete', 'complete'])
    .describe('`incomplete`: it was cancelled or interrupted, and goes on where it was'),
  judged: z.number().describe('pairs of answers'),
  total: z.number(),
  costUsd: z.number().nullable().describe('null if a price is unknown'),
  problem: z.object({ message: z.string(), hint: z.string().nullable() }).nullable(),
  ranking: z
    .looseObject({ schema: z.literal('assay.ranking/1'), summary: z.string() })
    .nullable()
    .describe('of all variants, once each pair was judged'),
});
export type Judging = z.infer<typeof judgingSchema>;

/** The output of `assay compare --json`: see `Comparison`, whose fields are those of the document. */
export const comparisonSchema = z.looseObject({
  schema: z.literal('assay.compare/1'),
  answer: z.string(),
  summary: z.string(),
  isForced: z.boolean(),
  differences: z.array(z.looseObject({ what: z.string(), message: z.string(), isDecisive: z.boolean() })),
  metrics: z.array(z.looseObject({ name: z.string(), answer: z.string() })),
  changedCases: z.array(z.looseObject({ scenario: z.string(), caseId: z.string(), change: z.string() })),
  notes: z.array(z.string()),
});

export const variantsQuery = z.object({
  run: z.string(),
  by: variantSchema.keyof().describe('the part of the variants that is compared'),
  reference: z.string().optional().describe('the variant that the others are compared with; by default the first'),
  force: z.stringbool().default(false),
});

export const severalRunsQuery = z.object({
  runs: z
    .string()
    .max(4_000)
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .pipe(z.array(z.string()).min(2).max(20))
    .describe('ids, separated by commas; the first is the one that the others are compared with'),
  force: z.stringbool().default(false),
});

/** The output of `assay compare --json` for more than two runs, or more than two variants of one: see `VariantTable`. */
export const variantsSchema = z.looseObject({
  schema: z.literal('assay.variants/1'),
  by: z.string(),
  reference: z.string(),
  question: z.string(),
  summary: z.string(),
  best: z.looseObject({ kind: z.enum(['one', 'several', 'none']), labels: z.array(z.string()), errorRate: z.number() }),
  variants: z.array(z.looseObject({ label: z.string(), isReference: z.boolean() })),
  interactions: z.array(z.looseObject({ summary: z.string(), isCertain: z.boolean() })),
  traps: z.array(z.looseObject({ summary: z.string() })),
  notes: z.array(z.string()),
});

/** The output of `assay diff --json` for two trials: see `TrialsDiff`. */
export const trialsDiffSchema = z.looseObject({
  schema: z.literal('assay.diff/1'),
  kind: z.literal('trials'),
  counts: z.record(z.string(), z.number()),
  rows: z.array(z.looseObject({ status: z.string() })),
  notes: z.array(z.string()),
});
