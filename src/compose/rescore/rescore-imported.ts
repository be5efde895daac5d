import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { keptOptions } from '../../domain/option-values.ts';
import type { Problem } from '../../domain/problem.ts';
import type { RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { PastTrial } from '../../engine/rescore.ts';
import { runScenarios } from '../../engine/resume.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { formatNamed, type ReadableFile, readableFiles, trialsOf } from '../../load/imports/choose-format.ts';
import { findImports, ImportProblems } from '../../load/imports/find-files.ts';
import { finishedTrial, Identities } from '../../load/imports/imported-record.ts';
import { ScenarioChoice } from '../run/find-cases.ts';
import { newRun, selectScenarios } from '../run/prepare-run.ts';
import { leftOut, pastTrial, type RescoreControl, rescoreTrials, type TodaysParts } from '../run/rescore-trials.ts';

export interface EvaluateTraceOptions extends RescoreControl {
  /** Called when there is a trial to evaluate. */
  openStore(): Promise<Store>;
  /** The file as the user names it, relative to `cwd`. */
  readonly trace: string;
  readonly cwd: string;
  /** Undefined: whatever the file turns out to be. */
  readonly format: string | undefined;
  /** Relative to the project's folder. */
  readonly scenarioFile: string;
  /** The case that the trace is about, where the scenario has several. */
  readonly caseId?: string | undefined;
  /** The scenario, where the file has several. */
  readonly scenario?: string | undefined;
}

/** Evaluation of a recorded trace; disposing of it closes the store. */
export interface EvaluatedTrace extends AsyncDisposable {
  readonly summary: RunSummary;
  readonly store: Store;
  readonly problems: ImportProblems;
  readonly warnings: readonly Problem[];
}

/** Evaluates a trace or transcript that was recorded somewhere, by a scenario of the project. Nothing is run. */
export async function evaluateTrace(options: EvaluateTraceOptions): Promise<EvaluatedTrace> {
  const { project, env } = options;
  const { scenario } = options;
  const request = {
    ...keptOptions(options.judge ?? {}, 'resume'),
    paths: [options.scenarioFile],
    ...(scenario !== undefined && { scenario }),
  };
  const { scenarios, warnings } = await selectScenarios(request, project, { env });
  const choice = new ScenarioChoice(scenarios, options.caseId);
  await choice.check();
  const problems = new ImportProblems();
  const files = await findImports([options.trace], options.cwd, problems);
  const recorded = await readableFiles({ files, format: formatNamed(options.format ?? 'auto'), problems });
  const planned = await countTrials(recorded, problems);
  if (planned === 0) throw nothingRecorded(options.trace, problems);
  const origin = { kind: 'evaluate', file: options.trace, format: formatsOf(recorded) } as const;
  const header = newRun({
    planned,
    request: { ...request, origin },
    scenarios: runScenarios(scenarios, project.parts.targets),
  });
  const store = await options.openStore();
  try {
    const trials = (parts: TodaysParts) => evaluated(recorded, choice, header.runId, parts);
    const summary = await rescoreTrials({ header, scenarios, trials }, store, options);
    return { summary, store, problems, warnings, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function* evaluated(
  recorded: readonly ReadableFile[],
  choice: ScenarioChoice,
  runId: string,
  parts: TodaysParts,
): AsyncGenerator<PastTrial | FinishedTrial, void> {
  const identities = new Identities();
  let ordinal = 0;
  for await (const { trial, found } of recordedTrials(recorded, ImportProblems.ignored)) {
    const today = await choice.of(trial);
    const name = typeof today === 'string' ? {} : namesOf(today.scenario, today.case.caseId);
    const identity = identities.identify({ ...trial, ...name }, found);
    const place = { ...identity, runId, ordinal: ordinal++, usualStart: found.changedAt };
    const past = withoutFolder(finishedTrial(trial, place));
    const folder = dirname(found.path);
    const kept = existsSync(join(folder, 'fixture')) ? folder : undefined;
    yield typeof today === 'string' ? leftOut({ past, runId }, today) : pastTrial({ past, runId }, today, parts, kept);
  }
}

/** Files are read again each time, so their trials need not be kept in memory. */
async function* recordedTrials(files: readonly ReadableFile[], problems: Pick<ImportProblems, 'add'>) {
  for (const file of files) {
    for await (const trial of trialsOf(file, problems)) yield { trial, found: file.found };
  }
}

async function countTrials(files: readonly ReadableFile[], problems: ImportProblems): Promise<number> {
  let count = 0;
  for await (const _ of recordedTrials(files, problems)) count++;
  return count;
}

function formatsOf(files: readonly ReadableFile[]): string {
  return [...new Set(files.map(({ format }) => format.name))].join(', ');
}

function namesOf({ name, file }: Scenario, caseId: string) {
  return { scenario: name, scenarioFile: file, caseId };
}

/** Folders that a foreign file names are none of ours. */
function withoutFolder({ record, trace }: FinishedTrial): FinishedTrial {
  return { record: { ...record, artifacts: null }, trace };
}

function nothingRecorded(trace: string, { list }: ImportProblems): AssayError {
  const [first] = list;
  const why = first === undefined ? 'there is no trial in it' : first.message;
  return new AssayError('FILE_INVALID', `${trace} could not be evaluated: ${why}.`, {
    hint: first?.hint ?? 'See `assay import --help` for the supported formats; choose one with `--format`.',
  });
}
