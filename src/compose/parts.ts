import type { EngineParts } from '../engine/run.ts';
import { evaluators } from '../evaluators/index.ts';
import type { ScenarioParts } from '../scenarios/scenario-format.ts';
import { targetKinds } from '../targets/index.ts';

/** The registered parts, as scenarios are checked against them. */
export const registeredParts: ScenarioParts = { targets: targetKinds, evaluators };

/** The registered parts, as the engine looks them up. */
export const engineParts: Pick<EngineParts, 'targets' | 'evaluators'> = {
  targets: new Map(targetKinds.map((kind) => [kind.type, kind])),
  evaluators: new Map(evaluators.map((evaluator) => [evaluator.type, evaluator])),
};
