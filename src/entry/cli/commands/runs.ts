import { createColors } from 'picocolors';
import { isLiveStatus, summarizeRun } from '../../../domain/run.ts';
import type { CliCommand } from '../command.ts';
import { hasColor, write, writeText } from '../context.ts';
import { integerOption } from '../options/values.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

/** `assay runs`: the newest runs and how they ended. */
export const runs: CliCommand = {
  configure(command) {
    command
      .option('-n, --limit <n>', 'number of runs to list', integerOption(1, 10_000), 20)
      .option(...storeOption)
      .option('--json', 'print one JSON document');
  },
  async run({ options, context }) {
    await using store = await openProjectStore(context, options.store as string | undefined);
    const headers = await store.listRuns(options.limit as number);
    const summaries = [];
    for (const header of headers)
      summaries.push(summarizeRun(header, await store.countTrials(header.runId), Date.now()));
    if (options.json) {
      const list = summaries.map(({ run, totals, outcome, reason, durationMs, costUsd }) => ({
        runId: run.runId,
        startedAt: new Date(run.startedAt).toISOString(),
        status: run.status,
        outcome,
        reason,
        totals,
        durationMs,
        costUsd,
      }));
      await write(context.stdout, `${JSON.stringify(list, null, 2)}\n`);
      return 0;
    }
    if (summaries.length === 0) {
      await write(context.stdout, 'No runs are stored yet. Start one with `assay run`.\n');
      return 0;
    }
    const colors = createColors(hasColor(context.stdout, context.env));
    const marks = { pass: colors.green('✓'), fail: colors.red('✗'), error: colors.yellow('!') };
    const lines = summaries.map(({ run, outcome, reason }) => {
      const when = new Date(run.startedAt).toISOString().replace('T', ' ').slice(0, 16);
      return `  ${marks[outcome]} ${run.runId}  ${colors.dim(when)}  ${isLiveStatus(run.status) ? `${run.status}: ${reason}` : reason}`;
    });
    await writeText(context.stdout, `${lines.join('\n')}\n`);
    return 0;
  },
};
