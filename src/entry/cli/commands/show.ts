import { AssayError } from '../../../domain/errors.ts';
import { summarizeRun } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import { clustersDocument, clustersText } from '../../../report/reporters/cluster-text.ts';
import { consoleReporter } from '../../../report/reporters/console.ts';
import { jsonReporter, trialDocument } from '../../../report/reporters/json.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, hasColor, write } from '../context.ts';
import { openProjectStore, storeOption } from '../open-project-store.ts';
import { trialText } from '../trial-page.ts';

/** `assay show`: a run's report, all that is known of a trial, or the last trials of a scenario. */
export const show: CliCommand = {
  configure(command) {
    command
      .argument('<what>', 'a run id, a trial id (or the beginning of one), `latest`, or the name of a scenario')
      .option('--clusters', 'of a run: what did not pass, put together by what went wrong')
      .option(
        '--artifacts',
        'of a trial: print the folder with what it left behind, fetched where another machine ran it',
      )
      .option(...storeOption)
      .option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    const what = args[0] ?? '';
    const asJson = options.json === true;
    if (options.artifacts === true) {
      const { showArtifacts } = await import('../show-artifacts.ts');
      return await showArtifacts(what, options.store as string | undefined, context, asJson);
    }
    await using store = await openProjectStore(context, options.store as string | undefined);
    if (options.clusters === true) return await showClusters(what, store, context, asJson);
    const shown =
      (await showRun(what, store, context, asJson)) ||
      (await showTrial(what, store, context, asJson)) ||
      (await showScenario(what, store, context, asJson));
    if (!shown) throw new AssayError('NOT_FOUND', `There is no run, trial or scenario "${what}" in the store.`);
    return 0;
  },
};

async function showRun(what: string, store: Store, context: CliContext, asJson: boolean): Promise<boolean> {
  const run = await store.findRun(what);
  if (!run) return false;
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const reporter = asJson ? jsonReporter : consoleReporter;
  const style = { color: hasColor(context.stdout, context.env) };
  for await (const piece of reporter.render({ summary, store }, style)) await write(context.stdout, piece);
  return true;
}

/** On a terminal; a document has all of them. */
const mostClusters = 50;

async function showClusters(what: string, store: Store, context: CliContext, asJson: boolean): Promise<number> {
  const run = await store.findRun(what);
  if (!run) throw new AssayError('NOT_FOUND', `There is no run "${what}" in the store.`);
  const { readFailureClusters } = await import('../../../report/reporters/read-failure-clusters.ts');
  const read = await readFailureClusters(store, run.runId, asJson ? Number.POSITIVE_INFINITY : mostClusters);
  const text = asJson ? `${JSON.stringify(clustersDocument(run.runId, read), null, 2)}\n` : clustersText(read);
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
    : trialText(record, trace, attempts, hasColor(context.stdout, context.env));
  await write(context.stdout, text);
  return true;
}

async function showScenario(what: string, store: Store, context: CliContext, asJson: boolean): Promise<boolean> {
  const records = await store.findTrialsOfScenario(what, 20);
  if (records.length === 0) return false;
  const text = asJson
    ? `${JSON.stringify(records.map(trialDocument), null, 2)}\n`
    : `The last trials of "${what}":\n${records.map((record) => `  ${record.outcome.padEnd(5)}  ${record.trialId}  ${record.runId}  ${record.caseId}  ${record.reason}\n`).join('')}`;
  await write(context.stdout, text);
  return true;
}
