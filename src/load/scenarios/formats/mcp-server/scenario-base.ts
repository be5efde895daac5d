import type { ScenarioCi } from '../../../../domain/ci.ts';
import type { Workflow } from '../../../../domain/mcp/suites.ts';
import type { ServerPart } from '../../../../domain/mcp-findings.ts';
import type { Case, PartSpec, Scenario } from '../../../../domain/scenario.ts';
import { isHttpServer, type ServerDefinition } from '../../../../drive/mcp/server-definition.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { namesSecret, namesSecretHeader } from '../../../../shared/redaction/assigned-secrets.ts';
import { caseByCase, commonParts } from '../../scenario-format.ts';
import { readToolControl } from '../faults-section.ts';
import { identityOf } from '../scenario-identity.ts';
import { listedTests, type McpServerConfig, type McpServerReading } from './mcp-server-schema.ts';

/** Common keys of suites and workflows. */
export interface ScenarioSection {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly tier?: number | undefined;
  readonly repeat?: number | undefined;
  readonly ci?: ScenarioCi | undefined;
}

type Shared = Omit<Scenario, 'target' | 'judge' | 'variants' | 'timeoutMs'>;

const partWords: Readonly<Record<ServerPart, string>> = {
  tool: 'tools',
  resource: 'resources',
  prompt: 'prompts',
  sampling: 'sampling',
  elicitation: 'elicitation',
  oauth2: 'OAuth',
  workflow: 'workflow',
};

/** Common parts of suites and workflows as scenarios: each has one case. */
export function scenarioBase(
  section: ScenarioSection,
  part: ServerPart,
  only: Case,
  reading: McpServerReading,
): Shared {
  const { config, source, context } = reading;
  const { tags = [], tier = config.tier ?? 0, repeat = config.repeat ?? 1 } = section;
  const both = (config.ci || section.ci) && { ...config.ci, ...section.ci };
  const { worker, replay } = config;
  const file = { ...section, tags: [...new Set([...config.tags, ...tags])], tier, repeat, ci: both, worker, replay };
  const content = contentOf(config, part, only);
  return {
    ...commonParts(file, source, context),
    name: ownName(section.name, part, reading),
    serverPart: part,
    // The session has one user, who answers for one trial at a time.
    shares:
      config.concurrent && !config.approvals
        ? undefined
        : `MCP server ${sha256(canonicalJson([config.server, context.directory]))}`,
    control: readToolControl(config, source),
    // Suites have no agent that could be persuaded.
    attack: part === 'workflow' ? config.attack : undefined,
    caseCount: 1,
    contentHash: sha256(canonicalJson([withoutSecrets(config.server), ...content])),
    identity: identityOf({ written: { content }, subjectKeys: [], subject: { server: config.server }, content: [] }),
    cases: () => caseByCase([only]),
  };
}

/** A target with the defaults of its config filled in. */
export function targetSpec(type: string, config: object, { context }: McpServerReading): PartSpec {
  const kind = context.parts.targets.find((candidate) => candidate.type === type);
  return { type, config: kind ? kind.configSchema.parse(config) : config };
}

/** The section without its scenario keys. */
export function withoutScenarioKeys<Section extends ScenarioSection>(
  section: Section,
): Omit<Section, 'tags' | 'tier' | 'repeat' | 'ci'> {
  const { tags: _tags, tier: _tier, repeat: _repeat, ci: _ci, ...rest } = section;
  return rest;
}

/** Results are found by name, so a workflow with the name of a suite gets a suffix. */
function ownName(name: string, part: ServerPart, { names }: McpServerReading): string {
  const usedBy = names.get(name);
  if (usedBy === undefined) names.set(name, part);
  return usedBy === undefined || usedBy === part ? name : `${name} (${partWords[part]})`;
}

/** All that decides a verdict beside the server. */
function contentOf(
  { timeout, wordings, subsets, performance, tools, faults, approvals, replay }: McpServerConfig,
  part: ServerPart,
  only: Case,
): unknown[] {
  const worded = part === 'workflow' ? [wordings] : [];
  const offered = part === 'workflow' && Object.keys(subsets).length > 0 ? [{ subsets }] : [];
  const monitored = part === 'workflow' || performance === undefined ? [] : [{ performance }];
  const mocked = tools === undefined ? [] : [{ tools }];
  const broken = faults === undefined ? [] : [{ faults }];
  const answered = approvals === undefined || part !== 'workflow' ? [] : [{ approvals }];
  const replayed = replay === undefined ? [] : [{ replay }];
  const optional = [...worded, ...offered, ...monitored, ...mocked, ...broken, ...answered, ...replayed];
  return [timeout, only.input, only.evaluators, ...optional];
}

/** The server without secrets, for the content hash. */
function withoutSecrets(server: ServerDefinition): unknown {
  const hidden = (values: Readonly<Record<string, string>>, isSecret: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isSecret(name) ? '' : value]));
  if (server.transport === 'stdio') return { ...server, env: hidden(server.env, namesSecret) };
  if (!isHttpServer(server)) return server;
  return { ...server, headers: hidden(server.headers, namesSecretHeader) };
}

/** Upper limit for every trial. */
const mostMs = 86_400_000;
/** A crashed server is restarted a few times; each start may take as long as a call. */
const starts = 6;
const marginMs = 30_000;
/** Time of a model for one reply, and a generous number of parallel tool calls. */
const replyMs = 120_000;
const callsPerReply = 8;
const agentStepMs = 600_000;

/** Time limit of a suite: each test has its own limit, so this one only ends a stuck suite. */
export function suiteLimitMs(suite: { readonly timeout?: unknown }, timeoutMs: number, repeatCalls = 0): number {
  const callMs = typeof suite.timeout === 'number' ? suite.timeout : timeoutMs;
  const testsMs = listedTests(suite).reduce<number>((sum, test) => sum + testMs(test, callMs), 0);
  const allMs = testsMs * (1 + repeatCalls);
  return Math.min(starts * Math.max(callMs, timeoutMs) + allMs + marginMs, mostMs);
}

/** Time limit of a workflow. */
export function workflowLimitMs({ steps, maxSteps }: Workflow, timeoutMs: number): number {
  const stepMs = maxSteps * (replyMs + callsPerReply * timeoutMs);
  return Math.min(starts * timeoutMs + steps.length * stepMs + marginMs, mostMs);
}

/** Time limit of a workflow that an agent drives. */
export function agentWorkflowLimitMs({ steps }: Workflow): number {
  return Math.min(steps.length * agentStepMs, mostMs);
}

function testMs(test: unknown, callMs: number): number {
  if (!isRecord(test)) return callMs;
  const own = typeof test.timeout === 'number' ? test.timeout : callMs;
  const retries = typeof test.retries === 'number' ? test.retries : 0;
  // Items of lists in a test, such as hostile inputs, are separate calls.
  const listed = Object.values(test).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0);
  return Math.max(own, callMs) * (1 + retries + listed);
}
