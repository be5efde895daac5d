import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { type PackedSide, unpackedSide } from '../../../report/compare/packed-side.ts';
import { collectSide, type ReadSide } from '../../../report/compare/side-collector.ts';
import { casesWithPartner, storedSource } from '../../../report/compare/stored-source.ts';

/** A run as a side of a comparison: as it is kept, or read where only some of its cases are compared or none is kept. */
export async function readSide(run: RunHeader, store: Store, comparedWith?: RunHeader): Promise<ReadSide> {
  const isPart = comparedWith !== undefined && casesWithPartner(run, comparedWith) !== undefined;
  const kept = isPart ? undefined : await KeptResults.of([run], store);
  const packed = await kept?.read<PackedSide>('side');
  return packed ? unpackedSide(packed) : collectSide(storedSource(run, store, comparedWith));
}
