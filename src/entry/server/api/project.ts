import * as z from 'zod';
import { armChoiceSchema } from '../../../domain/arm-choice.ts';
import { markSchema } from '../../../domain/marks-schema.ts';
import { outcomeSchema } from '../../../domain/outcome.ts';

/** Something wrong in a file, and where. */
const fileProblemSchema = z.object({
  line: z.number().describe('from 1'),
  column: z.number().describe('from 1'),
  message: z.string(),
  hint: z.string().optional(),
  severity: z.enum(['error', 'warning']),
});
export type FileProblem = z.infer<typeof fileProblemSchema>;

const fileKindSchema = z.enum(['scenario', 'rubric', 'config']);
export type FileKind = z.infer<typeof fileKindSchema>;

/** A file of the project as an editor needs it. A write names the revision that was read. */
export const projectFileSchema = z.object({
  path: z.string().describe('relative to the project, with slashes'),
  kind: fileKindSchema,
  text: z.string(),
  revision: z.string().describe('SHA-256 of the text'),
  isEditable: z.boolean(),
  whyNot: z.string().nullable(),
  problems: z.array(fileProblemSchema),
});
export type ProjectFile = z.infer<typeof projectFileSchema>;

/** `revision` null makes a new file, and is refused where there is one. */
export const writeFileSchema = z.strictObject({
  kind: fileKindSchema,
  text: z.string().max(5_000_000),
  revision: z.string().nullable(),
});
export type WriteFile = z.infer<typeof writeFileSchema>;

/** A deletion names the revision that was read as well. */
export const deleteRevisionSchema = z.strictObject({ revision: z.string().nullable() });

/** Says that the file is not what was read; with what it is now. */
const fileConflictSchema = z.object({
  error: z.string(),
  code: z.literal('FILE_CONFLICT'),
  current: projectFileSchema.nullable(),
});
export type FileConflict = z.infer<typeof fileConflictSchema>;

/** A text that is checked as if it stood in the file; nothing is written. */
export const checkFileSchema = z.strictObject({
  path: z.string(),
  kind: fileKindSchema,
  text: z.string().max(5_000_000),
});
export const fileCheckSchema = z.object({
  problems: z.array(fileProblemSchema),
  scenarios: z.array(z.object({ name: z.string(), cases: z.number(), trials: z.number() })),
});
export type FileCheck = z.infer<typeof fileCheckSchema>;

/** A scenario in the list; one that cannot be read is there with its problems. */
const scenarioItemSchema = z.object({
  name: z.string(),
  file: z.string(),
  description: z.string(),
  target: z.string().describe('the kind of what is under test'),
  tags: z.array(z.string()),
  tier: z.number(),
  cases: z.number(),
  trials: z.number(),
  evaluators: z.array(z.string()),
  arms: armChoiceSchema.describe('names of its variants by part, which a run can be restricted to'),
  isEditable: z.boolean(),
  changedAt: z.number().nullable().describe('when the file was written last; null: unknown'),
  last: z
    .object({
      ...{ runId: z.string(), trialId: z.string(), outcome: outcomeSchema, startedAt: z.number() },
      marks: z.array(markSchema).readonly().describe('what Assay stood in for'),
    })
    .nullable(),
});
export type ScenarioItem = z.infer<typeof scenarioItemSchema>;
export const scenarioListSchema = z.object({
  items: z.array(scenarioItemSchema),
  broken: z.array(z.object({ file: z.string(), problems: z.array(fileProblemSchema) })),
});
export type ScenarioList = z.infer<typeof scenarioListSchema>;

const jsonSchemaSchema = z.record(z.string(), z.unknown());

export const evaluatorTypeSchema = z.object({
  type: z.string(),
  label: z.string(),
  description: z.string(),
  kind: z.enum(['assertion', 'metric']),
  configSchema: jsonSchemaSchema,
  builtin: z.boolean(),
  auto: z.boolean(),
  needs: z.array(z.string()),
  isGate: z.boolean(),
});
export type EvaluatorType = z.infer<typeof evaluatorTypeSchema>;

/** The schema of each kind of scenario file, without its evaluators, which have their own schemas. */
export const scenarioFormatsSchema = z.object({
  items: z.array(
    z.object({ kind: z.enum(['tool', 'cli-tool', 'conversation', 'mcp-server']), schema: jsonSchemaSchema }),
  ),
});
export type ScenarioFormats = z.infer<typeof scenarioFormatsSchema>;

export const connectorTypeSchema = z.object({ type: z.string(), summary: z.string(), configSchema: jsonSchemaSchema });
export type ConnectorType = z.infer<typeof connectorTypeSchema>;

/** Named parts that stand in the config file, such as personas and connectors. */
export const namedPartsSchema = z.object({
  file: z.string().nullable().describe('the config file; null where there is none yet'),
  revision: z.string().nullable(),
  isEditable: z.boolean(),
  whyNot: z.string().nullable(),
  schema: jsonSchemaSchema.describe('of one value'),
  items: z
    .array(z.object({ name: z.string(), value: z.record(z.string(), z.unknown()) }))
    .describe('as written: secrets stand as ${VAR} or are masked'),
});
export type NamedParts = z.infer<typeof namedPartsSchema>;
export const writeNamedPartSchema = z.strictObject({
  value: z.record(z.string(), z.unknown()),
  revision: z.string().nullable(),
});
export type WriteNamedPart = z.infer<typeof writeNamedPartSchema>;

/** A scenario by its name, as its file has it. */
export const namedScenarioSchema = z.object({
  name: z.string(),
  file: z.string(),
  revision: z.string().describe('of the file'),
  isEditable: z.boolean(),
  whyNot: z.string().nullable(),
  value: z.record(z.string(), z.unknown()).describe('as written: secrets stand as ${VAR} or are masked'),
});
export type NamedScenario = z.infer<typeof namedScenarioSchema>;
export const writeNamedScenarioSchema = z.strictObject({
  value: z.record(z.string(), z.unknown()),
  revision: z.string().nullable().describe('null: a new scenario'),
  file: z.string().min(1).max(1_000).optional().describe('of a new scenario'),
});
export type WriteNamedScenario = z.infer<typeof writeNamedScenarioSchema>;

export const tryConnectorSchema = z.strictObject({ message: z.string().min(1).max(10_000).optional() });
export const connectorTestSchema = z.object({
  isReached: z.boolean(),
  latencyMs: z.number().nullable(),
  reply: z.string().nullable(),
  problem: z.object({ message: z.string(), hint: z.string() }).nullable(),
});
export type ConnectorTest = z.infer<typeof connectorTestSchema>;

const rubricItemSchema = z.object({
  file: z.string(),
  title: z.string(),
  criteria: z.number(),
  passThreshold: z.number().nullable(),
  problems: z.array(fileProblemSchema),
});
export const rubricListSchema = z.object({
  items: z.array(rubricItemSchema),
  schema: jsonSchemaSchema.describe('of a rubric file'),
});
export type RubricList = z.infer<typeof rubricListSchema>;

/** The settings of the program; of keys only whether they are set. */
export const settingsSchema = z.object({
  project: z.object({
    folder: z.string().describe('its name'),
    configFile: z.string().nullable(),
    isConfigEditable: z.boolean(),
  }),
  store: z.string().describe('without passwords'),
  assayVersion: z.string(),
  judge: z.object({ models: z.array(z.string()), samples: z.number(), isEnabled: z.boolean() }),
  providers: z.array(
    z.object({
      name: z.string(),
      keyVariable: z.string().nullable(),
      hasKey: z.boolean(),
      baseUrl: z.string().nullable(),
      concurrency: z.number().nullable(),
    }),
  ),
  prices: z.array(
    z.object({
      model: z.string(),
      inputPerMillionUsd: z.number(),
      outputPerMillionUsd: z.number(),
      source: z.enum(['table', 'config']),
    }),
  ),
  agents: z.array(z.object({ id: z.string(), title: z.string(), isUsable: z.boolean(), detail: z.string() })),
  configSchema: jsonSchemaSchema,
});
export type Settings = z.infer<typeof settingsSchema>;

export const statusSchema = z.object({
  assayVersion: z.string(),
  project: z.string(),
  isEmpty: z.boolean().describe('there are no runs yet'),
  hasScenarios: z.boolean(),
  startedAt: z.number(),
  hasWorkers: z.boolean().describe('the store can be shared with workers'),
});
export type Status = z.infer<typeof statusSchema>;
