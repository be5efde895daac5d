import { type ControlWish, controlRun } from '../../../compose/run/control-run.ts';
import { AssayError } from '../../../domain/errors.ts';
import { controlActions } from '../../../domain/run.ts';
import type { WorkDatabase } from '../../../keep/distribution/work-database.ts';
import { isPostgresUrl } from '../../../keep/store/open-store.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { integerOption, numberOption } from '../options/values.ts';
import { openProjectStore, storeOption, storeUrlOf } from '../project-store.ts';

/** `assay queue control <action> [run]`: changes a run that goes on in another process or on workers. */
export const control: CliCommand = {
  configure(command) {
    command
      .argument('<action>', '`pause`, `continue`, `set` or `requeue`')
      .argument('[run]', 'its id, the beginning of it, `latest` or `latest~1`', 'latest')
      .argument('[trials...]', 'with `requeue`: trials that ended in an error; by default all of them')
      .option('--concurrency <n>', 'with `set`: trials to run at the same time', integerOption(1, 1_000))
      .option('--max-usd <x>', 'with `set`: new spending limit in USD', numberOption(0, 1_000_000, true))
      .option(...storeOption)
      .addHelpText(
        'after',
        '\nExamples:\n  assay queue control pause\n  assay queue control continue\n  assay queue control set latest --concurrency 2 --max-usd 5\n  assay queue control requeue r-20261115-093012 t-3f2a-1-1\n\nA paused run lets its running trials end and begins none. The time of a pause is not part of the duration.\n',
      );
  },
  async run({ args, options, context }) {
    const [action = '', runName = 'latest', ...trials] = args.flat();
    const url = await storeUrlOf(context, options.store as string | undefined);
    await using store = await openProjectStore(context, options.store as string | undefined);
    const wish: ControlWish = {
      action: checkedAction(action),
      concurrency: options.concurrency as number | undefined,
      maxUsd: options.maxUsd as number | undefined,
      trials,
    };
    const run = await requireRun(store, runName);
    await using work = isPostgresUrl(url) ? await openWork(url) : undefined;
    const done = await controlRun(run, wish, { store, openWork: work && (async () => work) });
    await write(context.stdout, `  ${done}\n`);
    return 0;
  },
};

async function openWork(url: string): Promise<WorkDatabase> {
  return (await import('../../../keep/distribution/work-database.ts')).openWorkDatabase(url);
}

function checkedAction(action: string): ControlWish['action'] {
  const found = controlActions.find((one) => one === action);
  if (found) return found;
  throw new AssayError('USAGE', `"${action}" is not an action of \`assay queue control\`.`, {
    hint: suggestion(action, controlActions) ?? `Choose one of ${controlActions.join(', ')}.`,
  });
}
