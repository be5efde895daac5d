import * as z from 'zod';
import { isolationTierSchema } from '../../domain/isolation-tier.ts';
import { configFields } from '../../domain/option-schema.ts';
import { judgePrompts } from '../../domain/run-options/judge-prompt.ts';
import { connectorSpecSchema, personaSchema } from '../../drive/conversation/conversation-config.ts';
import { modelsConfigSchema } from '../../drive/models/models-config.ts';
import { networkSchema } from '../../drive/network/network-policy.ts';
import { features } from '../../features/index.ts';
import { sharedTargetSchema } from '../../load/scenarios/formats/schema-parts.ts';
import { parseBytes, parseDuration } from '../../shared/format.ts';
import { collectConfigSchema } from './collect-config.ts';
import { defaultConfig } from './default-config.ts';
import { exportConfigSchema } from './export-config.ts';
import { rulesSchema } from './rules-config.ts';
import { webhookSchema } from './webhook-config.ts';

const variables = z.record(z.string(), z.string());

const gatewaySchema = z.union([
  z.boolean(),
  z.strictObject({
    pinModel: z
      .union([z.boolean(), z.string().min(1)])
      .default(false)
      .describe('model of every request: the one named, or with `true` the model of the variant'),
  }),
]);

const agentConfigSchema = z.strictObject({
  kind: z.string().min(1).optional().describe('kind of agent, such as `claude-code` or `command`; by default its name'),
  command: z.string().min(1).optional().describe('shell command that starts the agent'),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/, 'an exact version, such as `1.2.3`')
    .optional()
    .describe('exact version, which is installed with npm into a cache folder; by default the program on PATH'),
  format: z.string().min(1).optional().describe('format of its output: claude, codex, …, auto or text'),
  model: z.string().min(1).optional().describe('model, unless the scenario or the command line names one'),
  models: z.array(z.string().min(1)).default([]).describe('models that it supports; empty: any model'),
  baseUrl: z.string().min(1).optional().describe('base URL of its model'),
  apiKey: z.string().optional().describe('API key; use ${VAR} instead of the key itself'),
  env: variables.default({}).describe('environment variables of the agent; ${VAR} is expanded'),
  args: z.array(z.string()).default([]).describe('additional arguments'),
  instructionFiles: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'for `command` and `acp`: files of the work directory that it reads as instructions; by default AGENTS.md',
    ),
  terminal: z
    .boolean()
    .optional()
    .describe('run it in a pseudo-terminal of 200 columns and 50 rows, for a program that needs one'),
  gateway: gatewaySchema
    .optional()
    .describe('false: it reaches its model without the gateway; by default as `gateway` of the config'),
  script: z.string().min(1).optional().describe('for `scripted`: file with its steps'),
});
export type AgentConfig = z.output<typeof agentConfigSchema>;

/** `agents:` of the project's config, by the names that scenarios and the command line use. */
const agentsConfigSchema = z.record(
  z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'a name of letters, digits, `.`, `_` and `-`'),
  agentConfigSchema,
);

const profileSchema = z.strictObject({
  agents: z.array(z.string().min(1)).min(1).describe('names of agents'),
  models: z.array(z.string().min(1)).default([]).describe('models to run each agent with'),
});

/** `profiles:` of the project's config: agents and models that are tried together. */
const profilesConfigSchema = z.record(z.string().min(1), profileSchema);

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** A model alone stands for all defaults. */
const cascadeSchema = z.preprocess(
  (written) => (typeof written === 'string' ? { model: written } : written),
  z.strictObject({
    model: z.string().min(1).describe('`provider/model` that judges first'),
    margin: z.number().min(0).default(0.1).describe('a score that is nearer to its threshold is unsure'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .describe('an answer of which the model is less certain is unsure'),
    check: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe('share of sure verdicts that the other models give too, to measure how often they agree'),
  }),
);

/** `judge:` of the project's config. */
const judgeConfigSchema = z.strictObject({
  model: oneOrMore.optional().describe('`provider/model`; several models vote'),
  cascade: cascadeSchema.optional().describe('a cheap model that judges first; `model` decides where it is unsure'),
  samples: z.int().min(1).max(25).default(1).describe('answers per model for each trial'),
  always: z.boolean().default(false).describe('run the judge even after a failed assertion; the trial stays failed'),
  prompt: z
    .enum(judgePrompts)
    .default('lean')
    .describe('rules that the judge is given; `long` also spells out what Assay verifies after the reply'),
  tokenBudget: z.int().min(1_000).max(1_000_000).default(24_000).describe('most tokens of a trial that the judge sees'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .optional()
    .describe('sampling temperature; by default 0 for one answer and 1 for several; null sends none'),
  maxOutputTokens: z
    .int()
    .min(100)
    .max(1_000_000)
    .optional()
    .describe('token limit of a reply, reasoning included; by default set by the number of criteria'),
  errors: z
    .enum(['error', 'fail', 'ignore'])
    .default('error')
    .describe('outcome of a trial whose judge could not answer: unjudged, failed, or judged without it'),
});

/** A persona whose name is by default its key. */
const namedPersonaSchema = personaSchema().extend({
  name: z.string().min(1).optional().describe('name of the persona; by default its key'),
  portrait: z
    .string()
    .min(1)
    .optional()
    .describe('image for the pages, relative to the config: PNG, JPEG, GIF or WebP of at most 1 MB'),
});

const evalSchema = z.strictObject({
  description: z.string().optional().describe('what the eval is for'),
  scenarios: z.array(z.string().min(1)).min(1).describe('names of its scenarios'),
  connector: z.string().min(1).optional().describe('connector that replaces those of its conversations'),
});

const patterns = z.array(z.string().min(1)).default([]);

const bundleConfigSchema = z.strictObject({
  include: patterns.describe(
    'files and folders that are bundled although Git ignores them, such as `dist` or `node_modules`',
  ),
  exclude: patterns.describe('files and folders that are not bundled'),
  maxMegabytes: z
    .number()
    .positive()
    .max(10_000)
    .default(defaultConfig.bundle.maxMegabytes)
    .describe('total size limit in megabytes'),
});

const retentionSchema = z.strictObject({
  olderThan: z
    .string()
    .refine(
      (text) => parseDuration(text) !== undefined,
      '`retention.olderThan` must be an age such as `30d`, `12h` or `45m`',
    )
    .optional()
    .describe('remove runs older than this, such as `30d`'),
  keep: z.int().min(0).optional().describe('remove all but the newest runs, this many'),
  maxSize: z
    .string()
    .refine((text) => parseBytes(text) !== undefined, '`retention.maxSize` must be a size such as `500MB` or `2GB`')
    .optional()
    .describe('remove the oldest runs until the rest is at most this size, such as `2GB`'),
});

/** Only the features themselves know what these keys hold. */
function ownKeysOfFeatures(): object {
  return Object.assign({}, ...features.map(({ config }) => config));
}

/** The project's config file, whatever format it is written in. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  scenarios: z
    .array(z.string().min(1))
    .default(defaultConfig.scenarios)
    .describe('files and folders that `assay run` runs by default'),
  exclude: z
    .array(z.string().min(1))
    .default(defaultConfig.exclude)
    .describe('files and folders below `scenarios` that are not scenarios, such as `fixtures/**`'),
  ...configFields(defaultConfig),
  models: modelsConfigSchema.prefault({}).describe('providers, their limits and prices'),
  agents: agentsConfigSchema.default({}).describe('agents by name, in addition to the built-in ones'),
  gateway: gatewaySchema
    .default(defaultConfig.gateway)
    .describe('recording proxy between agents and their models; false: agents reach their models directly'),
  agent: z.string().min(1).optional().describe('agent that drives CLI tools by default'),
  profiles: profilesConfigSchema.default({}).describe('profiles: agents and models to run together, by name'),
  target: sharedTargetSchema.optional().describe('CLI tool of scenarios with `target: from_config`'),
  fixtures: z.string().min(1).optional().describe('additional folder for templates and rubrics'),
  artifacts: z.string().min(1).optional().describe('folder for the artifacts of trials with agents'),
  isolation: isolationTierSchema
    .or(z.literal('auto'))
    .default(defaultConfig.isolation)
    .describe('isolation of agents from the machine; by default the strongest that works'),
  image: z.string().min(1).optional().describe('image of containers, for `isolation: container`'),
  dockerfile: z.string().min(1).optional().describe('Dockerfile from which the image is built instead'),
  network: networkSchema
    .default(defaultConfig.network)
    .describe('what agents can reach: `open`, `model-only`, `none` or `{ allow: [hosts] }`'),
  visible: z
    .array(z.string().min(1))
    .default(defaultConfig.visible)
    .describe('files and folders that agents may read although isolation would hide them'),
  connectors: z
    .record(z.string().min(1), connectorSpecSchema())
    .default({})
    .describe('conversational agents under test, by the names that scenarios use'),
  personas: z
    .record(z.string().min(1), namedPersonaSchema)
    .default({})
    .describe('simulated users, by the names that scenarios use'),
  evals: z
    .record(z.string().min(1), evalSchema)
    .default({})
    .describe('scenarios that are run together, by name: `assay run --eval <name>`'),
  plugins: z.array(z.string().min(1)).default([]).describe('files and packages with your own parts'),
  evaluators: z.array(z.string().min(1)).default([]).describe('older name of `plugins`'),
  limits: z
    .record(
      z.string().regex(/^(provider|target):.+$/, 'must be named `provider:<name>` or `target:<name>`'),
      z.int().min(1),
    )
    .default(defaultConfig.limits)
    .describe('trials that may use a provider or a target at the same time, over all workers'),
  bundle: bundleConfigSchema.prefault({}).describe('files of the project that are sent to workers'),
  worker: z
    .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
    .prefault({})
    .describe('which workers may run the trials of a distributed run'),
  webhooks: z
    .array(webhookSchema)
    .max(20)
    .default(defaultConfig.webhooks)
    .describe('URLs that are notified of finished runs, regressions and errors'),
  export: exportConfigSchema
    .prefault({})
    .describe('where traces and evaluation results are sent after a run, over OpenTelemetry'),
  ...ownKeysOfFeatures(),
  collect: collectConfigSchema.prefault({}).describe('how traces that are sent to `/v1/traces` become runs'),
  rules: rulesSchema.default(defaultConfig.rules).describe('how collected traces are judged, by the name of the rule'),
  retention: retentionSchema.prefault({}).describe('limits of `assay store clean`, unless the command line sets one'),
  judge: judgeConfigSchema.prefault({}).describe('judge settings, unless a scenario sets its own'),
});
