import * as z from 'zod';
import { isolationTierSchema } from '../domain/trace.ts';
import { modelsConfigSchema } from '../models/models-config.ts';
import { reporters } from '../reporters/index.ts';
import { agentsConfigSchema, profilesConfigSchema, sharedTargetSchema } from './agents-config.ts';
import { defaultConfig } from './default-config.ts';
import { judgeConfigSchema } from './judge-settings.ts';

const reporterNames = reporters.map((reporter) => reporter.name);

/** The project's config file, whatever format it is written in. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  scenarios: z
    .array(z.string().min(1))
    .default(defaultConfig.scenarios)
    .describe('files and folders that `assay run` takes when none are named'),
  store: z.string().min(1).default(defaultConfig.store).describe('where runs are kept'),
  concurrency: z.int().min(1).max(1_000).default(defaultConfig.concurrency).describe('trials at a time'),
  timeoutSecs: z
    .number()
    .positive()
    .max(86_400)
    .default(defaultConfig.timeoutSecs)
    .describe('for one trial, unless its scenario says otherwise'),
  reporters: z.array(z.enum(reporterNames)).default(defaultConfig.reporters).describe('reports to write after a run'),
  output: z.string().min(1).optional().describe('folder for report files'),
  models: modelsConfigSchema.prefault({}).describe('providers, their limits and prices'),
  agents: agentsConfigSchema.default({}).describe('agents by name, beside those that are known'),
  agent: z.string().min(1).optional().describe('who drives a CLI tool when nobody else is named'),
  profiles: profilesConfigSchema.default({}).describe('agents and models that are tried together, by name'),
  target: sharedTargetSchema.optional().describe('the CLI tool of scenarios that say `target: from_config`'),
  fixtures: z.string().min(1).optional().describe('folder in which templates and rubrics are looked for as well'),
  artifacts: z.string().min(1).optional().describe('folder for what trials with agents leave behind'),
  isolation: isolationTierSchema
    .or(z.literal('auto'))
    .default(defaultConfig.isolation)
    .describe('how agents are kept apart from the machine; by default as well as it allows'),
  judge: judgeConfigSchema.prefault({}).describe('who judges, unless a scenario says otherwise'),
});
