import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import { readVariantSides } from '../../../compose/summaries/kept-variant-sides.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { CollectedSide } from '../../../report/compare/collected-side.ts';
import { type PackedSide, unpackedSide } from '../../../report/compare/packed-side.ts';
import { collectSide, collectSidesBy, type ReadSide } from '../../../report/compare/side-collector.ts';
import { casesWithPartner, storedSource } from '../../../report/compare/stored-source.ts';

/** A run as a side of a comparison: as it is kept, or read where only some of its cases are compared or none is kept. */
export async function readSide(run: RunHeader, store: Store, comparedWith?: RunHeader): Promise<ReadSide> {
  return (await keptSide(run, store, comparedWith)) ?? collectSide(storedSource(run, store, comparedWith));
}

/** The same where it is kept. */
export async function keptSide(run: RunHeader, store: Store, comparedWith?: RunHeader): Promise<ReadSide | undefined> {
  if (comparedWith !== undefined && casesWithPartner(run, comparedWith) !== undefined) return undefined;
  const kept = await KeptResults.of([run], store);
  const packed = await kept?.read<PackedSide>('side');
  return packed && unpackedSide(packed);
}

/** The variants of a run by a part of them, in the order of its trials: as they are kept, or read. */
export async function readSidesBy(
  run: RunHeader,
  store: Store,
  part: keyof Variant,
): Promise<readonly CollectedSide[]> {
  const kept = await KeptResults.of([run], store);
  const packed = kept && (await readVariantSides(kept, part));
  if (packed) return packed.map(unpackedSide);
  return [...(await collectSidesBy(storedSource(run, store), part)).values()];
}
