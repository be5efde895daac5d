import * as z from 'zod';
import { armAnswers, experimentEndings, experimentWishSchema } from '../../../domain/experiment.ts';
import { markCountsSchema, markSchema } from '../../../domain/marks-schema.ts';
import { fieldsOf } from '../../../domain/option-schema.ts';
import { outcomeSchema } from '../../../domain/outcome.ts';
import { trialHeadSchema } from '../../../domain/record.ts';
import { controlActions, runHeaderSchema, runSourceSchema, runStatusSchema } from '../../../domain/run.ts';
import { tokenColumnsShape } from '../../../domain/usage.ts';
import { variantParts, variantSchema } from '../../../domain/variant.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import { pageOf, pagingQuery } from './paging.ts';

/** How the trials of something ended; they add up to what was planned. */
const totalsSchema = z.object({
  planned: z.number(),
  pass: z.number(),
  fail: z.number(),
  error: z.number(),
  skipped: z.number().describe('stored without a verdict'),
  notRun: z.number().describe('planned, without a result'),
});

const costSumSchema = z.object({ knownUsd: z.number(), unknownTrials: z.number() });
const tokenSumSchema = z.object({ knownInput: z.number(), knownOutput: z.number(), unknownTrials: z.number() });

/** A cost as one figure where it is whole, and as what is known of it. */
const costShape = {
  costUsd: z.number().nullable().describe('null: the cost of a trial is not known'),
  cost: costSumSchema,
};

/** How an experiment has gone, as a list shows it. */
const experimentItemSchema = z.object({
  by: z.enum(variantParts).describe('the part of the variants that is compared'),
  reference: z.string(),
  ending: z.enum(experimentEndings).nullable().describe('null: it goes on, or was interrupted'),
  arms: z
    .array(z.object({ arm: z.string(), answer: z.enum(armAnswers) }))
    .describe('the last answer about each other variant; empty before the first look'),
});

/** A run as a list shows it. */
const runItemSchema = z.object({
  runId: z.string(),
  name: z.string().nullable(),
  tags: z.array(z.string()),
  notes: z.string().nullable(),
  isArchived: z.boolean().describe('lists leave it out unless it is requested'),
  source: runSourceSchema.nullable().describe('the commit that it was started on; null: unknown'),
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  status: runStatusSchema,
  isLive: z.boolean().describe('it is running, here or on another machine'),
  execution: z
    .object({ eval: z.string(), id: z.number() })
    .nullable()
    .describe('the number of the execution, where an eval was run'),
  origin: z
    .enum(['run', 'import', 'rescore', 'evaluate', 'rule', 'edit'])
    .describe('`edit`: a case with an edited input, which is not evidence'),
  importedFrom: z.string().nullable().describe('format of the file of an imported run; null: it was not imported'),
  experiment: experimentItemSchema.nullable().describe('null: it is not an experiment'),
  scenarioNames: z.array(z.string()).describe('the first few'),
  scenarioCount: z.number(),
  totals: totalsSchema,
  notJudged: z.number().describe('passed although an assertion was left out of the verdict'),
  marks: markCountsSchema.describe('judged trials by what Assay stood in for; they are not the real thing'),
  outcome: z.enum(['pass', 'fail', 'error']),
  reason: z.string(),
  durationMs: z.number().nullable().describe('null: the trials were made elsewhere'),
  ...costShape,
});
export type RunItem = z.infer<typeof runItemSchema>;

export const runListQuery = z.object({
  ...pagingQuery,
  status: runStatusSchema.optional(),
  text: z.string().max(200).optional(),
  isArchived: z.stringbool().default(false).describe('true: only archived runs'),
});
export const runListSchema = pageOf(runItemSchema).extend({
  total: z.number().describe('runs that are archived, or not archived, as requested, whatever else is looked for'),
});
export type RunList = z.infer<typeof runListSchema>;

/** How the trials of one scenario under one variant ended. */
const cellSchema = z.object({
  scenario: z.string(),
  file: z.string(),
  variant: variantSchema,
  pass: z.number(),
  fail: z.number(),
  error: z.number(),
  skipped: z.number(),
  notJudged: z.number(),
  marks: markCountsSchema,
  durationMs: z.number().nullable().describe('of all trials together; null: one of them was not measured'),
  costUsd: z.number().nullable().describe('of all of them together; null: one of them did not report it'),
});
export type Cell = z.infer<typeof cellSchema>;

const intervalSchema = z.object({ low: z.number(), high: z.number() });
const passOfKSchema = z.object({ k: z.number(), value: z.number(), interval: intervalSchema });

/** The one pass rate of a run: by case, over judged trials; errors, skipped and reused trials are not among them. */
const passRateSchema = z.object({
  rate: z.number().nullable().describe('null: nothing was judged'),
  interval: intervalSchema.nullable().describe('95 %'),
  cases: z.number(),
  trials: z.number().describe('judged'),
  passed: z.number(),
});

/** The figures of repeated trials. */
const repeatsSchema = z.object({
  cases: z.number(),
  flaky: z.number().describe('cases that passed in some trials and failed in others under the same variant'),
  variants: z.number(),
  unsteady: z
    .array(
      z.object({
        scenario: z.string(),
        caseId: z.string(),
        variant: variantSchema,
        passed: z.number(),
        judged: z.number(),
        unjudged: z.number(),
        interval: intervalSchema,
        flakiness: z.number(),
      }),
    )
    .describe('cases under a variant that did not always pass, the flakiest first; the first few'),
  passOfK: z
    .array(z.object({ variant: variantSchema, passAtK: z.array(passOfKSchema), passHatK: z.array(passOfKSchema) }))
    .describe('each variant by itself'),
});

const resilienceRateSchema = z.object({ rate: passRateSchema, unjudged: z.number().describe('not in the rate') });

/** How an agent copes with named sets of faults: tools x faults. */
const resilienceSchema = z.object({
  variant: variantSchema.describe('without its part `faults`'),
  sets: z.array(z.string()),
  rows: z.array(
    z.object({
      tool: z.string(),
      faultFree: passRateSchema.describe('of the same cases without faults'),
      cells: z.array(resilienceRateSchema.extend({ set: z.string(), faults: z.array(z.string()) })),
    }),
  ),
  wordings: z
    .array(resilienceRateSchema.extend({ tool: z.string(), fault: z.string(), message: z.string() }))
    .describe('texts of the same fault, the best first'),
  unbroken: z
    .array(z.object({ set: z.string(), trials: z.number() }))
    .describe('trials in which no fault acted; they are in no cell'),
});

/** A section of a report: its title, and blocks that terminals, Markdown and pages draw. */
const sectionSchema = z.looseObject({
  blocks: z.array(z.looseObject({ kind: z.enum(['text', 'list', 'table', 'code']) })),
}) as unknown as z.ZodType<Section>;

/** A run by its counts, which are there at once for a run of any size. */
export const runHeadSchema = runItemSchema.extend({
  header: runHeaderSchema,
  tokens: tokenSumSchema,
  cells: z.array(cellSchema).describe('scenario x variant'),
  canCancel: z.boolean(),
  canResume: z.boolean(),
  canRetryErrors: z.boolean(),
  canRescore: z.boolean(),
  whyNotAgain: z.string().nullable().describe('why it cannot be run again; null: it can'),
});
export type RunHead = z.infer<typeof runHeadSchema>;

/** A run with the figures that all of its trials are read for; the trials are requested in pages. */
export const runDetailSchema = runHeadSchema.extend({
  judge: z
    .object({ trials: z.number(), cost: costSumSchema, tokens: tokenSumSchema })
    .nullable()
    .describe('the part of cost and tokens that judges spent; null: none was prompted'),
  passRate: passRateSchema,
  ratedMarks: z.array(markSchema).describe('of the trials of the pass rate; empty: they met the real thing'),
  cases: z.object({ judged: z.number(), passed: z.number() }).describe('passed: in every judged trial'),
  ci: sectionSchema.nullable().describe('null: no file has rules for CI; while the run goes on, by its trials so far'),
  attackWarning: z
    .string()
    .nullable()
    .describe('stands beside the outcome, which is about the tasks; null: no attack succeeded'),
  repeats: repeatsSchema.nullable().describe('null: nothing was to be repeated'),
  resilience: z.array(resilienceSchema).nullable().describe('null: the run has no named sets of faults'),
  again: z.object({ failed: z.number(), flaky: z.number() }).describe('cases that can be run again'),
});
export type RunDetail = z.infer<typeof runDetailSchema>;
/** A run whose figures may still be computed. */
export type ShownRun = RunHead & Partial<RunDetail>;

/** A trial as a list shows it. */
const trialItemSchema = trialHeadSchema.extend({
  input: z.string().optional().describe('how its input begins, where the name of the case says nothing'),
  faultCode: z.string().nullable(),
  marks: z.array(markSchema).readonly().describe('what Assay stood in for'),
  ...tokenColumnsShape(),
});
export type TrialItem = z.infer<typeof trialItemSchema>;

export const trialListQuery = z.object({
  ...pagingQuery,
  outcome: z.string().max(60).optional().describe('several are separated by commas'),
  scenario: z.string().max(500).optional(),
  variant: z.string().max(2_000).optional().describe('as JSON'),
  text: z.string().max(200).optional(),
  cluster: z.string().max(2_000).optional().describe('only trials of the cluster of failures with this key'),
  order: z.enum(['plan', 'started', 'duration', 'cost']).default('plan'),
  direction: z.enum(['asc', 'desc']).default('asc'),
});
export const trialListSchema = pageOf(trialItemSchema).extend({
  total: z.number().nullable().describe('trials that match; null: not counted'),
  trials: z.number().describe('that the run has so far'),
});
export type TrialList = z.infer<typeof trialListSchema>;

/** A figure of judged trials. */
export const metricMeanSchema = z.object({
  name: z.string(),
  unit: z.enum(['share', 'usd', 'ms', 'count', 'number']),
  mean: z.number().nullable().describe('of the means of the cases; null: nothing was observed'),
  lowest: z.number().nullable(),
  highest: z.number().nullable(),
  trials: z.number(),
  missing: z.number().describe('trials in which it was wanted and not observed'),
});

/** Figures and tables of the reports beside the totals and failures of a run. */
export const runBreakdownSchema = z.object({
  assertions: z
    .array(z.object({ name: z.string(), rate: passRateSchema, unjudged: z.number() }))
    .describe('assertions, gates, criteria and tests in judged trials; those that hold least often first'),
  metrics: z.array(metricMeanSchema).describe('figures of judged trials'),
  sections: z.array(sectionSchema).describe('guidance and variants, tool health, attacks and others'),
});
export type { BreakdownReport as RunBreakdown } from '../../../report/reporters/sections/breakdown.ts';

/** Trials that did not pass and went wrong alike. */
const failureClusterSchema = z.object({
  key: z.string().describe('names the cluster in the filter `cluster` of trials'),
  title: z.string().describe('what went wrong; … for the parts that differ'),
  outcome: outcomeSchema,
  count: z.number(),
  scenarios: z.array(z.string()),
  example: z.object({ trialId: z.string(), scenario: z.string(), caseId: z.string(), reason: z.string() }),
  trialIds: z.array(z.string()).describe('the first few'),
  firstFailure: z
    .string()
    .nullable()
    .describe('the step that failed first in most of them; null: no step failed, or it is not known'),
  nextStep: z.string().describe('what to do about it'),
});
export const failureClustersSchema = z.object({ clusters: z.array(failureClusterSchema), isComplete: z.boolean() });
export type FailureClusters = z.infer<typeof failureClustersSchema>;

/** The request to start a run; omitted fields take the values of the project's config. */
export const startRunSchema = z.strictObject(fieldsOf('api'));
export type StartRun = z.infer<typeof startRunSchema>;
export const startedRunSchema = z.object({ runId: z.string() });
export type StartedRun = z.infer<typeof startedRunSchema>;

/** Size, cost and time of a run that is not started. */
export const runPlanSchema = z.object({
  scenarios: z.number(),
  cases: z.number(),
  trials: z.number(),
  reused: z.number().describe('trials that would be taken over from earlier runs'),
  costUsd: z.number().nullable().describe('by earlier trials of the same scenario and variant; null: unknown'),
  isCostLowerBound: z.boolean().describe('a part of the cost is unknown, or only the least that it can be'),
  durationMs: z.number().nullable().describe('by earlier trials; null: a part of the run was not measured before'),
  earlierTrials: z.number().describe('that cost and time rest on'),
  variantCount: z.number(),
  variants: z
    .array(
      z.object({
        variant: variantSchema,
        trials: z.number(),
        costUsd: z.number().nullable(),
        isCostLowerBound: z.boolean(),
        earlierTrials: z.number(),
      }),
    )
    .describe('the first few'),
});
export type RunPlan = z.infer<typeof runPlanSchema>;

/** The request to plan an experiment without starting it; a part to compare need not be chosen yet. */
export const planExperimentSchema = startRunSchema
  .pick({ paths: true, tags: true, agents: true, models: true, connectors: true })
  .extend({ experiment: experimentWishSchema.partial().optional() });
export const experimentOutlineSchema = z.object({
  parts: z
    .array(z.object({ part: z.enum(variantParts), variants: z.array(z.string()) }))
    .describe('every part of the variants that the scenarios have; an empty name means without'),
  plan: z
    .object({
      reference: z.string(),
      cases: z.number(),
      leftOut: z.number().describe('cases that cannot be compared'),
      rounds: z.array(z.number()).describe('how many repeats of each case the rounds add'),
      firstRound: z.number().describe('trials of the first round'),
      maxTrials: z.number(),
    })
    .nullable()
    .describe('null: no part was chosen, or the experiment cannot be made'),
  problem: z
    .object({ message: z.string(), hint: z.string().nullable() })
    .nullable()
    .describe('why the experiment cannot be made'),
});
export type ExperimentOutline = z.infer<typeof experimentOutlineSchema>;
export type PlanExperiment = z.infer<typeof planExperimentSchema>;

/** A change of a run's name and labels; keys that are left out stay as they are. */
export const labelRunSchema = z.strictObject({
  name: z.string().trim().max(200).optional().describe('empty: without a name'),
  tags: z.array(z.string().trim().min(1).max(100)).max(50).optional(),
  notes: z.string().trim().max(20_000).optional(),
  isArchived: z.boolean().optional(),
});
export type LabelRun = z.infer<typeof labelRunSchema>;

/** A change of a live run. */
export const controlRunSchema = z.strictObject({
  action: z.enum(controlActions),
  concurrency: z.int().min(1).max(1_000).optional().describe('with `set`: trials at a time'),
  maxUsd: z.number().positive().optional().describe('with `set`: new spending limit'),
  trials: z
    .array(z.string().min(1).max(200))
    .max(10_000)
    .optional()
    .describe('with `requeue`: trials that ended in an error; all of them by default'),
});
export const controlledRunSchema = z.object({ runId: z.string(), message: z.string() });

/**
 * An event of a run's stream, sent at most a few times a second however fast trials finish. `progress` carries the whole
 * state, so a client that missed some has lost nothing; each event is unnamed and has an id to resume from. After
 * `finished` or `failed` the stream ends; a client that reconnects gets 204.
 */
export const runStreamEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    status: runStatusSchema,
    totals: totalsSchema,
    round: z
      .object({ round: z.number().describe('from 1'), rounds: z.number() })
      .nullable()
      .describe('the round of an experiment that goes on, and how many there may be; `totals` has those so far'),
    running: z
      .array(z.object({ trialId: z.string(), scenario: z.string(), caseId: z.string() }))
      .describe('the first few'),
    finishedPerSecond: z.number().nullable(),
    lastFinishedAt: z.number().nullable().describe('when a trial finished last; null: none was seen to finish'),
    secondsLeft: z.number().nullable(),
    ...costShape,
    recent: z.array(trialItemSchema).describe('finished since the last event, what did not pass first; the first few'),
  }),
  z.object({ type: z.literal('warning'), message: z.string() }),
  z.object({
    type: z.literal('finished'),
    status: runStatusSchema,
    totals: totalsSchema,
    outcome: z.enum(['pass', 'fail', 'error']),
    reason: z.string(),
  }),
  z.object({ type: z.literal('failed'), error: apiErrorOfRun() }).describe('the run itself broke'),
]);
export type RunStreamEvent = z.infer<typeof runStreamEventSchema>;

function apiErrorOfRun() {
  return z.object({ error: z.string(), code: z.string(), hint: z.string().optional() });
}

/** The first page of the UI. */
export const trendSchema = z
  .array(
    z.object({
      runId: z.string(),
      name: z.string().nullable(),
      startedAt: z.number(),
      marks: markCountsSchema,
      judged: z.number(),
      passRate: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      costUsd: z.number().nullable(),
    }),
  )
  .describe('the oldest first');

export const dashboardSchema = z.object({
  recent: z.array(runItemSchema),
  latest: runItemSchema.nullable().describe('the newest run, if possible one that is not of collected traces'),
  trends: z
    .array(
      z.object({
        scenarioNames: z.array(z.string()).describe('the first few'),
        scenarioCount: z.number(),
        trend: trendSchema,
      }),
    )
    .describe('one for each set of scenarios that was run as a whole, that of the newest run first; the first few'),
  waiting: z.number().describe('large runs whose figures are still computed; they are not in `trends` and `strip` yet'),
  strip: z
    .object({
      runs: z
        .array(z.object({ runId: z.string(), startedAt: z.number(), marks: markCountsSchema }))
        .describe('the oldest first'),
      rows: z
        .array(
          z.object({
            scenario: z.string(),
            file: z.string(),
            cells: z.array(
              z
                .object({ pass: z.number(), fail: z.number(), error: z.number() })
                .nullable()
                .describe('null: it was not part of the run'),
            ),
          }),
        )
        .describe('scenarios that did not always pass, the latest failures first; the first few'),
      failing: z.number().describe('how many there are'),
      passing: z.number().describe('scenarios that passed in all of these runs'),
    })
    .nullable()
    .describe('failures of the last runs; null where nothing was run'),
  broke: z
    .object({
      runId: z.string(),
      previousRunId: z.string(),
      cases: z.array(
        z.object({
          scenario: z.string(),
          caseId: z.string(),
          change: z.string(),
          reason: z.string(),
          trialId: z.string().nullable(),
        }),
      ),
      fixedCount: z.number(),
    })
    .nullable()
    .describe('what changed between the newest two runs of the same scenarios; null where there are none'),
});
export type Dashboard = z.infer<typeof dashboardSchema>;
