import type { PartSpec, Scenario } from '../../domain/scenario.ts';
import { suspicionType } from '../../domain/suspicion.ts';
import type { Feature } from '../../engine/feature.ts';
import type { Honeypot, SuspicionConfig } from '../../score/evaluators/metrics/suspicion/suspicion-config.ts';

/** Lays the honeypots of `suspicion` into work directories, before it is remembered what is there. */
export const suspicions: Feature = {
  name: 'suspicion',
  async open({ scenarios }) {
    if (!(await Promise.all(scenarios.map(hasHoneypots))).includes(true)) return undefined;
    const { layHoneypots } = await import('./lay-honeypots.ts');
    return {
      prepared: (trial, work) => layHoneypots(honeypotsIn(trial.case.evaluators), work?.directory),
    };
  },
};

/** All cases of a scenario have the same evaluators; a dataset is not read for it. */
async function hasHoneypots(scenario: Scenario): Promise<boolean> {
  for await (const { evaluators } of scenario.cases()) return honeypotsIn(evaluators).length > 0;
  return false;
}

function honeypotsIn(evaluators: readonly PartSpec[]): readonly Honeypot[] {
  return evaluators.flatMap(({ type, config }) =>
    type === suspicionType ? (config as SuspicionConfig).honeypots : [],
  );
}
