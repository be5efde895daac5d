import * as z from 'zod';
import { cliToolConfigSchema } from '../../../../drive/targets/agent-task/task-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { ScenarioParts } from '../../scenario-format.ts';
import { judgeSectionSchema } from '../judge-section.ts';
import { evaluatorSpecSchema } from '../native-schema.ts';
import { workerSectionSchema } from '../worker-section.ts';

const seconds = z.number().positive().max(86_400);
const variables = z.record(z.string(), z.string()).default({});
const weight = z.number().min(0).optional();
const command = filledText('a command must not be empty');
const names = z.preprocess(
  (value) => (typeof value === 'string' && value !== '' ? [value] : value),
  z.array(z.string().min(1)).min(1),
);

const targetSectionSchema = z.strictObject({
  binary: filledText('`target.binary` must not be empty').optional().describe('name or path of the program under test'),
  command_pattern: z
    .string()
    .optional()
    .describe('finds its commands in a transcript; a group captures the subcommand'),
  health_check: z.string().optional().describe('shell command that must succeed before the agent starts'),
  env: variables.describe('${VAR} is expanded'),
  inputs: names.optional().describe('what the tool is made of, for `--reuse`: files, folders or patterns'),
});

const scriptsSchema = z.strictObject({
  post: z.array(z.strictObject({ command, timeout_secs: seconds.default(30) })).default([]),
  evaluators: z.array(z.unknown()).default([]),
});

const evaluationSchema = z.strictObject({
  gates: z.array(z.unknown()).optional().describe('what must be true of the work that was left behind'),
  judge: judgeSectionSchema.optional(),
  composite: z
    .strictObject({ judge_weight: weight, gate_weight: weight, interaction_weight: weight })
    .optional()
    .describe('asks for one score made of the layers'),
});

const startedServerSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: variables,
});
const remoteServerSchema = z.strictObject({ url: z.string().min(1), headers: variables });

/**
 * The schema of a scenario file of llm-tool-test with the keys that Assay adds. What may be written in several ways is
 * chosen by what was written, so that a message speaks of that way only.
 */
export function llmToolTestSchema(parts: Pick<ScenarioParts, 'evaluators'>, written: Record<string, unknown>) {
  return z.strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1),
    description: z.string().default(''),
    template_folder: z.string().min(1).optional().describe('what the work directory is a copy of'),
    target: targetSchema(written.target).optional(),
    task: taskSchema(written.task),
    setup: z.strictObject({ commands: z.array(command) }).optional(),
    solution: command
      .optional()
      .describe('shell command that does the task; `assay validate --prove` tries the gates on it'),
    scripts: scriptsSchema.prefault({}),
    evaluation: evaluationSchema.optional(),
    gates: z.array(z.unknown()).optional().describe('the same as `evaluation.gates`'),
    evaluators: evaluatorsSchema(parts, written.evaluators).default([]),
    tool_matrix: z
      .array(z.strictObject({ tool: z.string().min(1), models: z.array(z.string().min(1)).default([]) }))
      .optional()
      .describe('agents and the models that each is tried with'),
    agents: names.optional().describe('tried with each of `models`'),
    models: names.optional(),
    guidance: guidanceSchema(written.guidance)
      .optional()
      .describe('files or folders that are compared with each other'),
    run: z.strictObject({ timeout_secs: seconds.optional(), max_turns: z.int().min(1).optional() }).prefault({}),
    tags: z.array(z.string().min(1)).default([]),
    tier: z.int().min(0).default(0).describe('0 smoke, 1 quick, 2 standard, 3 comprehensive'),
    cost: z
      .strictObject({
        max_usd: z.number().min(0).optional(),
        cache: z.boolean().optional().describe('true: reuse unchanged trials'),
      })
      .prefault({}),
    inputs: names.default([]).describe('what trials depend on, for `--reuse`: files, folders or patterns'),
    repeat: z.int().min(1).max(10_000).default(1),
    worker: workerSectionSchema,
    isolation: cliToolConfigSchema.shape.isolation,
    mcp_servers: mcpServersSchema(written.mcp_servers).default({}).describe('handed to the agent'),
  });
}
export type LlmToolTestFile = z.output<ReturnType<typeof llmToolTestSchema>>;

function filledText(message: string) {
  return z.string().refine((text) => text.trim() !== '', { message });
}

function taskSchema(written: unknown) {
  if (typeof written === 'string') return filledText('`task` must not be empty');
  return z.strictObject({ prompt: filledText('`task.prompt` must not be empty') });
}

function targetSchema(written: unknown) {
  if (typeof written !== 'string') return targetSectionSchema;
  const hint = didYouMean(written, ['from_config']) ?? `Name a program with \`target: { binary: ${written} }\`.`;
  const message = `\`target\` must be an object or \`from_config\`, not \`${written}\``;
  return z.string().refine((text) => text === 'from_config', { message, params: { hint } });
}

function guidanceSchema(written: unknown) {
  if (!isRecord(written)) return names;
  const isFilled = (map: Record<string, string>) => Object.keys(map).length > 0;
  const message = '`guidance` names no files';
  return z.record(z.string().min(1), z.string().min(1)).refine(isFilled, { message });
}

/** The schemas of all evaluators are made only where some are asked for, since they take longer than all the rest. */
function evaluatorsSchema(parts: Pick<ScenarioParts, 'evaluators'>, written: unknown) {
  if (written === undefined) return z.array(z.strictObject({ type: z.string(), config: z.unknown() }));
  return z.array(evaluatorSpecSchema(parts.evaluators));
}

function mcpServersSchema(written: unknown) {
  const servers = isRecord(written) ? Object.entries(written) : [];
  const schemas = servers.map(([name, server]) => [
    name,
    isRecord(server) && 'url' in server ? remoteServerSchema : startedServerSchema,
  ]);
  return z.strictObject(
    Object.fromEntries(schemas) as Record<string, typeof remoteServerSchema | typeof startedServerSchema>,
  );
}

/** The schema as it is published: every way to write a section at once, for editors and other programs. */
export function publishedLlmToolTestSchema(parts: Pick<ScenarioParts, 'evaluators'>) {
  const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
  return llmToolTestSchema(parts, {}).extend({
    target: z.union([targetSectionSchema, z.literal('from_config')]).optional(),
    task: z.union([taskSchema(''), taskSchema({})]),
    agents: oneOrMore.optional().describe('tried with each of `models`'),
    models: oneOrMore.optional(),
    guidance: z
      .union([oneOrMore, z.record(z.string().min(1), z.string().min(1))])
      .optional()
      .describe('files or folders that are compared with each other'),
    evaluators: evaluatorsSchema(parts, []).default([]),
    mcp_servers: z.record(z.string(), z.union([startedServerSchema, remoteServerSchema])).default({}),
  });
}
