import { createColors } from 'picocolors';
import { openProject, type Project } from '../../../compose/config/project.ts';
import { localArtifacts } from '../../../compose/distributed/artifacts.ts';
import { coverageLines } from '../../../domain/coverage-text.ts';
import { AssayError } from '../../../domain/errors.ts';
import { faultSource } from '../../../domain/fault-source.ts';
import { figureOf } from '../../../domain/figure.ts';
import { markSentences } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { summarizeRun } from '../../../domain/run.ts';
import type { Trace } from '../../../domain/trace.ts';
import { StoredFiles } from '../../../keep/bundles/stored-files.ts';
import { nothingStored, requireRun, requireTrial, type Store } from '../../../keep/store/store.ts';
import { quoteText, trialTitle } from '../../../report/presentation/trial-text.ts';
import { consoleReporter } from '../../../report/reporters/console.ts';
import { eventText } from '../../../report/reporters/event-text.ts';
import { clustersDocument, clustersText } from '../../../report/reporters/failure-clusters.ts';
import { jsonReporter, trialDocument } from '../../../report/reporters/json.ts';
import { hasMcpResults, mcpLines, mcpTitle } from '../../../report/reporters/mcp-text.ts';
import { counted, formatDuration, unknownFigure } from '../../../shared/format.ts';
import { printable } from '../../../shared/text.ts';
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
  await write(stderr, `  Nothing failed in the newest ${counted(runs.length, 'run')}.\n`);
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

type Colors = ReturnType<typeof createColors>;

/** Everything that is known about one trial. */
function trialText(record: TrialRecord, trace: Trace, attempts: readonly TrialRecord[], color: boolean): string {
  const colors = createColors(color);
  const head = [
    `${outcomeLabel(record, colors)} ${colors.bold(trialTitle(record))}`,
    `  ${printable(record.reason)}`,
    colors.dim(`  ${record.file}  trial ${record.trialId}  run ${record.runId}  ${formatDuration(record.durationMs)}`),
  ];
  const fault = record.fault
    ? [`  ${record.fault.code}, source: ${faultSource(record.fault)}. ${record.fault.hint}`]
    : [];
  return `${[...head, ...fault, ...markSentences(record).map((sentence) => `  ${sentence}`), ...attemptLines(attempts), ...criteriaLines(record, colors), ...serverLines(record, color), ...evaluatorLines(record, colors), ...judgeLines(record, colors), ...observedLines(record), ...traceLines(trace, colors)].join('\n')}\n`;
}

function attemptLines(attempts: readonly TrialRecord[]): string[] {
  if (attempts.length === 0) return [];
  const lines = attempts.map(({ outcome, reason, startedAt, costUsd }) => {
    const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
    return `  ${outcome}  ${new Date(startedAt).toISOString()}  ${cost}  ${printable(reason)}`;
  });
  return ['', 'Earlier attempts', ...lines];
}

function outcomeLabel(record: TrialRecord, colors: Colors): string {
  const label = record.outcome.toUpperCase();
  if (record.outcome === 'pass') return colors.green(label);
  return record.outcome === 'fail' ? colors.red(label) : colors.yellow(label);
}

function criteriaLines({ criteria }: TrialRecord, colors: Colors): string[] {
  if (!criteria) return [];
  const line = (isGood: boolean, criterion: string, explanation: string): string =>
    `  ${isGood ? colors.green('✓') : colors.red('✗')} ${criterion}\n      ${isGood ? colors.dim(explanation) : explanation}`;
  const pass = criteria.passCriteriaEvaluation.details;
  const fail = criteria.failCriteriaEvaluation.details;
  return [
    ...(pass.length > 0 ? ['', 'Must be true'] : []),
    ...pass.map((detail) => line(detail.result, detail.criterion, detail.explanation)),
    ...(fail.length > 0 ? ['', 'Must be false'] : []),
    ...fail.map((detail) => line(!detail.triggered, detail.criterion, detail.explanation)),
  ];
}

function serverLines(record: TrialRecord, color: boolean): string[] {
  return hasMcpResults(record) ? ['', mcpTitle(record), ...mcpLines(record, color).map((line) => `  ${line}`)] : [];
}

function evaluatorLines({ evaluatorResults }: TrialRecord, colors: Colors): string[] {
  const others = evaluatorResults.filter((result) => result.type !== 'criteria');
  if (others.length === 0) return [];
  const marks = {
    pass: colors.green('✓'),
    fail: colors.red('✗'),
    error: colors.yellow('!'),
    measured: '·',
    'no-data': '·',
    skipped: '-',
    pending: '…',
  };
  return [
    '',
    'Evaluators',
    ...others.flatMap((result) => [
      `  ${marks[result.state]} ${result.name ?? result.type}  ${figureOf(result) ?? (result.kind === 'metric' ? unknownFigure : '')}  ${result.state === 'fail' || result.state === 'error' ? result.reason : colors.dim(result.reason)}`,
      ...diffLines(result.metadata?.diff, colors),
    ]),
  ];
}

/** Every criterion of the judge with the words that its answer rests on. */
function judgeLines({ judge }: TrialRecord, colors: Colors): string[] {
  if (!judge?.criteria?.length) return [];
  return [
    '',
    `Judge${judge.model === undefined ? '' : ` (${judge.model})`}`,
    ...judge.criteria.flatMap(({ kind, text, answer, reason, evidence }) => {
      const isGood = answer !== 'cannot-tell' && (answer === 'met') === (kind !== 'failure');
      const mark = isGood ? colors.green('✓') : answer === 'cannot-tell' ? colors.yellow('?') : colors.red('✗');
      const lines = [reason, ...evidence.map(quoteText)].map((line) => `      ${printable(line)}`);
      return [`  ${mark} ${printable(text)}`, ...(isGood ? lines.map((line) => colors.dim(line)) : lines)];
    }),
  ];
}

/** Lines about the parts of a trial that were not observed. */
function observedLines({ coverage }: TrialRecord): string[] {
  const lines = coverageLines(coverage);
  return lines.length === 0 ? [] : ['', 'What was observed', ...lines.map((line) => `  ${printable(line)}`)];
}

/** The difference between an answer and the one that was wanted, where an evaluator gives it. */
function diffLines(diff: unknown, colors: Colors): string[] {
  if (typeof diff !== 'string') return [];
  const colored = { '+': colors.green, '-': colors.red, '@': colors.dim };
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => `      ${(colored[line.charAt(0) as keyof typeof colored] ?? String)(printable(line))}`);
}

/** Traces that were made elsewhere may have no times. */
function traceLines(trace: Trace, colors: Colors): string[] {
  const isTimed = trace.some(({ at }) => at > 0);
  return [
    '',
    'Trace',
    ...trace.map((event, index) => {
      const number = `e${index + 1}`.padStart(String(trace.length).length + 1);
      const time = isTimed ? ` ${event.at.toFixed(1).padStart(8)} ms` : '';
      return `  ${colors.dim(`${number}${time}`)}  ${eventText(event)}`;
    }),
  ];
}
