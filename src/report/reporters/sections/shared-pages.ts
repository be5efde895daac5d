import type { TrialRecord } from '../../../domain/record.ts';
import type { Store } from '../../../keep/store/store.ts';

type Page = Promise<TrialRecord[]>;

/**
 * Does several works that read the same trials side by side: each page is read once for all. Those that want the next page
 * wait until the others want one too, or have ended.
 */
export function readTogether<Result>(
  store: Store,
  works: readonly ((shared: Store) => Promise<Result>)[],
): Promise<Result[]> {
  const busy = new Set(works);
  let waiting: (readonly [work: (typeof works)[number], goOn: () => void])[] = [];
  let pages = new Map<string, Page>();
  const rest = (work: (typeof works)[number]): void => {
    busy.delete(work);
    if (busy.size > 0) return;
    const woken = waiting;
    waiting = [];
    pages = new Map();
    for (const [next] of woken) busy.add(next);
    for (const [, goOn] of woken) goOn();
  };
  const sharedBy = (work: (typeof works)[number]): Store => ({
    ...store,
    async readTrials(runId, request) {
      await new Promise<void>((goOn) => {
        waiting.push([work, goOn]);
        rest(work);
      });
      const key = JSON.stringify([runId, request]);
      const page = pages.get(key) ?? store.readTrials(runId, request);
      pages.set(key, page);
      return page;
    },
  });
  return Promise.all(works.map((work) => work(sharedBy(work)).finally(() => rest(work))));
}
