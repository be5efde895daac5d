import type { Case } from '../../domain/scenario.ts';
import { type CliToolConfig, cliToolConfigSchema } from '../../drive/targets/agent-task/task-config.ts';
import { defineTarget } from '../../drive/targets/target.ts';
import { type LoadResult, loadScenarios } from '../../load/scenarios/load.ts';
import {
  type CliToolDefaults,
  noCliToolDefaults,
  type ScenarioDefaults,
  type ScenarioParts,
} from '../../load/scenarios/scenario-format.ts';
import { gates } from '../../score/evaluators/gates/index.ts';
import { evaluators } from '../../score/evaluators/index.ts';
import { scriptEvaluator } from '../../score/evaluators/metrics/script.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Refuses one variable, to show where the findings of a target are reported. */
const cliTool = defineTarget({
  type: 'cli-tool',
  summary: 'a CLI tool',
  provides: ['workspace'],
  callKey: null,
  configSchema: cliToolConfigSchema,
  check: ({ env }) => ('REFUSED' in env ? [{ path: ['env', 'REFUSED'], message: 'refused by the target' }] : []),
  open: () => Promise.reject(new Error('nothing is run here')),
});

const all = [...evaluators, ...gates, scriptEvaluator];

/** Registry against which scenarios of llm-tool-test are checked. */
export const cliToolParts: ScenarioParts = {
  targets: [cliTool],
  evaluators: all.filter(({ type }, index) => all.findIndex((other) => other.type === type) === index),
};

/** A scenario that says no more than it has to. */
export const minimalCliTool = 'name: m\ntarget: { binary: tool }\ntask: { prompt: Do it }\nevaluation: { gates: [] }\n';

/** A rubric as the specification shows it. */
export const sampleRubric = `criteria:
  - id: command_correctness
    weight: 0.30
    description: "Uses valid CLI commands with correct syntax"
  - id: task_completion
    weight: 0.40
    description: "Completes all aspects of the assigned task"
  - id: efficiency
    weight: 0.30
    description: "Accomplishes the task without unnecessary commands or dead ends"
output:
  format: json
  require_fields: [scores, weighted_score, confidence, issues, highlights]
`;

/** Loads files of a folder with what the command line and the config say. */
export function loadCliTools(
  folder: string,
  paths: readonly string[],
  cliTools: Partial<CliToolDefaults> = {},
  defaults: Partial<ScenarioDefaults> = {},
): Promise<LoadResult> {
  return loadScenarios({
    paths,
    folder,
    parts: cliToolParts,
    defaults: { timeoutSecs: 30, ...defaults, cliTools: { ...noCliToolDefaults, ...cliTools } },
  });
}

/** The only scenario of a load without problems, with its one case and its config. */
export async function onlyScenario({ scenarios, problems, warnings }: LoadResult) {
  const [scenario, ...others] = scenarios;
  if (!scenario || others.length > 0 || problems.length > 0) throw new Error(JSON.stringify({ problems, scenarios }));
  const cases: Case[] = [];
  for await (const item of scenario.cases()) cases.push(item);
  const [task, ...more] = cases;
  if (!task || more.length > 0) throw new Error(`${cases.length} cases`);
  return { scenario, task, config: scenario.target.config as CliToolConfig, warnings };
}

/** The scenario of one text, in a fresh folder with further files. */
export async function readCliTool(
  text: string,
  files: Readonly<Record<string, string>> = {},
  cliTools: Partial<CliToolDefaults> = {},
  defaults: Partial<ScenarioDefaults> = {},
) {
  const folder = await temporaryFolder({ 'scenario.yaml': text, ...files });
  return { folder, ...(await onlyScenario(await loadCliTools(folder, ['scenario.yaml'], cliTools, defaults))) };
}
