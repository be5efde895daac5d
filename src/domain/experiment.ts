import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { type Variant, variantParts } from './variant.ts';

const smallestSchema = lazySchema(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('absolute'), value: z.number() }),
    z.object({ kind: z.literal('relative'), share: z.number() }),
  ]),
);

/** A request for an experiment; omitted fields take their usual values. */
export const experimentWishSchema = lazySchema(() =>
  z.strictObject({
    by: z.enum(variantParts).describe('the part of the variants that is compared'),
    reference: z.string().max(1_000).optional().describe('compare the others with this variant; the first by default'),
    metric: z.string().min(1).max(200).optional().describe('the figure that decides; `pass-rate` by default'),
    smallest: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('absolute'), value: z.number().positive() }),
        z.strictObject({ kind: z.literal('relative'), share: z.number().positive() }),
      ])
      .optional()
      .describe('smallest difference that matters; as usual for the figure by default'),
    isHigherBetter: z.boolean().optional().describe('whether more of the figure is better; as usual by default'),
    maxTrials: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe('most trials of all variants together; 10 of each case by default'),
  }),
);
export type ExperimentWish = z.infer<typeof experimentWishSchema>;

/** One that is not complete yet. */
export type OpenQuestion = { readonly [Field in keyof ExperimentWish]?: ExperimentWish[Field] | undefined };

/** The question of an experiment, and the plan by which it is decided; both are fixed before the first trial. */
export const experimentPlanSchema = lazySchema(() =>
  z.object({
    by: z.enum(variantParts).describe('the part of the variants that is compared'),
    reference: z.string().nullable().describe('the variant that the others are compared with; null: the first'),
    metric: z.string().describe('the figure that decides'),
    smallest: smallestSchema.nullable().describe('smallest difference that matters; null: as usual for the figure'),
    isHigherBetter: z.boolean().nullable().describe('null: as usual for the figure'),
    rounds: z.array(z.int().min(1)).describe('how many repeats of each case the rounds add'),
    maxTrials: z.int().describe('most trials of the whole experiment'),
    maxUsd: z.number().nullable().describe('spending limit; null: none'),
    errorRate: z.number().optional().describe('how often all looks together may be wrong; absent: 4.5 %'),
  }),
);
export type ExperimentPlan = z.infer<typeof experimentPlanSchema>;

const figureUnits = ['share', 'usd', 'ms', 'count', 'number'] as const;
export const armAnswers = ['better', 'worse', 'higher', 'lower', 'no-difference', 'not-enough-data'] as const;

const intervalSchema = lazySchema(() => z.object({ low: z.number(), high: z.number() }));

/** How one variant compared with the reference when it was looked at. */
export const armLookSchema = lazySchema(() =>
  z.object({
    arm: z.string(),
    answer: z.enum(armAnswers),
    isOnTheseCases: z.boolean().describe('the answer holds for these few cases, and not for others like them'),
    summary: z.string(),
    meanReference: z.number(),
    mean: z.number(),
    difference: z.number(),
    interval: intervalSchema.nullable(),
    unit: z.enum(figureUnits).optional().describe('of the means, the difference and its interval'),
    smallestDifference: z.number().optional().describe('smallest difference that matters, in the same unit'),
    typical: z
      .object({ ratio: z.number(), interval: intervalSchema.nullable() })
      .nullable()
      .optional()
      .describe('ratio of typical trials to those of the reference; null: the figure is not compared by ratios'),
    cases: z.int(),
    trialsToDecide: z.number().nullable().describe('estimate; null: cannot be estimated, or is decided'),
  }),
);
export type ArmLook = z.infer<typeof armLookSchema>;

/** The state of all variants when a round had ended. */
const experimentLookSchema = lazySchema(() =>
  z.object({
    round: z.int(),
    trials: z.int().describe('of all rounds so far'),
    level: z.number().describe('error rate at which this look was tested'),
    arms: z.array(armLookSchema).describe('variants that were not decided before'),
  }),
);
export type ExperimentLook = z.infer<typeof experimentLookSchema>;

export const experimentEndings = [
  'decided',
  'plan-used-up',
  'budget-used-up',
  'nothing-to-compare',
  'not-comparable',
] as const;

/** How an experiment has gone so far. */
export const experimentSchema = lazySchema(() =>
  z.object({
    reference: z.string(),
    looks: z.array(experimentLookSchema),
    ending: z.enum(experimentEndings).nullable().describe('null: it goes on, or was interrupted'),
    reason: z.string().nullable().describe('why it ended undecided'),
  }),
);
export type Experiment = z.infer<typeof experimentSchema>;

/** An experiment before it is started. */
export interface ExperimentOutline {
  /** Every part of the variants that the scenarios have, with its variants. */
  readonly parts: { readonly part: keyof Variant; readonly variants: string[] }[];
  /** Null where no part was chosen, or where the experiment cannot be made. */
  readonly plan: {
    readonly reference: string;
    readonly cases: number;
    readonly leftOut: number;
    readonly rounds: number[];
    readonly firstRound: number;
    readonly maxTrials: number;
  } | null;
  readonly problem: { readonly message: string; readonly hint: string | null } | null;
}
