import { relative, resolve } from 'node:path';
import type { Project } from '../../compose/config/project.ts';
import type { Selection } from '../../compose/run/prepare-run.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Variant } from '../../domain/variant.ts';
import type { ScenarioDefinition, SuiteDefinition } from '../../load/scenarios/code/scenario-definition.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { canonicalJson } from '../../shared/json.ts';
import {
  codeScenarios,
  eachTrial,
  openProject,
  openStore,
  ProblemsError,
  plan,
  runProject,
  selectScenarios,
} from './program.ts';
import { ScenarioTrial } from './scenario-trial.ts';

/** Path of a scenario file of any format, or scenarios in code; paths are relative to the current folder. */
export type ScenarioSource = string | ScenarioDefinition | SuiteDefinition | readonly ScenarioDefinition[];

export interface ScenarioOptions {
  /** Milliseconds for all trials together; 120,000 by default. */
  readonly timeout?: number;
  /** Trials of each case, instead of the number in the scenario. */
  readonly repeat?: number;
  /** Agents and models, instead of those in the scenario. */
  readonly agents?: readonly string[];
  readonly models?: readonly string[];
  /** Runs the judge, or does not, whatever the scenario says. */
  readonly judge?: boolean;
}

/** Scenarios that were read and checked, and their trials in order. */
export interface PlannedScenarios {
  readonly trials: readonly Trial[];
  /** Runs the trials once; each is found by its planned trial. */
  run(signal: AbortSignal): Promise<ReadonlyMap<Trial, ScenarioTrial>>;
}

/** Reads scenarios; whatever is wrong in them is thrown. */
export async function planScenarios(scenario: ScenarioSource, options: ScenarioOptions): Promise<PlannedScenarios> {
  const { env } = process;
  const project = await openProject(process.cwd(), env);
  const { agents, models, repeat, judge } = options;
  const request = { paths: pathsOf(scenario, project), agents, models, repeat, judge };
  const selection = await selectScenarios(request, project, {
    env,
    sources: typeof scenario === 'string' ? [] : definitionSources(scenario, project),
  });
  const trials: Trial[] = [];
  for await (const trial of plan('planned', selection.scenarios)) trials.push(trial);
  return { trials, run: (signal) => runTrials({ project, request, selection, trials, signal }) };
}

function pathsOf(scenario: ScenarioSource, { folder }: Project): string[] {
  return typeof scenario === 'string' ? [relative(folder, resolve(scenario))] : [];
}

/** Values of a definition in a test have no known positions. */
function definitionSources(value: Exclude<ScenarioSource, string>, { folder }: Project): ParsedSource[] {
  const at = () => ({ file: relative(folder, resolve('definition')), line: 1, column: 1 });
  const source = { file: at().file, value, locate: at, locateKey: at, locateInString: at };
  return codeScenarios(source).map((scenario) => {
    if ('locate' in scenario) return scenario;
    throw new ProblemsError(scenario);
  });
}

interface TrialsRequest {
  readonly project: Project;
  readonly request: RunOptions;
  readonly selection: Selection;
  readonly trials: readonly Trial[];
  readonly signal: AbortSignal;
}

async function runTrials(wanted: TrialsRequest): Promise<ReadonlyMap<Trial, ScenarioTrial>> {
  const { project, request, selection, trials, signal } = wanted;
  const planned = new Map(trials.map((trial) => [keyOf(trial.scenario.name, trial.case.caseId, trial), trial]));
  const finished = new Map<Trial, ScenarioTrial>();
  await using run = await runProject({
    project,
    openStore: () => openStore('sqlite::memory:', project.folder),
    request,
    selection,
    env: process.env,
    signal,
  });
  for await (const record of eachTrial(run.store, run.summary.run.runId)) {
    const trial = planned.get(keyOf(record.scenario, record.caseId, record));
    const trace = (await run.store.readTrace(record.trialId)) ?? [];
    if (trial) finished.set(trial, new ScenarioTrial(record, trace, { trial, project }));
  }
  return finished;
}

function keyOf(scenario: string, caseId: string, { variant, repeat }: { variant: Variant; repeat: number }): string {
  return canonicalJson([scenario, caseId, variant, repeat]);
}
