import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openProject } from '../../../compose/config/project.ts';
import { evaluateTrace } from '../../../compose/rescore/rescore-imported.ts';
import { projectPaths } from '../../../compose/run/prepare-run.ts';
import { AssayError } from '../../../domain/errors.ts';
import { formatProblem } from '../../../domain/problem.ts';
import type { ImportProblems } from '../../../load/imports/find-files.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { scenarioFile } from '../given-options.ts';
import { textOption } from '../options/values.ts';
import { HeapGrowthLimit, Interrupt } from '../process.ts';
import { openStoreForRun } from '../project-store.ts';
import { printWarnings } from '../run-report.ts';
import { addScoringOptions, Scoring, type ScoringOptions } from '../scoring.ts';

interface EvaluateOptions extends ScoringOptions {
  readonly scenario: string;
  readonly name?: string;
  readonly case?: string;
  readonly format?: string;
}

/** Evaluates a recorded trace by a scenario and reports what came of it. */
async function evaluateRecorded({ args, options: given, context }: Invocation): Promise<number> {
  // These mean a file and its parts; the options of a run of the same names select among scenarios.
  const { scenario, name, case: caseId, format, ...options } = given as unknown as EvaluateOptions;
  const [trace = ''] = args;
  if (!existsSync(resolve(context.cwd, trace))) throw new AssayError('FILE_NOT_FOUND', `There is no file ${trace}.`);
  const project = await openProject(context.cwd, context.env);
  using scoring = await Scoring.prepare(options, project, context);
  const file = scenarioFile(scenario, context.cwd, project) ?? scenario;
  using interrupt = new Interrupt(() => scoring.print('\n  Stopping.\n'));
  using _heap = new HeapGrowthLimit();
  await using evaluated = await evaluateTrace({
    project,
    trace,
    cwd: context.cwd,
    format,
    scenarioFile: projectPaths([file], context.cwd, project)[0] ?? file,
    scenario: name,
    caseId,
    openStore: () => openStoreForRun(context, options.store, project),
    env: context.env,
    judge: scoring.judge,
    concurrency: options.concurrency,
    signal: interrupt.signal,
    listeners: scoring.listeners,
  });
  const { problems, summary, store } = evaluated;
  await scoring.report(problemLines(problems));
  if (!options.quiet) await printWarnings(evaluated.warnings, context);
  const exitCode = await scoring.conclude({ summary, store });
  // Unread lines could have changed the outcome.
  return exitCode || (problems.problemCount > 0 ? 3 : 0);
}

function problemLines({ list, unlistedCount }: ImportProblems): string[] {
  const lines = list.map((problem) => `${problem.isWarning ? 'warning: ' : ''}${formatProblem(problem)}`);
  return unlistedCount > 0 ? [...lines, `… and ${counted(unlistedCount, 'more problem')}`] : lines;
}

/** `assay score trace`: a recorded trace or transcript, scored by a scenario. */
export const evaluate: CliCommand = {
  configure(command) {
    command
      .argument('<trace>', 'a file or folder in any format that `assay import` reads')
      .requiredOption('-s, --scenario <file>', 'scenario file to judge the trace by', textOption)
      .option('--name <scenario>', 'name of the scenario, if the file has several', textOption)
      .option('--case <id>', 'case of the trace, if the scenario has several', textOption)
      .option('-f, --format <name>', 'format of the file (default: detected)', textOption);
    addScoringOptions(command, 'score trace');
    command.addHelpText('after', '\nNothing is run. Exit codes: those of `assay run`.\n');
  },
  run: evaluateRecorded,
};
