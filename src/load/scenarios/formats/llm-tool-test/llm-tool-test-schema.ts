import * as z from 'zod';
import { approvalsSectionSchema } from '../../../../domain/approval-policy.ts';
import { attackSectionSchema } from '../../../../domain/attacks/attack-suite.ts';
import { cliToolsSectionSchema } from '../../../../domain/tool-control/cli-mocks.ts';
import { faultsSectionSchema } from '../../../../domain/tool-control/faults.ts';
import { replaySectionSchema } from '../../../../domain/tool-control/replay.ts';
import {
  cliToolConfigSchema,
  remoteServerSchema,
  startedServerSchema,
} from '../../../../drive/targets/agent-task/task-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { CliToolDefaults, ScenarioParts } from '../../scenario-format.ts';
import { surfacesKeys } from '../agent-variants.ts';
import { ciSectionSchema } from '../ci-section.ts';
import { evaluatorSpecSchema } from '../evaluators-section.ts';
import { judgeSectionSchema } from '../judge-section.ts';
import { sharedTargetSchema, sourceSectionSchema, workerSectionSchema } from '../schema-parts.ts';
import type { FileReading } from '../tolerant-parse.ts';
import { harnessSectionSchema } from './harness-schema.ts';

const seconds = z.number().positive().max(86_400);
const weight = z.number().min(0).optional().describe('weight of this layer');
const command = filledText('a command must not be empty');
const names = z.preprocess(
  (value) => (typeof value === 'string' && value !== '' ? [value] : value),
  z.array(z.string().min(1)).min(1),
);

const targetSectionSchema = z.strictObject({
  ...sharedTargetSchema.shape,
  state: names
    .optional()
    .describe('files and folders of HOME in which the tool keeps its data, relative to it; gates get a copy'),
});

const scriptsSchema = z.strictObject({
  post: z
    .array(
      z.strictObject({
        command: command.describe('shell command that runs in the work directory'),
        timeout_secs: seconds.default(30).describe('time limit in seconds'),
      }),
    )
    .default([])
    .describe('commands that run when the agent has ended'),
  evaluators: z.array(z.unknown()).default([]).describe('scripts that print metrics: { name, command, timeout_secs }'),
});

const evaluationSchema = z.strictObject({
  gates: z.array(z.unknown()).optional().describe('checks of the work directory after the agent has ended'),
  graders: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'files and folders of the work directory that judge the work and must not be changed; by default the files that gates and scripts run',
    ),
  proves: z
    .boolean()
    .optional()
    .describe('false: gates that hold before the agent starts are meant, and a pass is not an `error`'),
  network: z
    .enum(['open', 'none'])
    .optional()
    .describe('network of gates and scripts after the agent; by default `none` where `network` is limited'),
  judge: judgeSectionSchema.optional().describe('verdict of a judge model'),
  composite: z
    .strictObject({ judge_weight: weight, gate_weight: weight, interaction_weight: weight })
    .optional()
    .describe('weights of the layers in the composite score'),
});

/** Descriptions of keys that may be written in several ways. */
const about = {
  target: 'the program under test; `from_config`: the `target` of the config',
  task: 'the task of the agent',
  agents: 'agents that do the task, each with each of `models`',
  models: 'models to run each agent with',
  guidance: 'files or folders to copy over the template, one variant each; by name: a path, or null for none',
  skills: 'folders with a SKILL.md that the agent gets, one variant each; by name: a folder, several, or null for none',
  triggers: 'prompts that should and should not make the agent use the skill, or a file with them; one case each',
  evaluators: 'further assertions and metrics',
  mcp_servers: 'MCP servers of the agent, by name',
};

/** Where trials run. */
const surroundings = {
  ci: ciSectionSchema,
  worker: workerSectionSchema,
  source: sourceSectionSchema,
  ...cliToolConfigSchema.pick({ isolation: true, image: true, dockerfile: true, network: true, browser: true }).shape,
};

const costSchema = z
  .strictObject({
    max_tokens: z.int().min(1).optional().describe('most tokens of one trial, for agents that go through the gateway'),
    max_usd: z.number().min(0).optional().describe('spending limit of one trial, in US dollars'),
    cache: z.boolean().optional().describe('true: reuse unchanged trials'),
  })
  .prefault({})
  .describe('cost and reuse of trials');

/**
 * The schema of a scenario file of llm-tool-test with the keys that Assay adds. Of several notations, the one in the file
 * is chosen, so messages are about that one only.
 */
export function llmToolTestSchema(parts: Pick<ScenarioParts, 'evaluators'>, written: Record<string, unknown>) {
  return z.strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).describe('name of the scenario'),
    description: z.string().default('').describe('what the scenario is for'),
    template_folder: z.string().min(1).optional().describe('template of the work directory'),
    target: targetSchema(written.target).optional().describe(about.target),
    task: taskKeySchema(written),
    setup: z
      .strictObject({ commands: z.array(command).describe('shell commands, in order') })
      .optional()
      .describe('commands that run before the agent starts'),
    solution: command
      .optional()
      .describe('shell command that does the task; `assay validate --prove` checks the gates with it'),
    scripts: scriptsSchema.prefault({}).describe('scripts of your own'),
    evaluation: evaluationSchema.optional().describe('how the work is evaluated'),
    gates: z.array(z.unknown()).optional().describe('the same as `evaluation.gates`'),
    evaluators: evaluatorsSchema(parts, written.evaluators).default([]).describe(about.evaluators),
    tool_matrix: z
      .array(
        z.strictObject({
          tool: z.string().min(1).describe('name of the agent'),
          models: z.array(z.string().min(1)).default([]).describe('models of the agent'),
        }),
      )
      .optional()
      .describe('agents, and the models to run each of them with'),
    agents: names.optional().describe(about.agents),
    models: names.optional().describe(about.models),
    guidance: guidanceSchema(written.guidance).optional().describe(about.guidance),
    skills: skillsSchema(written.skills).optional().describe(about.skills),
    harness: harnessSectionSchema,
    triggers: triggersSchema(written.triggers).optional().describe(about.triggers),
    run: z
      .strictObject({
        timeout_secs: seconds.optional().describe('time limit for the agent, in seconds'),
        max_turns: z.int().min(1).optional().describe('most turns of the agent'),
      })
      .prefault({})
      .describe('limits of one trial'),
    tags: z.array(z.string().min(1)).default([]).describe('labels that `--tags` selects by'),
    tier: z.int().min(0).default(0).describe('0 smoke, 1 quick, 2 standard, 3 comprehensive'),
    cost: costSchema,
    inputs: names.default([]).describe('files, folders or patterns that trials depend on, for `--reuse`'),
    repeat: z.int().min(1).max(10_000).default(1).describe('trials of each variant'),
    ...surroundings,
    tools: cliToolsSectionSchema,
    faults: faultsSectionSchema('cli'),
    approvals: approvalsSectionSchema,
    replay: replaySectionSchema,
    attack: attackSectionSchema,
    mcp_servers: mcpServersSchema(written.mcp_servers).default({}).describe(about.mcp_servers),
    ...surfacesKeys('named sets of tools for `surfaces`, each as `server/tool`'),
  });
}

export type LlmToolTestFile = z.output<ReturnType<typeof llmToolTestSchema>>;

function filledText(message: string) {
  return z.string().refine((text) => text.trim() !== '', { message });
}

function taskKeySchema({ task, triggers }: Record<string, unknown>) {
  if (triggers === undefined) return taskSchema(task).describe(about.task);
  const message = '`task` and `triggers` cannot be used together';
  return z.custom<undefined>((given) => given === undefined, { message }).optional();
}

function taskSchema(written: unknown) {
  if (typeof written === 'string') return filledText('`task` must not be empty');
  return z.strictObject({ prompt: filledText('`task.prompt` must not be empty').describe('text of the task') });
}

function targetSchema(written: unknown) {
  if (typeof written !== 'string') return targetSectionSchema;
  const hint = didYouMean(written, ['from_config']) ?? `Name a program with \`target: { binary: ${written} }\`.`;
  const message = `\`target\` must be an object or \`from_config\`, not \`${written}\``;
  return z.string().refine((text) => text === 'from_config', { message, params: { hint } });
}

function guidanceSchema(written: unknown) {
  if (!isRecord(written)) return names;
  const isFilled = (map: Record<string, unknown>) => Object.keys(map).length > 0;
  const message = '`guidance` must name at least one file';
  return z.record(z.string().min(1), z.string().min(1).nullable()).refine(isFilled, { message });
}

const skillArmSchema = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).nullable();

function skillsSchema(written: unknown) {
  if (!isRecord(written)) return names;
  const isFilled = (map: Record<string, unknown>) => Object.values(map).some((arm) => arm !== null);
  const message = '`skills` must name at least one folder';
  return z.record(z.string().min(1), skillArmSchema).refine(isFilled, { message });
}

const promptList = z.array(filledText('a prompt must not be empty'));

/** Prompts that should and should not make an agent use a skill. */
export const triggerPromptsSchema = z.strictObject({
  should: promptList.min(1).describe('prompts that should trigger the skill'),
  should_not: promptList.default([]).describe('prompts that should not, near misses included'),
});
export type TriggerPrompts = z.output<typeof triggerPromptsSchema>;

function triggersSchema(written: unknown) {
  return typeof written === 'string' ? filledText('`triggers` must not be empty') : triggerPromptsSchema;
}

/** The schemas of evaluators are built only for files that name some, because they take longer than everything else. */
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

/** The published schema, with every notation of each section. */
export function publishedLlmToolTestSchema(parts: Pick<ScenarioParts, 'evaluators'>) {
  const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
  return llmToolTestSchema(parts, {}).extend({
    target: z
      .union([targetSectionSchema, z.literal('from_config')])
      .optional()
      .describe(about.target),
    task: z
      .union([taskSchema(''), taskSchema({})])
      .optional()
      .describe(about.task),
    agents: oneOrMore.optional().describe(about.agents),
    models: oneOrMore.optional().describe(about.models),
    guidance: z
      .union([oneOrMore, z.record(z.string().min(1), z.string().min(1).nullable())])
      .optional()
      .describe(about.guidance),
    skills: z
      .union([oneOrMore, z.record(z.string().min(1), skillArmSchema)])
      .optional()
      .describe(about.skills),
    triggers: z
      .union([z.string().min(1), triggerPromptsSchema])
      .optional()
      .describe(about.triggers),
    evaluators: evaluatorsSchema(parts, []).default([]).describe(about.evaluators),
    mcp_servers: z
      .record(z.string(), z.union([startedServerSchema, remoteServerSchema]))
      .default({})
      .describe(about.mcp_servers),
  });
}

/** A scenario file of llm-tool-test that is being read. */
export interface LlmToolTestReading extends FileReading {
  readonly defaults: CliToolDefaults;
}
