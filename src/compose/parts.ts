import type { Evaluator } from '../evaluators/evaluator.ts';
import { evaluators } from '../evaluators/index.ts';
import type { ScenarioParts } from '../scenarios/scenario-format.ts';
import { targetKinds } from '../targets/index.ts';
import type { TargetKind } from '../targets/target.ts';

/** The registered parts, as scenarios are checked against them. */
export const registeredParts: ScenarioParts = { targets: targetKinds, evaluators };

/** The kinds of targets by type. */
export const registeredTargets: ReadonlyMap<string, TargetKind> = new Map(targetKinds.map((kind) => [kind.type, kind]));

/** The evaluators by type. */
export const registeredEvaluators: ReadonlyMap<string, Evaluator> = new Map(
  evaluators.map((evaluator) => [evaluator.type, evaluator]),
);
