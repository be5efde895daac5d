import { setTimeout as sleep } from 'node:timers/promises';
import { FollowedTrials } from '../../../compose/distributed/follow-trials.ts';
import { isLiveStatus, summarizeRun } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { readRunOutcome } from '../../../report/reporters/run-figures.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { Interrupt } from '../process.ts';
import { createProgress } from '../progress.ts';
import { openProjectStore, storeOption } from '../project-store.ts';
import { exitCodeOf } from '../run-report.ts';

const pollMs = 500;

const helpText = `
Examples:
  assay queue watch
  assay queue watch r-20261115-093012
  assay queue watch --rules --once

Ctrl-C ends only the watching. The exit code is that of the run; with --rules it is 1 for a drift, 0 for none, and 3 where
a rule does not have enough data.
`;

/** `assay queue watch <run>`: follows a run that goes on somewhere, and ends as it ends. */
export const watch: CliCommand = {
  configure(command) {
    command
      .argument('[run]', 'its id, the beginning of it, `latest` or `latest~1`', 'latest')
      .option('--rules', 'watch the rules of the config instead, until the figures of one drift')
      .option('--once', 'with --rules: look once')
      .option('--json', 'with --rules: print one JSON document')
      .option(...storeOption)
      .addHelpText('after', helpText);
  },
  async run({ args, options, context }) {
    if (options.rules) return (await import('../watch-rules.ts')).watchRules(options, context);
    await using store = await openProjectStore(context, options.store as string | undefined);
    const found = await requireRun(store, args[0] ?? 'latest');
    const { runId, planned } = found;
    using interrupt = new Interrupt(() => undefined);
    using progress = createProgress(context);
    const followed = new FollowedTrials(store, runId, planned);
    progress.listen({ type: 'run-started', run: found, alreadyStored: 0, concurrency: 0 });
    let run = found;
    do {
      run = (await store.findRun(runId)) ?? { ...run, status: 'interrupted' };
      for await (const record of followed.news(!isLiveStatus(run.status)))
        progress.listen({ type: 'trial-finished', record });
      if (isLiveStatus(run.status)) await sleep(pollMs, undefined, { signal: interrupt.signal }).catch(() => undefined);
    } while (isLiveStatus(run.status) && !interrupt.signal.aborted);
    const summary = summarizeRun(run, await store.countTrials(runId), Date.now());
    progress.listen({ type: 'run-finished', summary });
    if (isLiveStatus(run.status)) return 130;
    await write(context.stdout, `  ${runId}: ${summary.reason}\n  See more with: assay show ${runId}\n`);
    return exitCodeOf(summary, await readRunOutcome({ summary, store }));
  },
};
