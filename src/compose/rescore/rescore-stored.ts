import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { keptOptions } from '../../domain/option-values.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Problem } from '../../domain/problem.ts';
import type { TrialRecord } from '../../domain/record.ts';
import {
  type Emit,
  isCollected,
  plannedTrials,
  type RunHeader,
  type RunRequest,
  type RunSummary,
} from '../../domain/run.ts';
import { runOptions } from '../../domain/run-options/index.ts';
import type { Trace } from '../../domain/trace.ts';
import type { PastTrial } from '../../engine/rescore.ts';
import { runScenarios } from '../../engine/resume.ts';
import type { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { eachTrial, type FinishedTrial, requireRun, type Store } from '../../keep/store/store.ts';
import { suggestion } from '../../shared/suggest.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { FoundScenarios, scenarioKey, type TodaysCase } from '../run/find-cases.ts';
import { newRun, selectScenarios } from '../run/prepare-run.ts';
import { leftOut, pastTrial, type RescoreControl, rescoreTrials, type TodaysParts } from '../run/rescore-trials.ts';
import { TraceCases } from './trace-cases.ts';

/** Number of trials that changed from one outcome to another. */
export interface OutcomeChange {
  readonly before: Outcome;
  readonly now: Outcome;
  readonly count: number;
}

/** Counts changed outcomes; keeps only trials that are being evaluated in memory. */
class OutcomeChanges {
  readonly #before = new Map<string, Outcome>();
  readonly #counts = new Map<string, OutcomeChange>();

  /** A trial is about to be evaluated again. */
  expect(trialId: string, before: Outcome): void {
    this.#before.set(trialId, before);
  }

  readonly listen: Emit = (event) => {
    if (event.type !== 'trial-finished') return;
    const { trialId, outcome: now } = event.record;
    const before = this.#before.get(trialId);
    this.#before.delete(trialId);
    if (before === undefined || before === now) return;
    const key = `${before} ${now}`;
    this.#counts.set(key, { before, now, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  };

  /** The most frequent first. */
  list(): OutcomeChange[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count);
  }
}

export interface RescoreOptions extends RescoreControl {
  readonly store: Store;
  /** Id of the run, a beginning of it, or `latest`. */
  readonly run: string;
  /** Scenario files, relative to the project's folder; those of the run when there are none. */
  readonly paths: readonly string[];
  /** Only the trials of the scenario with this name. */
  readonly scenario?: string | undefined;
  /** Source of the artifacts of trials that ran on other machines. */
  readonly files?: StoredFiles | undefined;
}

/** A run that was evaluated again. */
export interface Rescored {
  readonly summary: RunSummary;
  readonly original: RunHeader;
  /** Differences to the original run. */
  readonly notes: readonly string[];
  readonly changes: readonly OutcomeChange[];
  /** Warnings about the scenario files. */
  readonly warnings: readonly Problem[];
}

/** Evaluates the stored traces of a run with the current scenario files and evaluators, as a new run. */
export async function rescoreProject(options: RescoreOptions): Promise<Rescored> {
  const { store, project, env, scenario: only = null } = options;
  const original = await requireRun(store, options.run);
  const isWanted = ({ scenario }: TrialRecord): boolean => only === null || scenario === only;
  const { stored, planned } = await countWanted(store, original, only);
  if (stored === 0) throw nothingStored(original, only);
  const paths = pathsOf(original, options.paths, project);
  const request: RunRequest = {
    ...withoutGiven(original.request),
    ...keptOptions(options.judge ?? {}, 'resume'),
    paths: [...paths],
    ...(only !== null && { scenario: only }),
    origin: { kind: 'rescore', runId: original.runId },
  };
  // The scenarios come from the stored trials, because the files may have changed.
  const { tags: _tags, tier: _tier, scenario: _scenario, serverParts: _parts, ...everything } = request;
  const selection = await selectScenarios(everything, project, { env });
  const found = new FoundScenarios(selection.scenarios, options.paths.length > 0);
  const wanted = original.scenarios.filter(({ name }) => only === null || name === only);
  const { scenarios } = selection;
  const collected = isCollected(original) ? new TraceCases(scenarios) : undefined;
  const header = newRun({
    planned,
    request,
    scenarios: collected ? runScenarios(scenarios, project.parts.targets) : wanted.map((then) => found.asNow(then)),
  });
  const changes = new OutcomeChanges();
  const caseOf: Revisit['caseOf'] = (record, trace) => collected?.of(record, trace) ?? found.caseOf(record);
  const trials = (parts: TodaysParts) =>
    revisited({ ...options, runId: header.runId, original, isWanted, caseOf, parts, changes });
  const listeners = [changes.listen, ...(options.listeners ?? [])];
  const summary = await rescoreTrials({ header, scenarios, trials }, store, { ...options, listeners });
  const notes = collected ? [] : notesOn(original, header, found, stored);
  return { summary, original, notes, changes: changes.list(), warnings: selection.warnings };
}

/** A request without the options that rescoring takes itself. */
function withoutGiven(request: RunRequest): RunRequest {
  const given = new Set(runOptions.filter(({ commands }) => commands.includes('score run')).map(({ key }) => key));
  return Object.fromEntries(Object.entries(request).filter(([key]) => !given.has(key))) as RunRequest;
}

interface Revisit extends Pick<RescoreOptions, 'store' | 'project' | 'files'> {
  readonly runId: string;
  readonly original: RunHeader;
  readonly parts: TodaysParts;
  readonly changes: OutcomeChanges;
  isWanted(record: TrialRecord): boolean;
  caseOf(record: TrialRecord, trace: Trace): Promise<TodaysCase | string>;
}

/** The trials of a run in plan order, each with the scenario and the case that it is evaluated by now. */
async function* revisited(visit: Revisit): AsyncGenerator<PastTrial | FinishedTrial, void> {
  const { store, runId, original, changes } = visit;
  for await (const record of eachTrial(store, original.runId)) {
    if (!visit.isWanted(record)) continue;
    const trace = await store.readTrace(record.trialId);
    const past = { record, trace: trace ?? [] };
    const today = trace ? await visit.caseOf(record, trace) : 'The trace of the trial is no longer stored';
    const folder = await workOf(record, visit);
    const item =
      typeof today === 'string'
        ? leftOut({ past, runId }, today)
        : pastTrial({ past, runId }, today, visit.parts, folder);
    changes.expect('record' in item ? item.record.trialId : item.trial.trialId, record.outcome);
    yield item;
  }
}

/** Folder of a trial's artifacts; those of another machine are fetched for the gates. */
async function workOf(record: TrialRecord, { project, files }: Revisit): Promise<string | undefined> {
  if (record.artifacts === null) return undefined;
  const fetched = files && (await (await import('../distributed/artifacts.ts')).localArtifacts(record, project, files));
  return fetched ?? join(artifactsFolder(project), record.artifacts);
}

/** Trials that can be evaluated again, and those that were planned: trials that the original lacks are missing again. */
async function countWanted(
  store: Store,
  original: RunHeader,
  only: string | null,
): Promise<{ readonly stored: number; readonly planned: number }> {
  const { pass, fail, error, skipped } = await store.countTrials(original.runId);
  const ofRun = pass + fail + error + skipped;
  if (only === null) return { stored: ofRun, planned: Math.max(ofRun, original.planned) };
  let stored = 0;
  for await (const { scenario } of eachTrial(store, original.runId)) if (scenario === only) stored++;
  // Where it is not known which scenario lacks trials, any may be the one.
  const elsewhere = original.planned - ofRun + stored;
  const named = original.scenarios.filter(({ name }) => name === only);
  const planned = named.map(({ file }) => plannedTrials(original, { scenario: only, file }) ?? elsewhere);
  return {
    stored,
    planned: Math.max(
      stored,
      Math.min(
        elsewhere,
        planned.reduce((sum, count) => sum + count, 0),
      ),
    ),
  };
}

function nothingStored({ runId, scenarios }: RunHeader, only: string | null): AssayError {
  if (only === null) return new AssayError('NOTHING_TO_RUN', `${runId} has no stored trials.`);
  const names = [...new Set(scenarios.map(({ name }) => name))];
  return new AssayError('NOTHING_TO_RUN', `${runId} has no stored trials of a scenario "${only}".`, {
    hint: suggestion(only, names),
  });
}

/** Missing files are reported with their trials, as long as other files exist. */
function pathsOf({ runId, request }: RunHeader, named: readonly string[], { folder }: Project): readonly string[] {
  if (named.length > 0) return named;
  if (request.origin?.kind === 'import') {
    throw new AssayError('USAGE', `${runId} was imported without scenario files.`, {
      hint: `Name them: \`assay score run ${runId} <scenario files>\`.`,
    });
  }
  const there = request.paths.filter((path) => existsSync(resolve(folder, path)));
  if (there.length > 0) return there;
  throw new AssayError(
    'FILE_NOT_FOUND',
    `The scenario files of ${runId} no longer exist: ${request.paths.join(', ')}.`,
    {
      hint: 'Name the scenario files to evaluate its trials by.',
    },
  );
}

function notesOn(
  original: RunHeader,
  { scenarios, planned }: RunHeader,
  found: FoundScenarios,
  stored: number,
): string[] {
  const { runId, status } = original;
  const before = new Map(original.scenarios.map((scenario) => [scenarioKey(scenario), scenario.contentHash]));
  const ofScenarios = scenarios.flatMap((scenario): string[] => {
    const { name, file, contentHash } = scenario;
    if (!found.find(scenario)) return [`${found.whyMissing(scenario)}: its trials are skipped`];
    const hash = before.get(scenarioKey(scenario));
    return hash === '' || hash === contentHash ? [] : [`"${name}" (${file}) has changed since ${runId}`];
  });
  if (status === 'finished' && stored === planned) return ofScenarios;
  return [`${runId} is not complete: ${stored} of ${planned} trials are stored`, ...ofScenarios];
}
