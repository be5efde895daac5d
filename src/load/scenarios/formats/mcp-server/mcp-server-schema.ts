import * as z from 'zod';
import { approvalsSectionSchema } from '../../../../domain/approval-policy.ts';
import { attackSectionSchema } from '../../../../domain/attacks/attack-suite.ts';
import { elicitationSuiteSchema, samplingSuiteSchema } from '../../../../domain/mcp/client-suites.ts';
import { promptSuiteSchema, resourceSuiteSchema } from '../../../../domain/mcp/feature-suites.ts';
import { oauth2SuiteSchema } from '../../../../domain/mcp/oauth-suites.ts';
import { toolHealthSuiteSchema, workflowSchema } from '../../../../domain/mcp/suites.ts';
import type { ServerPart } from '../../../../domain/mcp-findings.ts';
import { performanceSchema } from '../../../../domain/server-performance.ts';
import { faultsSectionSchema } from '../../../../domain/tool-control/faults.ts';
import { toolsSectionSchema } from '../../../../domain/tool-control/mocks.ts';
import { replaySectionSchema } from '../../../../domain/tool-control/replay.ts';
import type { KnownTools } from '../../../../domain/tools/known-tools.ts';
import { serverDefinitionSchema } from '../../../../drive/mcp/server-definition.ts';
import { toolRewritesSchema } from '../../../../drive/mcp/tool-rewrites.ts';
import { surfacesKeys } from '../agent-variants.ts';
import { ciSectionSchema } from '../ci-section.ts';
import { sourceSectionSchema, workerSectionSchema } from '../schema-parts.ts';
import type { FileReading } from '../tolerant-parse.ts';

/** Keys of suites and workflows as scenarios; those of the file apply to all. */
const scenarioKeys = {
  tags: z.array(z.string().min(1)).default([]).describe('labels that `--tags` selects by'),
  tier: z.int().min(0).optional().describe('0 smoke, 1 quick, 2 standard, 3 comprehensive'),
  repeat: z.int().min(1).max(10_000).optional().describe('trials of each suite or workflow'),
  ci: ciSectionSchema,
};

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const furtherEvaluators = z
  .array(z.unknown())
  .default([])
  .describe('further assertions and metrics: { type, config, when }');

/** The lists of suites in a file, and the part of a server that each tests. */
export const suiteKinds = [
  { key: 'toolHealthSuites', part: 'tool' },
  { key: 'resourceSuites', part: 'resource' },
  { key: 'promptSuites', part: 'prompt' },
  { key: 'samplingSuites', part: 'sampling' },
  { key: 'elicitationSuites', part: 'elicitation' },
  { key: 'oauth2Suites', part: 'oauth2' },
] as const satisfies readonly { readonly key: string; readonly part: ServerPart }[];

/** The schema of a file about an MCP server. */
export const mcpServerSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().optional().describe('name of the scenario'),
  description: z.string().optional().describe('what the scenario is for'),
  server: serverDefinitionSchema().describe('how the server is started or reached'),
  toolHealthSuites: z.array(toolHealthSuiteSchema.extend(scenarioKeys)).default([]).describe('tools called directly'),
  workflows: z
    .array(workflowSchema.extend({ ...scenarioKeys, evaluators: furtherEvaluators }))
    .default([])
    .describe('tools used by a model or an agent'),
  resourceSuites: z.array(resourceSuiteSchema.extend(scenarioKeys)).default([]).describe('tests of resources'),
  promptSuites: z.array(promptSuiteSchema.extend(scenarioKeys)).default([]).describe('tests of prompts'),
  samplingSuites: z
    .array(samplingSuiteSchema.extend(scenarioKeys))
    .default([])
    .describe('tests of sampling: requests of the server to the model of the client'),
  elicitationSuites: z
    .array(elicitationSuiteSchema.extend(scenarioKeys))
    .default([])
    .describe('tests of elicitation: requests of the server to the user of the client'),
  oauth2Suites: z.array(oauth2SuiteSchema.extend(scenarioKeys)).default([]).describe('tests of OAuth authorization'),
  tools: toolsSectionSchema,
  faults: faultsSectionSchema('mcp'),
  approvals: approvalsSectionSchema,
  replay: replaySectionSchema,
  attack: attackSectionSchema,
  concurrent: z
    .boolean()
    .default(false)
    .describe('the server is stateless: suites and workflows may use it at the same time'),
  performance: performanceSchema.optional(),
  worker: workerSectionSchema,
  source: sourceSectionSchema,
  timeout: z
    .number()
    .min(1)
    .max(86_400_000)
    .default(30_000)
    .describe('time limit for one call and for the start, in milliseconds'),
  model: z.string().min(1).optional().describe('model that drives the workflows, as provider/model'),
  models: z.array(z.string().min(1)).min(1).optional().describe('models that drive the workflows, one variant each'),
  agents: z.array(z.string().min(1)).optional().describe('coding agents that drive the workflows instead'),
  wordings: z
    .record(z.string().min(1), toolRewritesSchema())
    .default({})
    .describe('alternative names and descriptions of the tools, one variant each beside the original'),
  ...surfacesKeys('named sets of tools for `surfaces`'),
  llmJudge: z.boolean().default(false).describe('run a judge on each workflow'),
  openaiKey: z.string().optional().describe('API key for a judge of OpenAI; use ${VAR} instead of the key itself'),
  judgeModel: oneOrMore.optional().describe('judge model; gpt-4o by default, several models vote'),
  passThreshold: z.number().min(0).max(1).default(0.8).describe('lowest score of the judge that passes'),
  maxMessages: z.int().min(1).default(20).describe('number of last messages that the judge sees'),
  judgeEvidence: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('whether a pass of the judge needs quotes from the trace'),
  judgeErrors: z
    .enum(['error', 'fail', 'ignore'])
    .optional()
    .describe('outcome of a workflow whose judge could not answer'),
  ...scenarioKeys,
});
export type McpServerConfig = z.output<typeof mcpServerSchema>;

/** Every test of a suite, from all its lists. */
export function listedTests(suite: object): unknown[] {
  return Object.entries(suite).flatMap(([key, part]) =>
    key !== 'tags' && Array.isArray(part) ? (part as unknown[]) : [],
  );
}

/** The file of an MCP server that is being read. */
export interface McpServerReading extends FileReading {
  readonly config: McpServerConfig;
  /** Scenario names in use, and the part of the file that uses each. */
  readonly names: Map<string, ServerPart>;
}

/** The tools of a server, as far as its file names them: those of a server that exists only as data are all there. */
export function toolsOf({ server }: McpServerConfig): KnownTools {
  if (server.transport !== 'mock') return { tools: [], isComplete: false };
  return { tools: Object.keys(server.tools).map((tool) => ({ tool })), isComplete: true };
}
