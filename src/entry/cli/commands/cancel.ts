import { AssayError } from '../../../domain/errors.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { storeOption } from '../project-store.ts';

/** `assay queue cancel <run>`: ends a distributed run on all machines. */
export const cancel: CliCommand = {
  configure(command) {
    command
      .argument('<run>', 'its id, the beginning of it, `latest` or `latest~1`')
      .option(...storeOption)
      .addHelpText(
        'after',
        '\nExamples:\n  assay queue cancel latest\n  assay queue cancel r-20261115-093012\n\nFinished trials stay stored; continue later with `assay run --resume <run> --distributed`.\n',
      );
  },
  async run({ args, options, context }) {
    const { sharedStoreUrl } = await import('../project-store.ts');
    const url = await sharedStoreUrl(context, options.store as string | undefined);
    const { openWorkDatabase } = await import('../../../keep/distribution/work-database.ts');
    const { cancelWorkRun, findWorkRun } = await import('../../../keep/distribution/work-runs.ts');
    await using work = await openWorkDatabase(url);
    const run = await requireRun(work.store, args[0] ?? '');
    if (!(await findWorkRun(work.db, run.runId))) {
      throw new AssayError('USAGE', `${run.runId} was not run with --distributed.`, {
        hint: 'End it with Ctrl-C where it runs.',
      });
    }
    const wasOpen = await cancelWorkRun(work, run.runId);
    const { pass, fail, error } = await work.store.countTrials(run.runId);
    const what = wasOpen ? 'is cancelled' : 'was over already';
    await write(
      context.stdout,
      `  ${run.runId} ${what}: ${pass + fail + error} of ${run.planned} trials are stored.\n`,
    );
    return 0;
  },
};
