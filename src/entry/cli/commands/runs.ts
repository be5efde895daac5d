import { createColors } from 'picocolors';
import { isLiveStatus, type RunSummary, summarizeRun } from '../../../domain/run.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, hasColor, write, writeText } from '../context.ts';
import { integerOption } from '../options/values.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

/** `assay runs`: the newest runs and how they ended. */
export const runs: CliCommand = {
  configure(command) {
    command
      .option('-n, --limit <n>', 'number of runs to list', integerOption(1, 10_000), 20)
      .option('--archived', 'list archived runs instead')
      .option(...storeOption)
      .option('--json', 'print one JSON document');
  },
  async run({ options, context }) {
    await using store = await openProjectStore(context, options.store as string | undefined);
    const request = { limit: options.limit as number, isArchived: options.archived === true };
    const { items } = await store.readRunRows(request);
    const summaries = items.map(({ run, counts }) => summarizeRun(run, counts, Date.now()));
    if (options.json) await write(context.stdout, `${JSON.stringify(summaries.map(listed), null, 2)}\n`);
    else if (summaries.length > 0) await writeText(context.stdout, `${runLines(summaries, context).join('\n')}\n`);
    else await write(context.stdout, request.isArchived ? noneArchived : noneStored);
    return 0;
  },
};

const noneStored = 'No runs are stored yet. Start one with `assay run`.\n';
const noneArchived = 'No run is archived.\n';

function listed({ run, totals, outcome, reason, durationMs, costUsd }: RunSummary) {
  const { request, labels = {}, source } = run;
  return {
    runId: run.runId,
    name: request.name ?? null,
    startedAt: new Date(run.startedAt).toISOString(),
    status: run.status,
    outcome,
    reason,
    totals,
    durationMs,
    costUsd,
    tags: labels.tags ?? [],
    notes: labels.notes ?? null,
    source: source ?? null,
  };
}

function runLines(summaries: readonly RunSummary[], { stdout, env }: CliContext): string[] {
  const colors = createColors(hasColor(stdout, env));
  const marks = { pass: colors.green('✓'), fail: colors.red('✗'), error: colors.yellow('!') };
  return summaries.map(({ run, outcome, reason }) => {
    const when = new Date(run.startedAt).toISOString().replace('T', ' ').slice(0, 16);
    const ended = isLiveStatus(run.status) ? `${run.status}: ${reason}` : reason;
    const name = run.request.name === undefined ? '' : `${colors.bold(run.request.name)}  `;
    const tags = (run.labels?.tags ?? []).map((tag) => `  ${colors.dim(`#${tag}`)}`).join('');
    return `  ${marks[outcome]} ${run.runId}  ${colors.dim(when)}  ${name}${ended}${tags}`;
  });
}
