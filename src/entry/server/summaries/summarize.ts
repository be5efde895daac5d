import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { packedSide } from '../../../report/compare/packed-side.ts';
import { collectSide } from '../../../report/compare/side-collector.ts';
import { storedSource } from '../../../report/compare/stored-source.ts';
import { readClusteredFailures } from '../../../report/reporters/failure-clusters.ts';
import { readRunBreakdown } from '../../../report/reporters/sections/breakdown.ts';
import { keepColumns } from '../grid/case-columns.ts';
import { readJudgedTrials } from '../review/judged-trials.ts';
import { countStored } from '../runs/count-run.ts';
import { KeptResults } from './kept-results.ts';

/** Kept when all else is. */
const wholeSummary = 'whole';

/** The results about one run that its pages wait for, each made by a pass over its trials. */
const passes = {
  figures: (store: Store, run: RunHeader) => countStored(run, store),
  breakdown: (store: Store, run: RunHeader) => readRunBreakdown(store, run),
  clusters: (store: Store, { runId }: RunHeader) => readClusteredFailures(store, runId),
  judged: (store: Store, { runId }: RunHeader) => readJudgedTrials(store, runId),
  side: async (store: Store, run: RunHeader) => packedSide(await collectSide(storedSource(run, store))),
};

/** Reads the trials of a run that has ended once, and keeps all that its pages need of them. */
export async function summarize(store: Store, run: RunHeader): Promise<null> {
  const kept = await KeptResults.of([run], store);
  if (!kept || (await kept.read(wholeSummary))) return null;
  const shared = readingOnce(store);
  const made = Object.entries(passes).map(async ([name, read]) => kept.save(name, await read(shared, run)));
  await Promise.all([...made, keepColumns(shared, run, kept)]);
  await kept.save(wholeSummary, true);
  return null;
}

/** Readers that go on together are rarely farther apart. */
const mostPages = 12;

/** A store whose pages of trials are read once by readers that go through a run together. */
function readingOnce(store: Store): Store {
  const pages = new Map<string, ReturnType<Store['readTrials']>>();
  const counts = new Map<string, ReturnType<Store['countByCase']>>();
  return {
    ...store,
    readTrials(...request) {
      const key = JSON.stringify(request);
      const page = pages.get(key) ?? store.readTrials(...request);
      pages.delete(key);
      pages.set(key, page);
      const oldest = pages.keys().next().value;
      if (pages.size > mostPages && oldest !== undefined) pages.delete(oldest);
      return page;
    },
    countByCase(runId, scenario) {
      const key = JSON.stringify([runId, scenario]);
      const read = counts.get(key) ?? store.countByCase(runId, scenario);
      counts.set(key, read);
      return read;
    },
  };
}
