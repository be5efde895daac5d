import type { Scenario } from '../domain/scenario.ts';
import type { Variant } from '../domain/trial.ts';
import type { Limits } from '../keep/distribution/distribution.ts';
import { isRecord } from '../shared/json.ts';
import type { Project } from './config.ts';

/** Who may use what at the same time, for the trials of a scenario under a variant: over all workers of all runs. */
export function limitsOf(
  scenario: Scenario,
  variant: Variant,
  { runId, project, judges }: { readonly runId: string; readonly project: Project; readonly judges: readonly string[] },
): Limits {
  const models = [...(variant.model === undefined ? [] : [variant.model]), ...judges];
  const used = [
    ...models.map((model) => `provider:${model.split('/')[0]}`),
    ...targetNames(scenario, variant).map((name) => `target:${name}`),
  ];
  const limits = Object.entries(project.config.limits).filter(([name]) => used.includes(name));
  // What a run lets only one of its trials use at a time is no less alone when other machines take part.
  const shared = scenario.shares === undefined ? [] : [[`shared:${runId}:${scenario.shares}`, 1] as const];
  return Object.fromEntries([...limits, ...shared].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A target is known by its kind, by the name of its connector, and by the name that its settings give it. */
function targetNames({ target }: Scenario, { connector }: Variant): string[] {
  const config = isRecord(target.config) ? target.config : {};
  const named = [config.name, config.binary, isRecord(config.server) ? config.server.name : undefined];
  return [target.type, connector, ...named].filter((name) => typeof name === 'string');
}
