import { endedKey } from '../../../domain/ended-key.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import type { ServerContext } from '../context.ts';
import { compareStored, compareVariantsOf } from '../runs/compare-stored.ts';
import { suggestedSides } from '../runs/previous-run.ts';
import { compute, isLarge, isReachable, summarizeOnce } from '../work/heavy-work.ts';

/**
 * Makes what the pages of a large run that has ended will ask for, before they do: its summary, and the comparison behind
 * its button. A failure comes up again where the result is shown.
 */
export function preparePages(run: RunHeader, context: ServerContext): void {
  const key = endedKey(run);
  if (key === undefined || !isLarge([run]) || !isReachable(context)) return;
  context.heavyWork.warm();
  const { prepared } = context.runCache;
  prepared.get(key, () => prepare(run, context)).catch(() => undefined);
}

/** The newest run of a list is the one that is opened most. */
export function prepareNewest(runs: readonly RunHeader[], context: ServerContext): void {
  const [newest] = runs;
  if (newest) preparePages(newest, context);
}

async function prepare(run: RunHeader, context: ServerContext): Promise<null> {
  const { signal, store } = context;
  await summarizeOnce(run, 'side', context);
  for (const kind of ['figures', 'clusters'] as const) await compute(kind, { run }, [run], context);
  const variants = (await store.countByCell(run.runId)).map(({ variant }) => variant);
  for (const by of Object.keys(variants[0] ?? {}) as (keyof Variant)[]) {
    const [valueA, valueB, third] = [...new Set(variants.map((variant) => variant[by]))];
    if (valueA === undefined || valueB === undefined) continue;
    await compareVariantsOf({ run: run.runId, by, force: false }, context, signal);
    if (third === undefined) await compareStored({ a: run.runId, by, valueA, valueB, force: false }, context, signal);
  }
  const { a } = await suggestedSides(run.runId, store);
  if (a !== null) await compareStored({ a, b: run.runId, force: false }, context, signal);
  // It reads all trials, and is folded on its page: the last that will be looked at.
  await compute('breakdown', { run }, [run], context);
  return null;
}
