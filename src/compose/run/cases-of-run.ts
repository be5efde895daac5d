import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Case } from '../../domain/scenario.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { checkScenarios } from './check-scenarios.ts';
import { FoundScenarios, scenarioKey } from './find-cases.ts';

/**
 * Finds the cases of a run in its files, without their secrets. A file that has changed since is not what was tried, so
 * its cases are not found. Files are read when the first case is wanted.
 */
export function casesOfRun(
  run: RunHeader,
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): (trial: TrialRecord) => Promise<Case | undefined> {
  const redact = projectRedaction(project, env);
  let unchanged: Promise<FoundScenarios> | undefined;
  return async (trial) => {
    unchanged ??= unchangedScenarios(run, project, env);
    const found = await (await unchanged).caseOf(trial);
    if (typeof found === 'string') return undefined;
    const { evaluators, ...described } = found.case;
    return { ...redactDeep(described, redact), evaluators: redactDeep(evaluators, redact) };
  };
}

async function unchangedScenarios(
  run: RunHeader,
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundScenarios> {
  const hashes = new Map(run.scenarios.map((scenario) => [scenarioKey(scenario), scenario.contentHash]));
  const files = [...new Set(run.scenarios.filter(({ contentHash }) => contentHash !== '').map(({ file }) => file))];
  try {
    const { scenarios } = files.length === 0 ? { scenarios: [] } : await checkScenarios(files, project, env);
    const same = scenarios.filter((scenario) => hashes.get(scenarioKey(scenario)) === scenario.contentHash);
    return new FoundScenarios(same, false);
  } catch {
    // A file that is gone is not what was tried either.
    return new FoundScenarios([], false);
  }
}
