import type { TrialRecord } from '../../../domain/record.ts';
import type { Store } from '../../../keep/store/store.ts';

/** Those who read side by side are at the same page, or next to it. */
const mostPages = 4;

/** A store whose pages of trials are read once for all who read the same run side by side. */
export function sharingPages(store: Store): Store {
  const pages = new Map<string, Promise<TrialRecord[]>>();
  return {
    ...store,
    readTrials(runId, request) {
      const key = JSON.stringify([runId, request]);
      const page = pages.get(key) ?? store.readTrials(runId, request);
      pages.set(key, page);
      const [oldest] = pages.keys();
      if (pages.size > mostPages && oldest !== undefined) pages.delete(oldest);
      return page;
    },
  };
}
