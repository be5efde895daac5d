import * as z from 'zod';
import { isolationTierSchema } from '../../domain/trace.ts';
import { modelsConfigSchema } from '../../drive/models/models-config.ts';
import { connectorSpecSchema, personaSchema } from '../../drive/targets/conversation/conversation-config.ts';
import { defaultConfig } from './default-config.ts';

const variables = z.record(z.string(), z.string());

const agentConfigSchema = z.strictObject({
  kind: z.string().min(1).optional().describe('what it is, such as `claude-code` or `command`; by default its name'),
  command: z.string().min(1).optional().describe('shell command that starts it'),
  format: z.string().min(1).optional().describe('how its output is read: claude, codex, …, auto or text'),
  model: z.string().min(1).optional().describe('where neither the scenario nor the command line names one'),
  models: z.array(z.string().min(1)).default([]).describe('the models that it takes; any where the list is empty'),
  baseUrl: z.string().min(1).optional().describe('where its model is reached'),
  apiKey: z.string().optional().describe('its key; better ${VAR} than the key itself'),
  env: variables.default({}).describe('environment variables that it gets; ${VAR} is expanded'),
  args: z.array(z.string()).default([]).describe('further arguments'),
  script: z.string().min(1).optional().describe('for `scripted`: the file with its steps'),
});
export type AgentConfig = z.output<typeof agentConfigSchema>;

/** `agents:` of the project's config, by the names that scenarios and the command line use. */
const agentsConfigSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'a name of letters, digits, `.`, `_` and `-`'),
  agentConfigSchema,
);

const profileSchema = z.strictObject({
  agents: z.array(z.string().min(1)).min(1).describe('names of agents'),
  models: z.array(z.string().min(1)).default([]).describe('models that each agent is tried with'),
});

/** `profiles:` of the project's config: agents and models that are tried together. */
const profilesConfigSchema = z.record(z.string().min(1), profileSchema);

/** `target:` of the project's config: the CLI tool of scenarios that say `target: from_config`. */
export const sharedTargetSchema = z.strictObject({
  binary: z.string().min(1).optional().describe('name or path of the program under test'),
  command_pattern: z.string().optional().describe('finds its commands in a transcript'),
  health_check: z.string().optional().describe('shell command that must succeed before the agent starts'),
  env: variables.default({}).describe('environment variables; `${VAR}` is expanded'),
  inputs: z.array(z.string().min(1)).min(1).optional().describe('what the tool is made of, for `--reuse`'),
});

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** `judge:` of the project's config. */
const judgeConfigSchema = z.strictObject({
  model: oneOrMore.optional().describe('`provider/model`; several models vote'),
  samples: z.int().min(1).max(25).default(1).describe('how often each model is asked'),
  always: z.boolean().default(false).describe('ask even when an assertion has failed; it stays failed'),
  tokenBudget: z.int().min(1_000).max(1_000_000).default(24_000).describe('for what the judge is shown of a trial'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .optional()
    .describe('0 for one answer and 1 for several unless written; null sends none, for models that refuse it'),
  maxOutputTokens: z
    .int()
    .min(100)
    .max(1_000_000)
    .optional()
    .describe('limit of a reply, reasoning included; set by the number of criteria unless written'),
  errors: z
    .enum(['error', 'fail', 'ignore'])
    .default('error')
    .describe('what a judge that could not answer makes of a trial: unjudged, failed, or judged without it'),
  cache: z.boolean().default(true).describe('keep verdicts, so that an unchanged trial is not judged twice'),
});

/** Its name is the key that it stands under. */
const namedPersonaSchema = personaSchema().extend({
  name: z.string().min(1).optional().describe('by default the key'),
});

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
    .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
    .prefault({})
    .describe('which workers may run the trials of a distributed run'),
  judge: judgeConfigSchema.prefault({}).describe('who judges, unless a scenario says otherwise'),
});
