import { openProject } from '../../../compose/config/project.ts';
import { type OutcomeChange, type Rescored, rescoreProject } from '../../../compose/rescore/rescore-stored.ts';
import { projectPaths } from '../../../compose/run/prepare-run.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { textOption } from '../options/values.ts';
import { HeapGrowthLimit, Interrupt } from '../process.ts';
import { openDatabaseForRun } from '../project-store.ts';
import { printWarnings } from '../run-report.ts';
import { addScoringOptions, Scoring, type ScoringOptions } from '../scoring.ts';

interface RescoreOptions extends ScoringOptions {
  readonly scenario?: string;
}

const shownNotes = 20;

/** Evaluates a stored run again and reports what came of it. */
async function rescoreRun({ args, options: given, context }: Invocation): Promise<number> {
  const options = given as RescoreOptions;
  const [run = 'latest', ...paths] = args;
  const project = await openProject(context.cwd, context.env);
  using scoring = await Scoring.prepare(options, project, context);
  using interrupt = new Interrupt(() =>
    scoring.print('\n  Stopping: what has been scored is being stored. Press Ctrl-C again to end at once.\n'),
  );
  using _heap = new HeapGrowthLimit();
  const { store, db } = await openDatabaseForRun(context, options.store, project);
  await using _open = store;
  const { StoredFiles } = await import('../../../keep/bundles/stored-files.ts');
  const rescored = await rescoreProject({
    project,
    store,
    files: new StoredFiles(db),
    run,
    paths: paths.length === 0 ? [] : projectPaths(paths, context.cwd, project),
    scenario: options.scenario,
    env: context.env,
    judge: scoring.judge,
    concurrency: options.concurrency,
    signal: interrupt.signal,
    listeners: scoring.listeners,
  });
  if (!options.quiet) await printWarnings(rescored.warnings, context);
  await scoring.report(firstNotes(rescored.notes));
  const exitCode = await scoring.conclude({ summary: rescored.summary, store });
  await scoring.report(changeLines(rescored));
  return exitCode;
}

function firstNotes(notes: readonly string[]): string[] {
  const more = notes.length - shownNotes;
  return [...notes.slice(0, shownNotes), ...(more > 0 ? [`… and ${counted(more, 'more note')}`] : [])];
}

function changeLines({ summary, original, changes }: Rescored): string[] {
  const { run, totals } = summary;
  if (run.status === 'interrupted') {
    const again = `assay score run ${original.runId}`;
    return [
      `Interrupted: ${totals.planned - totals.notRun} of ${totals.planned} trials are scored. Start again with: ${again}`,
    ];
  }
  const changed = changes.length === 0 ? 'every trial ended as before' : changes.map(changeText).join(', ');
  return [`Compared with ${original.runId}: ${changed}`];
}

function changeText({ before, now, count }: OutcomeChange): string {
  return `${counted(count, 'trial')} ${before} → ${now}`;
}

/** `assay score run`: the stored traces of a run, scored by the scenario files and evaluators of today. */
export const rescore: CliCommand = {
  configure(command) {
    command
      .argument('<run>', 'id of a run (or the beginning of one), `latest` or `latest~1`')
      .argument('[paths...]', 'scenario files or folders; by default those of the run')
      .option('-s, --scenario <name>', 'only the trials of the scenario with this name', textOption);
    addScoringOptions(command, 'score run');
    command.addHelpText(
      'after',
      '\nNothing is run: targets and agents are not started. The result is a new run that names the old one.\nExit codes: those of `assay run`; a trial whose scenario or case is gone is skipped, which gives 3.\n',
    );
  },
  run: rescoreRun,
};
