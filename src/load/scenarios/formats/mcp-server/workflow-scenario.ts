import type { Workflow } from '../../../../domain/mcp/suites.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import type { Variant } from '../../../../domain/variant.ts';
import type { ToolSubsets } from '../../../../drive/mcp/surfaces/tool-surface.ts';
import { below } from '../../../sources/parsed-source.ts';
import { type CliToolDefaults, type ReadScenario, trialLimitMs } from '../../scenario-format.ts';
import { type ChoiceProblem, chooseVariants, surfaceProblems, withSurfaces } from '../agent-variants.ts';
import { readApprovals, withApprovals } from '../approvals-section.ts';
import { checkedEvaluator, planEvaluator, unmetNeeds } from '../evaluators-section.ts';
import { withFaultSets } from '../faults-section.ts';
import { refuseUnknownTools } from '../known-names.ts';
import { type McpServerConfig, type McpServerReading, toolsOf } from './mcp-server-schema.ts';
import {
  agentWorkflowLimitMs,
  type ScenarioSection,
  scenarioBase,
  targetSpec,
  withoutScenarioKeys,
  workflowLimitMs,
} from './scenario-base.ts';

/** Name of the server's own wording. */
const ownWording = 'original';

const metrics = ['workflow-success', 'workflow-tool-order', 'workflow-call-health'];

/** A workflow as a scenario, driven by models or by agents. */
export function workflowScenario(
  { evaluators, ...section }: Workflow & ScenarioSection & { readonly evaluators: readonly unknown[] },
  index: number,
  reading: McpServerReading,
): ReadScenario {
  const { config, source, context, found } = reading;
  const workflow = withoutScenarioKeys(section);
  const judge = judgeMeaning(config, context.defaults.isJudgeForced ?? false);
  const { isAgentDriven, variants, problems } = chooseDrivers(config, context.defaults.cliTools);
  found.problems.push(...problems.map(({ path, ...problem }) => ({ at: source.locate(path), ...problem })));
  const limitMs = isAgentDriven ? agentWorkflowLimitMs(workflow) : workflowLimitMs(workflow, config.timeout);
  const hasSubsets = Object.keys(config.subsets).length > 0;
  const hasWordings = Object.keys(config.wordings).length > 0;
  const targetType = isAgentDriven ? 'mcp-agent-workflow' : 'mcp-workflow';
  const further = workflowEvaluators(evaluators, index, targetType, reading);
  const only = {
    caseId: 'workflow',
    input: workflow,
    expected: workflow.steps.at(-1)?.expectedState,
    evaluators: [...metrics.map((type) => ({ type, config: {} })), ...further, ...judge.evaluators],
  };
  return {
    ...scenarioBase(section, 'workflow', only, reading),
    // An agent starts its own server.
    ...(isAgentDriven && { shares: undefined }),
    timeoutMs: trialLimitMs(limitMs / 1_000, context.defaults),
    target: targetSpec(
      targetType,
      {
        server: config.server,
        timeoutMs: config.timeout,
        ...(hasWordings && { wordings: { [ownWording]: {}, ...config.wordings } }),
        ...(hasSubsets && { subsets: config.subsets }),
      },
      reading,
    ),
    judge: judge.choice,
    variants: withApprovals(withFaultSets(variants, config.faults), config.approvals),
    approvals: readApprovals(config.approvals, source),
  };
}

/** Default judge of the original format. */
const usualJudgeModel = 'gpt-4o';

/** Reads the judge keys; the API key is not checked before the judge runs. */
function judgeMeaning(config: McpServerConfig, isForced: boolean) {
  const { llmJudge, judgeModel, judgeErrors, judgeEvidence, openaiKey, passThreshold, maxMessages } = config;
  const choice = {
    models: judgeModel === undefined ? [] : [judgeModel].flat(),
    usualModel: usualJudgeModel,
    samples: undefined,
    errors: judgeErrors,
    ...(openaiKey !== undefined && { apiKeys: { openai: openaiKey } }),
  };
  const score = { type: 'score-judge', config: { passThreshold, maxMessages, evidence: judgeEvidence } };
  return { evaluators: llmJudge || isForced ? [score] : [], choice };
}

/** Default model for workflows. */
const usualModel = 'anthropic/claude-sonnet-4-5';

/** Keys of a config for the drivers of workflows, for wordings and for surfaces. */
interface DriverSections {
  readonly model?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly wordings: Readonly<Record<string, unknown>>;
  readonly surfaces?: readonly string[] | undefined;
  readonly subsets: ToolSubsets;
}

/** Drivers of a workflow, with the wordings of the tools. */
interface Drivers {
  readonly isAgentDriven: boolean;
  readonly variants: readonly Variant[];
  readonly problems: readonly ChoiceProblem[];
}

const noRequest: CliToolDefaults = {
  fixturesFolders: [],
  agents: undefined,
  models: undefined,
  profile: undefined,
  profiles: {},
  tools: {},
  defaultAgent: () => '',
};

/** Agents or models, as the command line says, else the config; each with each wording. */
function chooseDrivers(sections: DriverSections, requested: CliToolDefaults = noRequest): Drivers {
  const written = sections.models ?? (sections.model === undefined ? undefined : [sections.model]);
  const agents = requested.agents ?? (sections.agents?.length ? sections.agents : undefined);
  const models = requested.models ?? written;
  const unoffered = surfaceProblems(sections);
  const all = (drivers: readonly Variant[]) => combined(drivers, wordingNames(sections), sections.surfaces);
  if (agents === undefined && requested.profile === undefined) {
    const drivers = (models?.length ? models : [requested.workflowModel ?? usualModel]).map((model) => ({ model }));
    return { isAgentDriven: false, variants: all(drivers), problems: unoffered };
  }
  const { variants, problems } = chooseVariants({ agents, models }, requested, { guidance: [], skills: [] });
  return { isAgentDriven: true, variants: all(variants), problems: [...problems, ...unoffered] };
}

function wordingNames({ wordings }: DriverSections): string[] {
  const names = Object.keys(wordings);
  return names.length === 0 || names.includes(ownWording) ? names : [ownWording, ...names];
}

function combined(
  drivers: readonly Variant[],
  wordings: readonly string[],
  surfaces: readonly string[] | undefined,
): readonly Variant[] {
  const worded = wordings.length > 0 ? wordings.map((description) => ({ description })) : [{}];
  const variants = drivers.flatMap((driver) => worded.map((wording) => ({ ...driver, ...wording })));
  // A trial is identified by its variant, so duplicates are removed.
  const different = new Map(variants.map((variant) => [JSON.stringify(variant), variant]));
  return withSurfaces([...different.values()], surfaces);
}

/** Further evaluators of a workflow, such as those of tool use. */
function workflowEvaluators(
  listed: readonly unknown[],
  index: number,
  targetType: string,
  { config, source, context, found }: McpServerReading,
): PartSpec[] {
  const inWorkflow = { source: below(source, ['workflows', index]), context, found };
  found.problems.push(...unmetNeeds(listed, targetType, inWorkflow));
  const planned = listed.flatMap((item, place) => planEvaluator(item, ['evaluators', place], inWorkflow));
  const { tools, isComplete } = toolsOf(config);
  // Agents have tools beside those of the server, and surfaces offer others in their place.
  const isOnlyServer = targetType === 'mcp-workflow' && (config.surfaces ?? []).length === 0;
  refuseUnknownTools(planned, { tools, isComplete: isComplete && isOnlyServer }, inWorkflow);
  return planned.flatMap((one) => checkedEvaluator(one, one.config, inWorkflow) ?? []);
}
