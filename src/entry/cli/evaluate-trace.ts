import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openProject } from '../../compose/config/project.ts';
import { evaluateTrace } from '../../compose/rescore/rescore-imported.ts';
import { projectPaths } from '../../compose/run/prepare-run.ts';
import { AssayError } from '../../domain/errors.ts';
import { formatProblem } from '../../domain/problem.ts';
import type { ImportProblems } from '../../load/imports/import-problems.ts';
import { counted } from '../../shared/format.ts';
import { scenarioFile } from './agent-options.ts';
import type { Invocation } from './command.ts';
import { HeapGrowthLimit } from './heap-growth.ts';
import { Interrupt } from './interrupt.ts';
import { openStoreForRun } from './open-project-store.ts';
import { tellWarnings } from './report-run.ts';
import { Scoring, type ScoringOptions } from './scoring.ts';

interface EvaluateOptions extends ScoringOptions {
  readonly scenario: string;
  readonly name?: string;
  readonly case?: string;
  readonly format?: string;
}

/** Evaluates a recorded trace by a scenario and reports what came of it. */
export async function evaluateRecorded({ args, options: given, context }: Invocation): Promise<number> {
  const options = given as unknown as EvaluateOptions;
  const [trace = ''] = args;
  if (!existsSync(resolve(context.cwd, trace))) throw new AssayError('FILE_NOT_FOUND', `There is no file ${trace}.`);
  const project = await openProject(context.cwd, context.env);
  const scoring = await Scoring.prepare(options, project, context);
  const file = scenarioFile(options.scenario, context.cwd, project) ?? options.scenario;
  using interrupt = new Interrupt(() => context.stderr.write('\n  Stopping.\n'));
  using _heap = new HeapGrowthLimit();
  await using evaluated = await evaluateTrace({
    project,
    trace,
    cwd: context.cwd,
    format: options.format,
    scenarioFile: projectPaths([file], context.cwd, project)[0] ?? file,
    scenario: options.name,
    caseId: options.case,
    openStore: () => openStoreForRun(context, options.store, project),
    env: context.env,
    judge: scoring.judge,
    concurrency: options.concurrency,
    signal: interrupt.signal,
    listeners: scoring.listeners,
  });
  const { problems, summary, store } = evaluated;
  await scoring.tell(problemLines(problems));
  if (!options.quiet) await tellWarnings(evaluated.warnings, context);
  const exitCode = await scoring.conclude({ summary, store });
  // What could not be read may have said otherwise.
  return exitCode || (problems.problemCount > 0 ? 3 : 0);
}

function problemLines({ list, unlistedCount }: ImportProblems): string[] {
  const lines = list.map((problem) => `${problem.isWarning ? 'warning: ' : ''}${formatProblem(problem)}`);
  return unlistedCount > 0 ? [...lines, `… and ${counted(unlistedCount, 'more problem')}`] : lines;
}
