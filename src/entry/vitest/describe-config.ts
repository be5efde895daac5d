import { relative, resolve } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { openProject } from '../../compose/config/project.ts';
import { type EvaluateOptions, evaluate, wantedParts } from '../../compose/run/evaluate.ts';
import type { EvaluationReport } from '../../compose/run/evaluation-report.ts';
import { selectScenarios } from '../../compose/run/prepare-run.ts';
import { completeRequest } from '../../compose/run/run-project.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { showSuite, showTest, showWorkflow } from './config-results.ts';
import { isDebugAsked } from './debug-log.ts';
import { describeSafely } from './describe-safely.ts';
import { toolTestNames } from './tool-test-names.ts';

export interface ConfigOptions extends Omit<EvaluateOptions, 'signal'> {
  /** Milliseconds for the whole config; 120,000 by default. */
  readonly timeout?: number;
}

/** Time to end servers after the time for the config was up. */
const graceMs = 10_000;

/** A suite with a test for each tool test, other suite and workflow of a config, which is run once as a whole. */
export function describeEvalFromConfig(name: string, configPath: string, options: ConfigOptions = {}): void {
  const { timeout = 120_000, ...asked } = options;
  describeSafely(name, async () => {
    const scenarios = await scenariosIn(configPath, asked);
    const reports: EvaluationReport[] = [];
    beforeAll(async () => {
      const debug = asked.debug ?? isDebugAsked();
      reports.push(await evaluate(configPath, { ...asked, debug, signal: AbortSignal.timeout(timeout) }));
    }, timeout + graceMs);
    for (const scenario of scenarios) await describeScenario(scenario, () => reports);
  });
}

/** The same for the tool health suites alone. */
export function describeToolHealthFromConfig(
  name: string,
  configPath: string,
  options: Omit<ConfigOptions, 'toolHealthOnly' | 'workflowsOnly'> = {},
): void {
  describeEvalFromConfig(name, configPath, { ...options, toolHealthOnly: true });
}

async function scenariosIn(configPath: string, options: EvaluateOptions): Promise<readonly Scenario[]> {
  const { env } = process;
  const project = await openProject(process.cwd(), env);
  const paths = [relative(project.folder, resolve(configPath))];
  const request = completeRequest({ paths, serverParts: wantedParts(options) }, project);
  const { scenarios } = await selectScenarios(request, project, { isJudgeForced: options.llmJudge === true, env });
  return scenarios;
}

async function describeScenario(scenario: Scenario, reports: () => readonly EvaluationReport[]): Promise<void> {
  const { name, serverPart } = scenario;
  const ofSuite = () => reports().flatMap((report) => report.toolHealthResults.filter((r) => r.suiteName === name));
  const ofWorkflow = () => reports().flatMap((report) => report.evaluations.filter((e) => e.workflowName === name));
  if (serverPart === 'workflow') {
    it(name, (context) => showWorkflow(ofWorkflow(), context));
    return;
  }
  if (serverPart !== 'tool') {
    it(name, () => showSuite(ofSuite()));
    return;
  }
  const tests = await toolTestNames(scenario);
  describe(name, () => {
    for (const [index, test] of tests.entries()) it(test, () => showTest(ofSuite(), index));
  });
}
