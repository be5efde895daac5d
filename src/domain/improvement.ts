import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { armLookSchema } from './experiment.ts';
import { runRequestSchema } from './run.ts';

/** The texts that can be improved. */
export const improvableTexts = ['guidance', 'descriptions', 'skill'] as const;
export type ImprovableText = (typeof improvableTexts)[number];

const improvementRequestSchema = lazySchema(() =>
  z.object({
    run: runRequestSchema,
    what: z.enum(improvableTexts),
    from: z.string().nullable().describe('the variant to begin with; null: the only one'),
    ideas: z.int().describe('ideas that the model proposes in each step'),
    maxSteps: z.int(),
    maxTrials: z.int().nullable().describe('most trials of the experiment of each step; null: 10 of each case'),
    maxUsd: z.number().nullable().describe('spending limit of everything together; null: none'),
    holdout: z.number().describe('share of the case families that are held out'),
    seed: z.int().describe('decides which families are held out'),
    proposer: z.string().describe('model that proposes, as provider/model'),
  }),
);
export type ImprovementRequest = z.infer<typeof improvementRequestSchema>;

const splitCaseSchema = lazySchema(() => z.object({ scenario: z.string(), caseId: z.string(), family: z.string() }));
export type SplitCase = z.infer<typeof splitCaseSchema>;

const splitSchema = lazySchema(() =>
  z.object({ training: z.array(splitCaseSchema), heldOut: z.array(splitCaseSchema) }),
);
export type CaseSplit = z.infer<typeof splitSchema>;

/** A run of the improvement; it has no id before it began. */
const stageSchema = lazySchema(() => z.object({ runId: z.string().nullable(), isFinished: z.boolean() }));
export type ImprovementStage = z.infer<typeof stageSchema>;

const heldOutResults = ['gained', 'worse', 'not-shown'] as const;

/** How an idea did on the cases that were held out. */
const heldOutResultSchema = lazySchema(() =>
  z.object({
    result: z.enum(heldOutResults).describe('not-shown: chance may explain the gain, or there is none'),
    meanReference: z.number(),
    mean: z.number(),
    difference: z.number(),
    low: z.number().nullable().describe('lower bound of the difference; null: too few trials'),
    level: z.number().describe('error rate of that bound'),
    cases: z.int(),
    summary: z.string(),
  }),
);
export type HeldOutResult = z.infer<typeof heldOutResultSchema>;

const ideaStates = [
  'proposed',
  'broken',
  'duplicate',
  'leak',
  'kept',
  'not-better',
  'worse-on-held-out',
  'not-shown-on-held-out',
  'set-aside',
] as const;

const editSchema = lazySchema(() =>
  z.object({ find: z.string().describe('empty: the text is added at the end'), replace: z.string() }),
);
export type TextEdit = z.infer<typeof editSchema>;

const ideaSchema = lazySchema(() =>
  z.object({
    arm: z.string().describe('its name as a variant'),
    title: z.string(),
    rationale: z.string(),
    edits: z.array(editSchema),
    state: z.enum(ideaStates),
    problem: z.string().nullable().describe('why it was not tried or not kept'),
    diff: z.string().nullable().describe('null: it cannot be applied'),
    training: armLookSchema.nullable(),
    heldOut: heldOutResultSchema.nullable(),
    trials: z.int().describe('trials of this variant'),
    costUsd: z.number().nullable().describe('of these trials; null: not known'),
  }),
);
export type Idea = z.infer<typeof ideaSchema>;

const proposalSchema = lazySchema(() =>
  z.object({
    model: z.string(),
    promptVersion: z.string(),
    costUsd: z.number().nullable(),
    tracesLeftOut: z.int().describe('traces that were not shown because they hold text of held-out cases'),
  }),
);

const stepSchema = lazySchema(() =>
  z.object({
    number: z.int(),
    reference: z.string().describe('the variant that the ideas change and are compared with'),
    level: z.number().describe('error rate of its experiment, for all ideas together'),
    proposal: proposalSchema.nullable(),
    ideas: z.array(ideaSchema),
    training: stageSchema,
    heldOut: z.record(z.string(), stageSchema).describe('by the idea that was tried'),
    kept: z.string().nullable(),
    isFinished: z.boolean(),
  }),
);
export type ImprovementStep = z.infer<typeof stepSchema>;

const improvementEndings = [
  'nothing-failed',
  'nothing-judged',
  'no-usable-idea',
  'nothing-helped',
  'steps-used-up',
  'budget-used-up',
  'not-comparable',
] as const;
export type ImprovementEnding = (typeof improvementEndings)[number];

/** Everything about an improvement so far: enough to resume it, and to report it. */
export const improvementSchema = lazySchema(() =>
  z.object({
    schema: z.literal('assay.improve/1'),
    id: z.string(),
    startedAt: z.number(),
    assayVersion: z.string(),
    request: improvementRequestSchema,
    file: z.string().describe('the file that is changed, relative to the project'),
    original: z.string().describe('its text before'),
    reference: z.string().describe('the variant that it began with'),
    split: splitSchema,
    observed: stageSchema,
    steps: z.array(stepSchema),
    spentUsd: z.number().describe('as far as costs are known'),
    unpricedTrials: z.int().describe('trials whose cost is not known'),
    ending: z.enum(improvementEndings).nullable().describe('null: it goes on, or was interrupted'),
    reason: z.string().nullable(),
    diff: z.string().nullable().describe('from the original to the best version; null: nothing was kept'),
    applied: z.array(z.string()).describe('files that were changed with --apply'),
  }),
);
export type Improvement = z.infer<typeof improvementSchema>;
