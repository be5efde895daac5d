import type * as z from 'zod';
import type { RunList, runListQuery } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { isLive } from '../live/is-live.ts';
import { runItem } from './run-item.ts';

/** A page of the runs, the newest first. */
export async function listRuns(query: z.output<typeof runListQuery>, context: ServerContext): Promise<RunList> {
  const { items, next } = await context.store.readRunRows(query);
  const shown = items.map(async ({ run, counts }) => runItem(run, counts, await isLive(run, context)));
  return { items: await Promise.all(shown), next };
}
