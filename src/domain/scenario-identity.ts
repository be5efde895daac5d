import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** A scenario by its parts: two runs are comparable where the task is the same, and are about what differs in the subject. */
export const scenarioIdentitySchema = lazySchema(() =>
  z.object({
    task: z.string().describe('SHA-256 of prompts, cases and how they are judged, without what is under test'),
    template: z.string().describe('SHA-256 of the file without its cases; files that share it hold rows of one source'),
    subject: z
      .record(z.string(), z.string())
      .describe('what is under test, by path: connectors, server, tool, guidance; secrets as hashes'),
    clusters: z.literal(true).optional().describe('cases name the group of cases that they belong to'),
  }),
);
export type ScenarioIdentity = z.infer<typeof scenarioIdentitySchema>;
