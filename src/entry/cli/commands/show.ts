import { openProject, type Project } from '../../../compose/config/project.ts';
import { localArtifacts } from '../../../compose/distributed/artifacts.ts';
import { AssayError } from '../../../domain/errors.ts';
import { summarizeRun } from '../../../domain/run.ts';
import { StoredFiles } from '../../../keep/bundles/stored-files.ts';
import { nothingStored, requireRun, requireTrial, type Store, tooFewRuns } from '../../../keep/store/store.ts';
import { consoleReporter } from '../../../report/reporters/console.ts';
import { clustersDocument, clustersText } from '../../../report/reporters/failure-clusters.ts';
import { jsonReporter, trialDocument } from '../../../report/reporters/json.ts';
import { trialSections } from '../../../report/reporters/sections/trial.ts';
import { drawText } from '../../../shared/blocks/draw-text.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, hasColor, write, writeText } from '../context.ts';
import { openProjectDatabase, openProjectStore, storeOption } from '../project-store.ts';
import { printReport } from '../run-report.ts';
import { scenarioPage } from '../scenario-page.ts';

/** `assay show`: a run's report, all that is known of a trial, or a scenario with its last trials. */
export const show: CliCommand = {
  configure(command) {
    command
      .argument(
        '[what]',
        'a run id, a trial id (or the beginning of one), `latest`, `latest~1`, or the name of a scenario; by default the last failure',
      )
      .option('--clusters', "group a run's failures by cause")
      .option('--artifacts', "print the folder with a trial's files, fetched from the store if another machine ran it")
      .option(...storeOption)
      .option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    const asJson = options.json === true;
    const project = await openProject(context.cwd, context.env);
    if (options.artifacts === true) {
      return await showArtifacts(args[0], project, options.store as string | undefined, context, asJson);
    }
    await using store = await openProjectStore(context, options.store as string | undefined, project);
    const what = args[0] ?? (options.clusters === true ? 'latest' : await lastFailure(store, context));
    if (options.clusters === true) return await showClusters(what, store, context, asJson);
    const isStored = (await showRun(what, store, context, asJson)) || (await showTrial(what, store, context, asJson));
    const tooFew = isStored ? undefined : tooFewRuns(what);
    if (tooFew) throw tooFew;
    if (!isStored)
      await (asJson ? write : writeText)(
        context.stdout,
        await scenarioPage(what, { project, store, env: context.env, asJson }),
      );
    return 0;
  },
};

/** The last failure is searched in so many of the newest runs. */
const searchedRuns = 50;

/** The trial that did not pass in the newest run with one, failures before errors; the newest run where all passed. */
async function lastFailure(store: Store, { stderr }: CliContext): Promise<string> {
  const runs = await store.listRuns(searchedRuns);
  const [newest] = runs;
  if (!newest) throw nothingStored();
  for (const { runId } of runs) {
    const problems = await store.readProblems(runId, 2);
    const worst = problems.find(({ first }) => first.outcome === 'fail') ?? problems[0];
    if (!worst) continue;
    if (runId !== newest.runId) await write(stderr, `  Nothing failed in ${newest.runId}; this is from ${runId}.\n\n`);
    return worst.first.trialId;
  }
  const where = runs.length === 1 ? 'the newest run' : `the ${counted(runs.length, 'newest run')}`;
  await write(stderr, `  Nothing failed in ${where}.\n`);
  return newest.runId;
}

async function showRun(what: string, store: Store, context: CliContext, asJson: boolean): Promise<boolean> {
  const run = await store.findRun(what);
  if (!run) return false;
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  await printReport(asJson ? jsonReporter : consoleReporter, { summary, store }, context);
  return true;
}

/** On a terminal; a document has all of them. */
const mostClusters = 50;

async function showClusters(what: string, store: Store, context: CliContext, asJson: boolean): Promise<number> {
  const run = await requireRun(store, what);
  const { readFailureClusters } = await import('../../../report/reporters/failure-clusters.ts');
  const read = await readFailureClusters(store, run.runId, asJson ? Number.POSITIVE_INFINITY : mostClusters);
  const text = asJson
    ? `${JSON.stringify(clustersDocument(run.runId, read), null, 2)}\n`
    : clustersText(read, hasColor(context.stdout, context.env));
  await write(context.stdout, text);
  return 0;
}

async function showTrial(what: string, store: Store, context: CliContext, asJson: boolean): Promise<boolean> {
  const record = await store.findTrial(what);
  if (!record) return false;
  const trace = (await store.readTrace(record.trialId)) ?? [];
  const attempts = await store.readAttempts(record.trialId);
  const text = asJson
    ? `${JSON.stringify({ ...trialDocument(record), attempts: attempts.map(trialDocument), trace }, null, 2)}\n`
    : drawText(trialSections(record, trace, attempts), {
        color: hasColor(context.stdout, context.env),
        width: Number.POSITIVE_INFINITY,
      });
  await (asJson ? write : writeText)(context.stdout, text);
  return true;
}

/** Prints where the files are that a trial left behind, and fetches them where another machine has run it. */
async function showArtifacts(
  named: string | undefined,
  project: Project,
  storeFlag: string | undefined,
  context: CliContext,
  asJson: boolean,
): Promise<number> {
  const { store, db } = await openProjectDatabase(context, storeFlag, project);
  await using _open = store;
  const what = named ?? (await lastFailure(store, context));
  const record = await requireTrial(store, what);
  const folder = await localArtifacts(record, project, new StoredFiles(db));
  if (folder === undefined) throw nothingThere(record.trialId, record.artifacts);
  await write(context.stdout, asJson ? `${JSON.stringify({ trialId: record.trialId, folder })}\n` : `${folder}\n`);
  return 0;
}

function nothingThere(trialId: string, artifacts: string | null): AssayError {
  if (artifacts === null) {
    return new AssayError('NOT_FOUND', `${trialId} left no files.`, {
      hint: 'Use `assay show` without --artifacts to see the trace: only trials with agents leave files.',
    });
  }
  return new AssayError('NOT_FOUND', `The files of ${trialId} are neither here nor in the store.`, {
    hint: 'Look on the machine that ran the trial; the files may have been removed.',
  });
}
