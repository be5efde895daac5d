import { openProject } from '../../../compose/config/project.ts';
import { checkStore } from '../../../compose/store/check-store.ts';
import { copyStore } from '../../../compose/store/copy-store.ts';
import { AssayError } from '../../../domain/errors.ts';
import { openSqlStore, shownStoreUrl } from '../../../keep/store/open-store.ts';
import type { SqlDatabase } from '../../../keep/store/sql/tables.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, isWatched, write } from '../context.ts';
import { storeWarning } from '../project-store.ts';
import { control } from '../terminal-border.ts';

const shownProblems = 50;

interface Finding {
  readonly problems: readonly string[];
}

/** Copies or checks a whole store. */
async function storeAction({ args, options, context }: Invocation): Promise<number> {
  const [action, url, to] = args;
  const { config, folder } = await openProject(context.cwd, context.env);
  const open = (named: string, mustExist: boolean) =>
    openSqlStore(named, folder, { warn: storeWarning(context), mustExist });
  if (action === 'check') {
    const checked = url ?? context.env.ASSAY_STORE ?? config.store;
    return check(await open(checked, true), shownStoreUrl(checked), context, options.json === true);
  }
  if (action !== 'copy') throw new AssayError('USAGE', `"${action}" is neither copy nor check.`);
  if (url === undefined || to === undefined)
    throw new AssayError('USAGE', 'A copy needs two stores: one to read and one to write.');
  if (url === to) throw new AssayError('USAGE', 'Both are the same store.');
  return copy(await open(url, true), () => open(to, false), context, options.json === true);
}

async function copy(
  from: SqlDatabase,
  openOther: () => Promise<SqlDatabase>,
  context: CliContext,
  isJson: boolean,
): Promise<number> {
  await using _from = from.store;
  const to = await openOther();
  await using _to = to.store;
  const report = await copyStore(from, to, (doing, run) => progress(context, `${doing} ${run.runId}`));
  const { runs, trials, newFilePieces } = report;
  const pieces = newFilePieces === 0 ? '' : `, ${counted(newFilePieces, 'piece')} of files`;
  const copied = `Copied ${counted(runs, 'run')} and ${counted(trials, 'trial')} (${newText(report)})${pieces}.`;
  return printResult(context, isJson, report, copied, 'Both stores now match.');
}

function newText({ runs, newRuns, trials, newTrials }: Awaited<ReturnType<typeof copyStore>>): string {
  if (newRuns === runs && newTrials === trials) return 'all new';
  return newRuns + newTrials === 0 ? 'none new' : `${counted(newRuns, 'new run')}, ${counted(newTrials, 'new trial')}`;
}

async function check(database: SqlDatabase, shown: string, context: CliContext, isJson: boolean): Promise<number> {
  await using _ = database.store;
  const report = await checkStore(database, (run) => progress(context, `checking ${run.runId}`));
  const checked = `${shown}: ${counted(report.runs, 'run')}, ${counted(report.trials, 'trial')}.`;
  return printResult(context, isJson, report, checked, 'No corruption found.');
}

function progress(context: CliContext, text: string): void {
  if (isWatched(context.stderr, context.env)) control(context.stderr, '\r\u001b[K', text);
}

async function printResult(
  context: CliContext,
  isJson: boolean,
  report: Finding,
  headline: string,
  allWell: string,
): Promise<number> {
  progress(context, '');
  const { problems } = report;
  const rest = problems.length - shownProblems;
  const lines = [
    headline,
    ...(problems.length === 0 ? [allWell] : problems.slice(0, shownProblems).map((problem) => `! ${problem}`)),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ];
  await write(context.stdout, isJson ? `${JSON.stringify(report, null, 2)}\n` : `${lines.join('\n')}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** `assay store`: what is done with a whole store. */
export const store: CliCommand = {
  configure(command) {
    command
      .argument('<copy|check>', '`copy` copies all runs into another store, `check` reads everything in a store')
      .argument('[store]', 'the store to read; by default the one of the project')
      .argument('[to]', 'copy: the store to write')
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        `
Examples:
  assay store copy sqlite:.assay/assay.db postgres://user:password@host/assay
  assay store copy postgres://user:password@host/assay sqlite:copy.db
  assay store check

A copy skips records that exist already, so an interrupted copy can be started again; at the end both stores
are read and compared.
Exit codes: 0 no problems, 1 something is damaged or different, 2 wrong usage, 3 a store cannot be read or written.
`,
      );
  },
  async run(invocation) {
    return storeAction(invocation);
  },
};
