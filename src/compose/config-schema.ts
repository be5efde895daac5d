import * as z from 'zod';
import { isolationTierSchema } from '../domain/trace.ts';
import { modelsConfigSchema } from '../drive/models/models-config.ts';
import { connectorSpecSchema, personaSchema } from '../drive/targets/conversation/conversation-config.ts';
import { agentsConfigSchema, profilesConfigSchema, sharedTargetSchema } from './agents-config.ts';
import { defaultConfig } from './default-config.ts';
import { judgeConfigSchema } from './judge-settings.ts';

/** Its name is the key that it stands under. */
const namedPersonaSchema = personaSchema().extend({ name: z.string().min(1).optional() });

const patterns = z.array(z.string().min(1)).default([]);

const bundleConfigSchema = z.strictObject({
  include: patterns.describe(
    'files and folders that travel although Git ignores them, such as `dist` or `node_modules`',
  ),
  exclude: patterns.describe('files and folders that stay'),
  maxMegabytes: z
    .number()
    .positive()
    .max(10_000)
    .default(defaultConfig.bundle.maxMegabytes)
    .describe('all of them together'),
});

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
  reporters: z.array(z.string().min(1)).default(defaultConfig.reporters).describe('reports to write after a run'),
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
  connectors: z
    .record(z.string().min(1), connectorSpecSchema())
    .default({})
    .describe('conversational agents under test, by the names that scenarios use'),
  personas: z
    .record(z.string().min(1), namedPersonaSchema)
    .default({})
    .describe('who talks to conversational agents, by the names that scenarios use'),
  plugins: z.array(z.string().min(1)).default([]).describe('files and packages with parts of your own'),
  evaluators: z.array(z.string().min(1)).default([]).describe('the same; the name of earlier programs'),
  limits: z
    .record(
      z.string().regex(/^(provider|target):.+$/, 'must be named `provider:<name>` or `target:<name>`'),
      z.int().min(1),
    )
    .default(defaultConfig.limits)
    .describe('trials at a time that may use a provider or a target, over all workers'),
  bundle: bundleConfigSchema.prefault({}).describe('which files of the project travel to workers'),
  worker: z
    .strictObject({ tags: z.array(z.string().min(1)).default([]) })
    .prefault({})
    .describe('tags that a worker must have to run trials of this project'),
  judge: judgeConfigSchema.prefault({}).describe('who judges, unless a scenario says otherwise'),
});
