import { isCollected, type RunHeader } from '../../domain/run.ts';
import { runsToRemove } from '../../keep/store/retention.ts';
import type { RunRow, Store } from '../../keep/store/store.ts';
import { parseBytes, parseDuration } from '../../shared/format.ts';
import type { CollectConfig } from '../config/collect-config.ts';

/** Removes collected runs by age, outcome and size; other runs, runs of baselines and runs that go on stay. Gives their ids. */
export async function removeOldCollectedRuns(
  store: Store,
  protectedIds: ReadonlySet<string>,
  { olderThan, failuresOlderThan, maxSize }: CollectConfig['retention'],
  now: number,
): Promise<string[]> {
  const age = msOf(olderThan);
  const failuresAge = msOf(failuresOlderThan) ?? age;
  const bytes = maxSize === undefined ? undefined : parseBytes(maxSize);
  if (age === undefined && failuresAge === undefined && bytes === undefined) return [];
  const rows = await collectedRows(store);
  const tooOld = rows
    .filter(({ run }) => !protectedIds.has(run.runId))
    .filter(({ run, counts }) => isOlder(run, counts.fail + counts.error > 0 ? failuresAge : age, now))
    .map(({ run }) => run.runId);
  const runs = rows.map(({ run }) => run).filter(({ runId }) => !tooOld.includes(runId));
  const sizes = bytes === undefined ? new Map<string, number>() : await store.readRunSizes();
  const tooLarge = runsToRemove({ runs, protectedIds, sizes }, { bytes });
  return store.deleteRuns([...tooOld, ...tooLarge]);
}

function msOf(age: string | undefined): number | undefined {
  return age === undefined ? undefined : parseDuration(age);
}

function isOlder({ startedAt }: RunHeader, age: number | undefined, now: number): boolean {
  return age !== undefined && startedAt < now - age;
}

async function collectedRows(store: Store): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let cursor: string | undefined, isEnd = false; !isEnd; ) {
    const page = await store.readRunRows({ limit: 200, cursor });
    rows.push(...page.items.filter(({ run }) => isCollected(run)));
    cursor = page.next ?? undefined;
    isEnd = page.next === null;
  }
  return rows;
}
