import type { RunHeader } from '../../domain/run.ts';
import { type Variant, variantParts } from '../../domain/variant.ts';
import type { Store } from '../../keep/store/store.ts';
import { type PackedSide, packedSide } from '../../report/compare/packed-side.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import type { VariantSides } from '../../report/compare/variants/variant-sides.ts';
import type { KeptResults } from './kept-results.ts';

type Part = keyof Variant;

/** The parts in which the variants of a run differ. */
export async function differingParts({ runId }: Pick<RunHeader, 'runId'>, store: Store): Promise<readonly Part[]> {
  const variants = (await store.countByCell(runId)).map(({ variant }) => variant);
  return variantParts.filter((part) => new Set(variants.map((variant) => variant[part] ?? '')).size > 1);
}

/** Keeps the sides of the variants of a run; the parts that are missing are collected when they are wanted. */
export async function keepVariantSides(
  sides: VariantSides,
  run: RunHeader,
  kept: KeptResults,
  store: Store,
): Promise<void> {
  for (const part of sides.parts) {
    const finished = await sides.finish(part, storedSource(run, store));
    await kept.save(nameOf(part), finished.map(packedSide));
  }
  const differing = await differingParts(run, store);
  if (sides.isFull || differing.every((part) => sides.parts.includes(part))) await kept.complete('variants');
}

/** The sides by a part, in the order in which their trials came; undefined where they are not kept. */
export function readVariantSides(kept: KeptResults, part: Part): Promise<readonly PackedSide[] | undefined> {
  return kept.read(nameOf(part));
}

function nameOf(part: Part): string {
  return `sides by ${part}`;
}
