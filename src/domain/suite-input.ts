import * as z from 'zod';
import { elicitationSuiteSchema, samplingSuiteSchema } from './mcp-client-suites.ts';
import { promptSuiteSchema } from './mcp-prompt-suites.ts';
import { resourceSuiteSchema } from './mcp-resource-suites.ts';
import { toolHealthSuiteSchema } from './mcp-suites.ts';

const toolUses = z.array(z.object({ tool: z.string(), args: z.array(z.string()) }));

/** What a trial of a suite is about: the suite, and of which kind it is. */
export const suiteInputSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tool'),
    suite: toolHealthSuiteSchema,
    coveredElsewhere: toolUses.default([]).describe('what other suites of the same file call'),
    reportsCoverage: z.boolean().default(true).describe('false where another suite of the same file does'),
  }),
  z.object({ kind: z.literal('resource'), suite: resourceSuiteSchema }),
  z.object({ kind: z.literal('prompt'), suite: promptSuiteSchema }),
  z.object({ kind: z.literal('sampling'), suite: samplingSuiteSchema }),
  z.object({ kind: z.literal('elicitation'), suite: elicitationSuiteSchema }),
  z.object({ kind: z.literal('oauth2'), suite: z.looseObject({ name: z.string() }) }),
]);
export type SuiteInput = z.output<typeof suiteInputSchema>;
