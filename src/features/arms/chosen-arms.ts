import type { ArmChoice } from '../../domain/arm-choice.ts';
import { type ArmPart, armParts, armsOf } from '../../domain/arm-parts.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import { suggestion } from '../../shared/suggest.ts';

/**
 * The scenarios under the chosen variants alone. A scenario that does not vary a part is left as it is, as one without
 * agents is by a choice of agents; one that has none of the chosen variants is left out.
 */
export function withChosenArms(scenarios: readonly Scenario[], arms: ArmChoice): readonly Scenario[] {
  const chosen = armParts.flatMap((part) => (arms[part] === undefined ? [] : [{ part, names: arms[part] }]));
  for (const { part, names } of chosen) assertArms(part, names, scenarios);
  const kept = scenarios.flatMap((scenario) => {
    const isChosen = (variant: Variant): boolean =>
      chosen.every(({ part, names }) => names.includes(variant[part] ?? '') || armsOf(scenario, part).length === 0);
    const variants = scenario.variants.filter(isChosen);
    return variants.length === 0 ? [] : [{ ...scenario, variants }];
  });
  if (kept.length > 0) return kept;
  const words = chosen.map(({ part, names }) => `${part} ${names.join(' or ')}`).join(', ');
  throw new AssayError('NOTHING_TO_RUN', `No scenario has a variant with ${words}.`, {
    hint: 'List the variants with `assay run --dry-run`.',
  });
}

/** A name that no scenario has is a mistake: the run would be smaller than it looks. */
function assertArms(part: ArmPart, names: readonly string[], scenarios: readonly Scenario[]): void {
  const existing = [...new Set(scenarios.flatMap((scenario) => armsOf(scenario, part)))];
  const unknown = names.find((name) => !existing.includes(name));
  if (unknown === undefined) return;
  throw new AssayError('NOTHING_TO_RUN', `No scenario has the ${part} "${unknown}".`, {
    hint: existing.length === 0 ? `Leave out the choice: no scenario varies ${part}.` : suggestion(unknown, existing),
  });
}
