import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import type { RunHeader, RunOrigin } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { features } from '../../features/index.ts';
import { heldBy } from '../../keep/store/run-lease.ts';
import type { Store } from '../../keep/store/store.ts';
import { missingPath } from '../../load/scenarios/discover.ts';
import type { CliToolDefaults } from '../../load/scenarios/scenario-format.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { counted } from '../../shared/format.ts';
import { newRunId } from '../../shared/ids.ts';
import { shellWord } from '../../shared/shell-words.ts';
import { suggestion } from '../../shared/suggest.ts';
import { cliToolDefaults, conversationDefaults } from '../config/format-defaults.ts';
import { configSource, type Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import type { Parts } from '../parts.ts';
import { version } from '../program.ts';
import { checkScenarios } from './check-scenarios.ts';
import { costLimitWarnings } from './cost-limits.ts';
import { assertNamedChoices, idleChoices, idleJudging } from './named-choices.ts';
import type { SelectedBy } from './start-options.ts';

/** The selected scenarios, and data files beside them that are not scenarios. */
export interface Selection {
  readonly scenarios: readonly Scenario[];
  readonly otherFiles: readonly string[];
  /** Warnings about the scenario files. */
  readonly warnings: readonly Problem[];
}

/** Further options for reading scenarios. */
interface SelectionContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Scenarios that were read already, beside the files of the request. */
  readonly sources?: readonly ParsedSource[] | undefined;
}

/** Paths of a request relative to the project, so a run can be resumed from any folder in it. */
export function projectPaths(paths: readonly string[], cwd: string, project: Project): string[] {
  if (paths.length === 0) return [...project.config.scenarios];
  if (paths.includes(''))
    throw new AssayError('USAGE', 'A path is empty, so no scenario is named.', {
      hint: 'Check the variable that it comes from, or leave it out to run all scenarios.',
    });
  return paths.map((path) => relative(project.folder, resolve(cwd, path)) || '.');
}

/** Loads the scenarios of a request; anything wrong in any file is thrown before something is run. */
export async function selectScenarios(
  request: SelectedBy,
  project: Project,
  { env, sources }: SelectionContext,
): Promise<Selection> {
  const { paths = project.config.scenarios, timeoutSecs, repeat } = request;
  const { scenarios, problems, otherFiles, warnings } = await checkScenarios(paths, project, env, {
    sources,
    defaults: {
      mostSecs: timeoutSecs,
      repeat,
      isJudgeForced: request.judge === true,
      conversations: conversationDefaults(project, request),
      cliTools: await withKnownAgents(cliToolDefaults(project, request, env), project, env),
    },
  });
  if (problems.length > 0) throw new ProblemsError(await withConfigPlaces(problems, paths, project));
  assertAllThere(request, scenarios);
  await assertNamedChoices(request, project, scenarios, env);
  const chosen = await extended(
    scenarios.filter((scenario) => isChosen(scenario, request)),
    project.parts,
  );
  if (chosen.length === 0) throw nothingToRun(request, paths, scenarios, otherFiles);
  const all = [...(project.warnings ?? []), ...warnings];
  const place = { options: request, folder: project.folder, warn: (problem: Problem) => void all.push(problem) };
  let run = chosen;
  for (const feature of features) run = (await feature.scenarios?.(run, place)) ?? run;
  all.push(...idleChoices(request, run), ...(await idleJudging(request, run, project)));
  all.push(...(await costLimitWarnings(run, project, env)));
  return { scenarios: run, otherFiles, warnings: all };
}

/** Paths that the config names and that do not exist are problems of the config. */
async function withConfigPlaces(
  problems: readonly Problem[],
  paths: readonly string[],
  project: Project,
): Promise<readonly Problem[]> {
  const { scenarios } = project.config;
  const isOfConfig = paths.length === scenarios.length && paths.every((path, index) => path === scenarios[index]);
  const isMissing = ({ message }: Problem): boolean => message === missingPath;
  if (!isOfConfig || !problems.some(isMissing)) return problems;
  const source = await configSource(project);
  return problems.map((problem) => {
    const index = scenarios.indexOf(problem.at.file);
    if (!source || index === -1 || !isMissing(problem)) return problem;
    const message = `\`${problem.at.file}\` in \`scenarios\`: ${problem.message}`;
    return {
      ...problem,
      at: source.locate(['scenarios', index]),
      message,
      hint: problem.hint?.replace('the current', "the config's"),
    };
  });
}

/** Adds the evaluators of plug-ins that run on every scenario. */
async function extended(scenarios: readonly Scenario[], { autoEvaluators }: Parts): Promise<readonly Scenario[]> {
  if (autoEvaluators.length === 0) return scenarios;
  const { withAutoEvaluators } = await import('../plugins/load-plugins.ts');
  return scenarios.map((scenario) => withAutoEvaluators(scenario, { autoEvaluators }));
}

/** A profile may name agents that the config says nothing about. */
async function withKnownAgents(
  defaults: CliToolDefaults,
  project: Project,
  env: SelectionContext['env'],
): Promise<CliToolDefaults> {
  if (defaults.profile === undefined) return defaults;
  const agentIds = await new ProjectAgents(project, env).ids();
  return {
    ...defaults,
    tools: { ...Object.fromEntries(agentIds.map((id) => [id, { models: [] }])), ...defaults.tools },
  };
}

/** Clocks are set back by a time zone at most; a run that is farther ahead was begun by a wrong clock. */
const mostSetBackMs = 26 * 3_600_000;

/** Now, or right after the newest run where the clock was set back since: the run that begins is the newest. */
export async function startOfRun(store: Pick<Store, 'listRuns'>, now = Date.now()): Promise<number> {
  const [newest] = await store.listRuns(1);
  const isSetBack = newest !== undefined && newest.startedAt >= now && newest.startedAt - now <= mostSetBackMs;
  return isSetBack ? newest.startedAt + 1 : now;
}

/** A run that begins now. */
export function newRun(
  content: Pick<RunHeader, 'planned' | 'request' | 'scenarios' | 'source'>,
  startedAtMs = Date.now(),
): RunHeader {
  const startedAt = new Date(startedAtMs);
  return {
    runId: newRunId(startedAt),
    startedAt: startedAt.getTime(),
    finishedAt: null,
    status: 'running',
    assayVersion: version,
    ...content,
  };
}

/** Refuses to go on with a run that cannot, or that another process runs. */
export async function assertResumable(
  { runId, request: { origin, improvement } }: RunHeader,
  store: Store,
  { isStage, isShared }: { readonly isStage: boolean; readonly isShared: boolean },
): Promise<void> {
  if (origin) throw nothingToResume(runId, origin);
  if (improvement && !isStage) {
    throw new AssayError('USAGE', `${runId} is a part of the improvement ${improvement.id}.`, {
      hint: `Continue it with \`assay experiment improve --resume ${improvement.id}\`.`,
    });
  }
  const holder = await store.findHolder(runId);
  if (holder && !(isShared && holder.kind === 'workers')) throw heldBy(runId, holder);
}

/** Trials of imports and rescored runs cannot be run. */
function nothingToResume(runId: string, origin: RunOrigin): AssayError {
  if (origin.kind === 'edit') {
    return new AssayError('USAGE', `${runId} tried an edited input, which is not kept, so it cannot be resumed.`, {
      hint: 'Start another run from the page of the trial.',
    });
  }
  if (origin.kind === 'rule') {
    return new AssayError('USAGE', `${runId} is of a rule: \`assay collect\` goes on with it by itself.`);
  }
  const [command, subject] = startedBy(origin);
  return new AssayError('USAGE', `${runId} comes from \`${command}\`, which cannot be resumed.`, {
    hint: `Start it again, which makes another run: \`${command} ${subject}\`.`,
  });
}

/** The command that made the trials of a run, and what it was given. */
function startedBy(origin: Exclude<RunOrigin, { kind: 'edit' | 'rule' }>): readonly [command: string, subject: string] {
  if (origin.kind === 'rescore') return ['assay score run', origin.runId];
  if (origin.kind === 'evaluate') return ['assay score trace', origin.file];
  return ['assay import', origin.file];
}

function isChosen(scenario: Scenario, request: SelectedBy): boolean {
  const { tags = [], tier = Number.POSITIVE_INFINITY } = request;
  const hasTag = tags.length === 0 || tags.some((tag) => scenario.tags.includes(tag));
  const hasTier = scenario.tier <= tier;
  return hasTag && hasTier && isOfParts(scenario, request) && isNamed(scenario, request);
}

/** A scenario that an eval names and that is gone must not go missing silently. */
function assertAllThere({ scenarios: wanted = [], eval: named }: SelectedBy, scenarios: readonly Scenario[]): void {
  const names = new Set(scenarios.map(({ name }) => name));
  const missing = wanted.filter((name) => !names.has(name));
  if (missing.length === 0) return;
  const what = named === undefined ? 'The request' : `The eval "${named}"`;
  throw new AssayError('NOTHING_TO_RUN', `${what} has scenarios that do not exist: ${missing.join(', ')}.`, {
    hint: 'List the scenarios with `assay list scenarios`.',
  });
}

function isNamed({ name }: Scenario, { scenario, scenarios }: SelectedBy): boolean {
  return (scenario === undefined || name === scenario) && (scenarios === undefined || scenarios.includes(name));
}

function isOfParts({ serverPart }: Scenario, { serverParts = [] }: SelectedBy): boolean {
  return serverParts.length === 0 || (serverPart !== undefined && serverParts.includes(serverPart));
}

/** Paths for a sentence. */
export function placesText(paths: readonly string[]): string {
  return paths.map((path) => (path === '.' ? 'this folder' : `"${path}"`)).join(', ');
}

function nothingToRun(
  request: SelectedBy,
  paths: readonly string[],
  scenarios: readonly Scenario[],
  otherFiles: readonly string[],
): AssayError {
  const { scenario, serverParts = [], tags: wanted = [] } = request;
  if (scenarios.length === 0) {
    const [first, ...others] = otherFiles;
    const more = others.length > 0 ? ` and ${counted(others.length, 'other data file')}` : '';
    return new AssayError('NOTHING_TO_RUN', `There are no scenarios in ${placesText(paths)}.`, {
      hint:
        first === undefined
          ? 'Create a starter project with `assay init`, or name a scenario file.'
          : `${first}${more} did not look like a scenario: \`assay validate ${shellWord(first)}\` says why.`,
    });
  }
  const names = scenarios.map(({ name }) => name);
  if (scenario !== undefined && !names.includes(scenario)) {
    return new AssayError('NOTHING_TO_RUN', `There is no scenario "${scenario}".`, {
      hint: suggestion(scenario, names),
    });
  }
  if (serverParts.length > 0 && !scenarios.some((each) => isOfParts(each, request))) {
    const parts = serverParts.join(', ');
    return new AssayError('NOTHING_TO_RUN', `None of ${counted(scenarios.length, 'scenario')} is about ${parts}.`);
  }
  const tags = new Set(scenarios.flatMap((each) => each.tags));
  const unknown = wanted.find((tag) => !tags.has(tag));
  if (unknown !== undefined) {
    return new AssayError('NOTHING_TO_RUN', `No scenario has the tag "${unknown}".`, {
      hint:
        tags.size === 0
          ? 'List the scenarios with `assay list scenarios`: none has tags.'
          : suggestion(unknown, [...tags]),
    });
  }
  return new AssayError(
    'NOTHING_TO_RUN',
    `None of ${counted(scenarios.length, 'scenario')} has the requested tags and tier.`,
  );
}

/** Paths of a request as runs keep them. Files may say what is run, so none outside of the project is taken. */
export function pathsWithin(paths: readonly string[] | undefined, cwd: string, project: Project): string[] {
  const root = realpathSync(project.folder);
  for (const path of paths ?? []) {
    const absolute = resolve(cwd, path);
    const real = existsSync(absolute) ? realpathSync(absolute) : absolute;
    if (real === root || real.startsWith(`${root}${sep}`)) continue;
    throw new AssayError('USAGE', `"${path}" is outside the project.`, {
      hint: `Name files or folders below ${root}, or none to run all scenarios of the project.`,
    });
  }
  return projectPaths(paths ?? [], cwd, project);
}

/** Options that came over a network: all files that they name are in the project. */
export function optionsWithin(given: RunOptions, cwd: string, project: Project): RunOptions {
  const { paths, attacks } = given;
  // Names of bundled suites have no ending.
  pathsWithin(
    attacks?.suites.filter((suite) => /[./\\]/.test(suite)),
    cwd,
    project,
  );
  return { ...given, paths: paths && pathsWithin(paths, cwd, project) };
}
