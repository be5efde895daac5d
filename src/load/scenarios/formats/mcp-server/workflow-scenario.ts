import type { Workflow } from '../../../../domain/mcp-suites.ts';
import type { ReadScenario } from '../../scenario-format.ts';
import { judgeMeaning } from './judge-keys.ts';
import type { Reading } from './reading.ts';
import { type ScenarioSection, scenarioBase, targetSpec, withoutScenarioKeys } from './scenario-base.ts';
import { agentWorkflowLimitMs, workflowLimitMs } from './time-limits.ts';
import { chooseDrivers, ownWording } from './variants.ts';
import { workflowEvaluators } from './workflow-evaluators.ts';

const metrics = ['workflow-success', 'workflow-tool-order', 'workflow-call-health'];

/** A workflow as a scenario, driven by models or by agents. */
export function workflowScenario(
  { evaluators, ...section }: Workflow & ScenarioSection & { readonly evaluators: readonly unknown[] },
  index: number,
  reading: Reading,
): ReadScenario {
  const { config, source, context, found } = reading;
  const workflow = withoutScenarioKeys(section);
  const judge = judgeMeaning(config, context.defaults.isJudgeForced ?? false);
  const { isAgentDriven, variants, problems } = chooseDrivers(config, context.defaults.cliTools);
  found.problems.push(...problems.map(({ path, ...said }) => ({ at: source.locate(path), ...said })));
  const seconds = context.defaults.mcpServers?.timeoutSecs;
  const limitMs = isAgentDriven ? agentWorkflowLimitMs(workflow) : workflowLimitMs(workflow, config.timeout);
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
    // An agent starts a server of its own.
    ...(isAgentDriven && { shares: undefined }),
    timeoutMs: seconds === undefined ? limitMs : seconds * 1_000,
    target: targetSpec(
      targetType,
      {
        server: config.server,
        timeoutMs: config.timeout,
        ...(hasWordings && { wordings: { [ownWording]: {}, ...config.wordings } }),
      },
      reading,
    ),
    judge: judge.choice,
    variants,
  };
}
