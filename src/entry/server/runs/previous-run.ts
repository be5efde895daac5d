import { isEdited, isLiveStatus, type RunHeader } from '../../../domain/run.ts';
import { requireRun, type Store } from '../../../keep/store/store.ts';

const pageSize = 200;
/** Earlier runs that are looked through. */
const mostEarlier = 400;

/** The newest of those that share the most scenarios; undefined where none shares any. */
export function mostAlike(newest: RunHeader, older: readonly RunHeader[]): RunHeader | undefined {
  const names = scenarioKeys(newest);
  let best: { readonly run: RunHeader; readonly shared: number } | undefined;
  for (const run of older) {
    const shared = [...scenarioKeys(run)].filter((key) => names.has(key)).length;
    if (shared > (best?.shared ?? 0)) best = { run, shared };
  }
  return best?.run;
}

/** The scenarios of a run, whatever their order. */
export function scenarioKeys({ scenarios }: RunHeader): ReadonlySet<string> {
  return new Set(scenarios.map(({ name, file }) => `${file}\n${name}`));
}

/** The sides that a comparison starts with: a run, by default the newest, and the one before it that is most like it. */
export async function suggestedSides(
  wanted: string | undefined,
  store: Store,
): Promise<{ a: string | null; b: string | null }> {
  const b = wanted === undefined ? await newestRun(store) : await requireRun(store, wanted);
  if (!b) return { a: null, b: null };
  const earlier = await runsBefore(b, store);
  return { a: mostAlike(b, earlier)?.runId ?? null, b: b.runId };
}

async function newestRun(store: Store): Promise<RunHeader | undefined> {
  const { items } = await store.readRunRows({ limit: pageSize, isArchived: false });
  return items.map(({ run }) => run).find(isComparable);
}

/** The newest first. */
async function runsBefore({ runId, startedAt }: RunHeader, store: Store): Promise<RunHeader[]> {
  const found: RunHeader[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await store.readRunRows({ limit: pageSize, cursor, isArchived: false });
    const runs = items.map(({ run }) => run);
    found.push(...runs.filter((run) => run.runId !== runId && run.startedAt <= startedAt && isComparable(run)));
    cursor = next ?? undefined;
  } while (cursor !== undefined && found.length < mostEarlier);
  return found;
}

/** Neither one that goes on nor one with an input that is in no file. */
function isComparable(run: RunHeader): boolean {
  return !isLiveStatus(run.status) && !isEdited(run);
}
