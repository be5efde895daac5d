import * as z from 'zod';
import { summarizeRun } from '../../../domain/run.ts';
import { defineTool, onlyReads, storeOf } from '../served-tool.ts';
import { boundedAnswer, runFacts, runFactsSchema, runLine } from '../text.ts';

/** The stored runs. */
export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List stored runs',
  description:
    'List the newest stored runs with their ids, when they began and how they ended. Use the ids with `show` and `compare`.',
  annotations: onlyReads,
  inputSchema: z.strictObject({
    limit: z.int().min(1).max(200).default(20).describe('how many, the newest first'),
  }),
  outputSchema: z.object({ runs: z.array(runFactsSchema), more: z.string().nullable() }),
  async call({ limit }, context) {
    await using store = await storeOf(context);
    const headers = await store.listRuns(limit + 1);
    const runs = [];
    for (const header of headers.slice(0, limit)) {
      runs.push(runFacts(summarizeRun(header, await store.countTrials(header.runId), Date.now())));
    }
    const more = headers.length > limit ? 'There are older runs: call again with a larger limit' : null;
    const lines = runs.length === 0 ? ['No runs are stored yet. Start one with `run`.'] : runs.map(runLine);
    return { data: { runs, more }, text: boundedAnswer([...lines, more ?? '']) };
  },
});
