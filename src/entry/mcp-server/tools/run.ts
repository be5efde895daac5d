import * as z from 'zod';
import { optionsWithin } from '../../../compose/run/prepare-run.ts';
import { type ProjectRun, runProject } from '../../../compose/run/run-project.ts';
import { startOptions } from '../../../compose/run/start-options.ts';
import { formatPosition } from '../../../domain/errors.ts';
import { fieldsOf } from '../../../domain/option-schema.ts';
import type { RunEvent } from '../../../domain/run.ts';
import { experimentFacts, experimentFactsSchema, experimentText } from '../experiment-text.ts';
import { defineTool, projectOf, storeOf, type ToolContext } from '../served-tool.ts';
import {
  boundedAnswer,
  clipped,
  runFacts,
  runFactsSchema,
  runLine,
  trialFacts,
  trialFactsSchema,
  trialLine,
} from '../text.ts';

const quietMs = 200;

/** Reports the progress of a run, no more often than it can be read. */
class RunProgress {
  readonly #report: ToolContext['progress'];
  #planned = 0;
  #done = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(report: ToolContext['progress']) {
    this.#report = report;
  }

  readonly listen = (event: RunEvent): void => {
    if (event.type === 'run-started') {
      this.#planned = event.run.planned;
      this.#done = event.alreadyStored;
      this.#send(`${event.run.runId} has begun`);
    } else if (event.type === 'round-started') {
      this.#planned = event.planned;
    } else if (event.type === 'trial-finished') {
      this.#done++;
      const { scenario, caseId, outcome } = event.record;
      if (this.#done === this.#planned || performance.now() - this.#reportedAtMs >= quietMs)
        this.#send(`${outcome}: ${clipped(`${scenario} ${caseId}`, 100)}`);
    }
  };

  #send(message: string): void {
    this.#reportedAtMs = performance.now();
    this.#report(this.#done, this.#planned, message);
  }
}

const shownProblems = 20;

const outputSchema = z.object({
  run: runFactsSchema,
  problems: z
    .array(
      trialFactsSchema.extend({
        count: z.number().describe('trials of this scenario with the same outcome and reason text'),
      }),
    )
    .describe('trials that did not pass, grouped by reason text; each group by its first trial'),
  experiment: experimentFactsSchema.optional().describe('the decision; absent if the run is not an experiment'),
  warnings: z.array(z.string()),
  more: z.string().nullable(),
});

/** Runs scenarios. */
export const run = defineTool({
  name: 'run',
  title: 'Run scenarios',
  description:
    'Run evaluation scenarios of this project and wait for the verdicts. This starts the programs and servers under test, and agents and models where scenarios use them, which may take long and cost money: narrow it down with `scenario`, `paths` or `tags`, and set `maxUsd`. Progress is reported while it runs. A cancelled run keeps what has finished and can be taken up again with `resume`. What did not pass comes back with trial ids for `show`. To find out which of several variants is better, set `experiment`: it repeats as often as needed, and answers better, worse, no difference that matters, or not decided.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  inputSchema: z.strictObject(fieldsOf('mcp')),
  outputSchema,
  async call(given, context) {
    const project = await projectOf(context);
    const request = await startOptions(optionsWithin(given, context.folder, project), 'mcp', {
      project,
      withStore: async (use) => {
        await using store = await storeOf(context, project);
        return await use(store);
      },
    });
    const progress = new RunProgress(context.progress);
    await using finished = await runProject({
      project,
      openStore: () => storeOf(context, project),
      request,
      signal: context.signal,
      env: context.env,
      listeners: [progress.listen],
    });
    return await answerOf(finished);
  },
});

async function answerOf({ summary, store, warnings: found }: ProjectRun) {
  const facts = runFacts(summary);
  const groups = await store.readProblems(facts.runId, shownProblems + 1);
  const problems = groups.slice(0, shownProblems).map(({ first, count }) => ({ ...trialFacts(first), count }));
  const warnings = found.slice(0, shownProblems).map(({ at, message }) => `${formatPosition(at)}: ${clipped(message)}`);
  const more =
    groups.length > shownProblems ? `Call show with what: "${facts.runId}" to see all that did not pass` : null;
  const [first] = problems;
  const lines = [
    runLine(facts),
    ...experimentText(summary.run),
    ...problems.map((problem) => `${trialLine(problem)}${problem.count > 1 ? ` (and ${problem.count - 1} more)` : ''}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    more ?? '',
    first ? `To see why, call show with what: "${first.trialId}"` : '',
  ];
  return {
    data: { run: facts, ...experimentFacts(summary.run), problems, warnings, more },
    text: boundedAnswer(lines),
  };
}
