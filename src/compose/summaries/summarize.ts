import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { packedSide } from '../../report/compare/packed-side.ts';
import { finishSide, SideCollector } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { ColumnsCollector } from './columns-collector.ts';
import { countStored } from './count-run.ts';
import { eachCase } from './each-case.ts';
import { KeptResults } from './kept-results.ts';

/** Reads the trials of a run that has ended once, and keeps what its pages need of all of them, as far as it is not kept. */
export async function summarize(store: Store, run: RunHeader): Promise<null> {
  const kept = await KeptResults.of([run], store);
  if (!kept) return null;
  const columns = (await kept.isComplete('columns')) ? undefined : new ColumnsCollector(run.runId, store);
  const side = (await kept.isComplete('side')) ? undefined : new SideCollector();
  if (!columns && !side) return null;
  for await (const trials of eachCase(store, run)) {
    await columns?.add(trials);
    if (side) for (const record of trials) side.add(record);
  }
  await columns?.keep(run);
  if (!side) return null;
  await kept.save('side', packedSide(await finishSide(side, storedSource(run, store))));
  await kept.save('figures', await countStored(run, store));
  await kept.complete('side');
  return null;
}
