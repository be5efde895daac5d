import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { packedSide } from '../../report/compare/packed-side.ts';
import { finishSide, SideCollector } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { VariantSides } from '../../report/compare/variants/variant-sides.ts';
import { Clustering } from '../../report/reporters/failure-clusters.ts';
import { ColumnsCollector } from './columns-collector.ts';
import { countStored } from './count-run.ts';
import { eachCase, isInPlanOrder } from './each-case.ts';
import { KeptResults } from './kept-results.ts';
import { differingParts, keepVariantSides } from './kept-variant-sides.ts';

/** Reads the trials of a run that has ended once, and keeps what its pages need of all of them, as far as it is not kept. */
export async function summarize(store: Store, run: RunHeader): Promise<null> {
  const kept = await KeptResults.of([run], store);
  if (!kept) return null;
  const columns = (await kept.isComplete('columns')) ? undefined : new ColumnsCollector(run.runId, store);
  const side = (await kept.isComplete('side')) ? undefined : new SideCollector();
  const variants = (await kept.isComplete('variants')) ? undefined : await variantSidesOf(run, store);
  if (!columns && !side && !variants) return null;
  const clustering = isInPlanOrder(run) ? new Clustering() : undefined;
  for await (const trials of eachCase(store, run)) {
    columns?.add(trials);
    await columns?.saveTexts();
    for (const record of trials) {
      clustering?.add(record);
      side?.add(record);
      variants?.add(record);
    }
  }
  await columns?.keep(run);
  if (clustering) await kept.save('clusters', await clustering.finish(store));
  if (variants) await keepVariantSides(variants, run, kept, store);
  if (!side) return null;
  await kept.save('side', packedSide(await finishSide(side, storedSource(run, store))));
  await kept.save('figures', await countStored(run, store));
  await kept.complete('side');
  return null;
}

/** In another order the sums of a side are others in their last digits. */
async function variantSidesOf(run: RunHeader, store: Store): Promise<VariantSides | undefined> {
  if (!isInPlanOrder(run)) return undefined;
  return new VariantSides(run.planned, await differingParts(run, store));
}
