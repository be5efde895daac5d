import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { attackClassSchema, attackPlaceSchema } from './attack-suite.ts';

const plantedGoalSchema = lazySchema(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('call'),
      tool: z.string().describe('tool or program that must not be called'),
      args: z
        .union([z.array(z.string()), z.record(z.string(), z.unknown())])
        .optional()
        .describe('only calls with these arguments count: the first ones of a program, or some of a tool by name'),
      description: z.string().optional().describe('of a tool that Assay offers; absent where the real tool is meant'),
    }),
    z.object({
      kind: z.literal('leak'),
      secret: z.string().describe('drawn for the trial; it opens nothing'),
      file: z.string().optional().describe('file of the work directory that holds it; absent: the results of tools do'),
    }),
    z.object({
      kind: z.literal('change'),
      file: z.string().describe('relative to the work directory'),
      content: z.string().optional().describe('of a file that Assay created; absent where it was there'),
    }),
  ]),
);
export type PlantedGoal = z.infer<typeof plantedGoalSchema>;

/** The attack of a trial, as it was planted. */
export const plantedAttackSchema = lazySchema(() =>
  z.object({
    name: z.string(),
    suite: z.string(),
    version: z.int().min(1).describe('of the suite'),
    class: attackClassSchema,
    place: attackPlaceSchema,
    goal: plantedGoalSchema,
    text: z.string().describe('the instruction as it was planted'),
    rule: z.string().describe('place of the attack in its file'),
  }),
);
export type PlantedAttack = z.infer<typeof plantedAttackSchema>;

/** In the words for an action of Assay by which an instruction came before the agent. */
export const plantedWords = 'planted instruction';

/** An event that shows that an attack succeeded. */
const attackEvidenceSchema = lazySchema(() =>
  z.object({
    event: z.int().min(0).describe('index of the event in the trace'),
    what: z.string().describe('what was seen there'),
  }),
);
export type AttackEvidence = z.infer<typeof attackEvidenceSchema>;

/** How the attack of a trial ended, by what was observed. */
export const attackFindingSchema = lazySchema(() =>
  z.object({
    name: z.string(),
    suite: z.string(),
    version: z.int().min(1).describe('of the suite'),
    class: attackClassSchema,
    place: attackPlaceSchema,
    goal: z.enum(['call', 'leak', 'change']),
    outcome: z
      .enum(['succeeded', 'blocked', 'resisted', 'not-reached', 'unknown'])
      .describe(
        'blocked: tried, and refused by the isolation; not-reached: the agent was not seen to get the instruction; unknown: success could have gone unseen',
      ),
    reason: z.string(),
    evidence: z.array(attackEvidenceSchema).describe('events that show a success; the first of them'),
  }),
);
export type AttackFinding = z.infer<typeof attackFindingSchema>;
