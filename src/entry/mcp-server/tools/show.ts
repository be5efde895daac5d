import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { outcomeSchema } from '../../../domain/outcome.ts';
import type { Store } from '../../../keep/store/store.ts';
import { experimentFacts, experimentFactsSchema, experimentText } from '../experiment-text.ts';
import { ratedRun, ratedRunSchema } from '../rated-run.ts';
import { defineTool, onlyReads, pageOf, storeOf, type ToolOutput } from '../served-tool.ts';
import { boundedAnswer, runLine, trialFacts, trialFactsSchema, trialLine } from '../text.ts';
import { eventPageSchema, showEvent, showTrial, trialDetailsSchema } from '../trial-text.ts';

const inputSchema = z.strictObject({
  what: z
    .string()
    .min(1)
    .describe(
      'id of a run or of a trial (or an unambiguous beginning), `latest` for the newest run, or the name of a scenario',
    ),
  outcomes: z
    .array(outcomeSchema)
    .max(4)
    .optional()
    .describe('of a run: only trials with these outcomes, such as ["fail", "error"]'),
  event: z.int().min(0).optional().describe('of a trial: this event of its trace in full, as JSON'),
  ...pageOf(30, 100),
});

const outputSchema = z.object({
  kind: z.enum(['run', 'trial', 'event', 'scenario']),
  run: ratedRunSchema.optional(),
  experiment: experimentFactsSchema.optional().describe('of a run that is an experiment: its decision'),
  trials: z.array(trialFactsSchema).optional().describe('of a run, in plan order; of a scenario, the newest first'),
  trial: trialDetailsSchema.optional(),
  event: eventPageSchema.optional(),
  more: z.string().nullable().describe('how to see the rest; null when this is all'),
});
type Shown = z.output<typeof outputSchema>;
type ShowRequest = z.output<typeof inputSchema>;

/** A run, a trial or the last trials of a scenario. */
export const show = defineTool({
  name: 'show',
  title: 'Show a run, a trial or a scenario',
  description:
    'Look at stored results. A run: its totals, its pass rate and its trials, page by page; of an experiment also its decision. A trial: why it passed or failed, the result of every evaluator, and its trace (messages, tool calls, results) page by page; `event` gives one event of the trace in full. The name of a scenario: its newest trials. Long texts are cut, and `more` says how to see the rest.',
  annotations: onlyReads,
  inputSchema,
  outputSchema,
  async call(request, context) {
    await using store = await storeOf(context);
    const answer =
      (await showRun(request, store)) ??
      (await showStoredTrial(request, store)) ??
      (await showScenario(request, store));
    if (answer) return answer;
    throw new AssayError('NOT_FOUND', `There is no run, trial or scenario "${request.what}" in the store.`, {
      hint: 'Call list_runs for the ids of runs, or list_scenarios for the names of scenarios.',
    });
  },
});

async function showRun(
  { what, outcomes, from, limit }: ShowRequest,
  store: Store,
): Promise<ToolOutput<Shown> | undefined> {
  const header = await store.findRun(what);
  if (!header) return undefined;
  const { facts: run, sentence } = await ratedRun(header, store);
  const page = await store.readTrials(run.runId, { limit: limit + 1, after: from - 1, outcomes });
  const listed = page.slice(0, limit);
  const trials = listed.map(trialFacts);
  const next = (listed.at(-1)?.ordinal ?? 0) + 1;
  const more = page.length > limit ? `more trials: call again with from: ${next}` : null;
  const head = [runLine(run), sentence, ...experimentText(header)];
  const text = boundedAnswer([...head, ...trials.map(trialLine), more ?? '']);
  return { data: { kind: 'run', run, ...experimentFacts(header), trials, more }, text };
}

async function showStoredTrial(
  { what, event, from, limit }: ShowRequest,
  store: Store,
): Promise<ToolOutput<Shown> | undefined> {
  const record = await store.findTrial(what);
  if (!record) return undefined;
  const trace = (await store.readTrace(record.trialId)) ?? [];
  return event === undefined ? showTrial(record, trace, { from, limit }) : showEvent(trace, event, from);
}

async function showScenario({ what, limit }: ShowRequest, store: Store): Promise<ToolOutput<Shown> | undefined> {
  const records = await store.findTrialsOfScenario(what, limit + 1);
  if (records.length === 0) return undefined;
  const trials = records.slice(0, limit).map(trialFacts);
  const more = records.length > limit ? 'There are older trials: call again with a larger limit' : null;
  return { data: { kind: 'scenario', trials, more }, text: boundedAnswer([...trials.map(trialLine), more ?? '']) };
}
