import type { Variant } from './variant.ts';

/** Parts that scenario files vary, with the names that they give; agents, models and connectors are chosen by what there is. */
export const armParts = [
  'guidance',
  'skills',
  'harness',
  'persona',
  'description',
  'surface',
  'faults',
  'approvals',
] as const satisfies readonly (keyof Variant)[];
export type ArmPart = (typeof armParts)[number];

/** The names that the variants of a scenario have for a part; empty where the scenario does not vary it. */
export function armsOf({ variants }: { readonly variants: readonly Variant[] }, part: ArmPart): string[] {
  return [...new Set(variants.flatMap((variant) => variant[part] ?? []))];
}
