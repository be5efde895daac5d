import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { isOnlyCase } from '../../../domain/only-case.ts';
import { formatProblem, type Problem, ProblemsError } from '../../../domain/problem.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { writeNew } from '../../../shared/redacted-files.ts';
import { usersText } from '../../../shared/redaction/redacted.ts';
import { artifactsFolder, type Project } from '../../config/project.ts';
import { secretRedaction } from '../../config/redaction.ts';
import { checkScenarios } from '../../run/check-scenarios.ts';
import { scenarioText, slugOf } from '../scenario-text.ts';
import { caseOfScenario } from './case-of-scenario.ts';
import { caseOfTrace, type TraceHints } from './case-of-trace.ts';
import {
  criteriaOf,
  type DraftAssertion,
  draftAssertions,
  draftLines,
  labelled,
  nameOf,
  remarksOf,
  shortId,
  withAssertions,
} from './label-case.ts';
import { findOriginal, type OriginalScenario } from './original-scenario.ts';
import type { RecordedTrial } from './recorded-trial.ts';
import { makeStartState } from './start-state.ts';

type Data = Readonly<Record<string, unknown>>;

export interface PromoteOptions extends TraceHints {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the new scenario. */
  readonly name?: string | undefined;
  /** The failure in plain words, for a judge. */
  readonly criterion?: string | undefined;
  /** Whether the tools that were called must be called again; by default for a trial that passed. */
  readonly assertsTools?: boolean | undefined;
  /** Further tags. */
  readonly labels?: readonly string[] | undefined;
  /** The new file, relative to the folder of the project. */
  readonly output?: string | undefined;
}

/** A scenario file that was made of a trial. */
export interface PromotedCase {
  /** Relative to the folder of the project, with slashes. */
  readonly file: string;
  readonly name: string;
  /** The folder with the work directory, relative like the file; null where the case has none. */
  readonly fixture: string | null;
  readonly text: string;
  /** Remarks for its author. */
  readonly notes: readonly string[];
}

/** Writes a scenario with the case of a trial, its work directory and its failure; what it writes can be run. */
export async function promoteTrial(trial: RecordedTrial, options: PromoteOptions): Promise<PromotedCase> {
  const { project, env } = options;
  const found = await findOriginal(trial, project, env);
  const original = typeof found === 'string' ? undefined : found;
  const file = options.output ?? newFile(trial, original, project);
  assertNew(file, project);
  const begun = original
    ? withAttack(caseOfScenario(original, trial), trial)
    : {
        ...withAttack(undisturbed(caseOfTrace(trial, options, project), trial), trial),
        ...checksOfRule(trial, project),
      };
  const fixture = join(dirname(file), 'fixtures', basename(file, extname(file)));
  const made = await makeFixture(fixture, begun, { trial, original, options });
  try {
    const notes = [...changeNotes(found), ...made.notes];
    const name = options.name ?? nameOf(trial);
    const data = labelled({ ...begun, ...made.keys }, name, trial, options.labels);
    const drafts = draftAssertions(trial.trace);
    // The calls of a trial with an attack may be those that the attack wanted.
    const isAsserted = options.assertsTools ?? (trial.record.outcome === 'pass' && !trial.record.attack);
    if (options.assertsTools) assertAsserted(data, drafts);
    // The checks of a rule are made again instead of being described to a judge.
    const isChecked = !original && begun.evaluators !== undefined && options.criterion === undefined;
    const criteria = isChecked ? [] : criteriaOf(trial, options.criterion);
    const judged = withAssertions(data, criteria, isAsserted ? drafts : []);
    if (!original) assertJudged(judged);
    const remarks = [...remarksOf(trial), ...notes];
    const text = scenarioText(remarks, judged, isAsserted ? [] : draftLines(drafts, trial));
    const warnings = await checkedText(file, text, options);
    await mkdir(dirname(resolve(project.folder, file)), { recursive: true });
    await writeNew(resolve(project.folder, file), usersText(text));
    const slashed = (path: string): string => path.replaceAll('\\', '/');
    return {
      file: slashed(file),
      name,
      fixture: made.folder === undefined ? null : slashed(fixture),
      text,
      notes: [...notes, ...warnings],
    };
  } catch (error) {
    // A file that cannot be run is not written, and neither is its work directory.
    if (made.folder !== undefined) await rm(made.folder, { recursive: true, force: true });
    throw error;
  }
}

/** The case with the attack of its trial: without it, it would be another one. */
function withAttack(data: Data, { record: { attack }, run }: RecordedTrial): Data {
  if (!attack || data.attack !== undefined) return data;
  const suites = run?.request.attacks?.suites ?? [];
  const { name, place } = attack;
  return { ...data, attack: { name, place, ...(suites.length > 0 && { suites: [...suites] }) } };
}

/** The checks of the rule that judged a collected trace. */
function checksOfRule({ run }: RecordedTrial, { config }: Project): Data {
  const origin = run?.request.origin;
  const rule = origin?.kind === 'rule' ? config.rules[origin.rule] : undefined;
  return { ...(rule?.evaluators && { evaluators: rule.evaluators }), ...(rule?.judge && { judge: rule.judge }) };
}

/** Mocks and faults are in the scenario alone, and a conversation has no tools that could be attacked. */
function undisturbed(data: Data, { record: { attack, control } }: RecordedTrial): Data {
  const isLost = control?.fault !== undefined || control?.mock !== undefined || (attack && !('target' in data));
  if (!isLost) return data;
  throw new AssayError('USAGE', 'The case would lose the mocks, the faults or the attack of the trial.', {
    hint: 'Restore the scenario file, and promote the trial again.',
  });
}

function changeNotes(found: OriginalScenario | string): string[] {
  if (typeof found === 'string') return [`Made from the trace alone. ${found}.`];
  return found.isUnchanged ? [] : ['The scenario has changed since the trial; the case is made from what it is now.'];
}

function newFile(
  { record }: RecordedTrial,
  original: OriginalScenario | undefined,
  { config, folder }: Project,
): string {
  const [first = '.'] = config.scenarios;
  const isFile = extname(first) !== '' && existsSync(resolve(folder, first));
  const directory = original ? dirname(record.file) : isFile ? dirname(first) : first;
  const subject = isOnlyCase(record.caseId) ? record.scenario : `${record.scenario} ${record.caseId}`;
  return join(directory, `${slugOf(subject)}-${shortId(record.trialId)}.yaml`);
}

function assertNew(file: string, { folder }: Project): void {
  if (!/\.ya?ml$/.test(file)) throw new AssayError('USAGE', `"${file}" is not the name of a YAML file.`);
  const inside = relative(folder, resolve(folder, file));
  if (inside.startsWith('..')) throw new AssayError('USAGE', `"${file}" is outside the project.`);
  if (!existsSync(resolve(folder, file))) return;
  throw new AssayError('USAGE', `${file} exists already.`, {
    hint: 'Name another file with --output.',
  });
}

/** A trace without a verdict says nothing of what was wrong. */
function assertJudged({ evaluators, failureCriteria, attack }: Data): void {
  if (evaluators !== undefined || failureCriteria !== undefined || attack !== undefined) return;
  throw new AssayError('USAGE', 'Nothing would judge the case: the trial has no failure and no tool calls to expect.', {
    hint: 'Add what must not happen with --criterion, or expect the tools that were called with --assert-tools.',
  });
}

/** Calls that failed are not expected again, and a tool that Assay calls itself needs no assertion. */
function assertAsserted(data: Data, drafts: readonly DraftAssertion[]): void {
  if (canonicalJson(withAssertions(data, [], drafts)) !== canonicalJson(data)) return;
  throw new AssayError('USAGE', 'There is no call of a tool that the case could expect again.', {
    hint: 'Leave out --assert-tools, or add what must not happen with --criterion.',
  });
}

interface FixtureRequest {
  readonly trial: RecordedTrial;
  readonly original: OriginalScenario | undefined;
  readonly options: PromoteOptions;
}

interface MadeFixture {
  /** Absolute; undefined where none was made. */
  readonly folder: string | undefined;
  /** Keys of the scenario that follow from it. */
  readonly keys: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

/** Only agents that do a task have a work directory. */
async function makeFixture(
  fixture: string,
  data: Readonly<Record<string, unknown>>,
  { trial, original, options }: FixtureRequest,
): Promise<MadeFixture> {
  const nothing = { folder: undefined, keys: {}, notes: [] };
  if (!('task' in data || 'triggers' in data)) return nothing;
  const { project, env } = options;
  const folder = resolve(project.folder, fixture);
  if (await stat(folder).catch(() => undefined)) throw new AssayError('USAGE', `${fixture} exists already.`);
  const state = await makeStartState({
    trial,
    original,
    resultsFolder: artifactsFolder(project),
    into: folder,
    redact: secretRedaction(env),
  });
  if (!state) return { ...nothing, keys: { template_folder: undefined } };
  const isSetUp = state.isAfterSetup && data.setup !== undefined;
  const note = 'The setup commands are left out: the fixture is the work directory after them.';
  return {
    folder,
    keys: { template_folder: `./fixtures/${basename(fixture)}`, ...(isSetUp && { setup: undefined }) },
    notes: [...state.notes, ...(isSetUp ? [note] : [])],
  };
}

/** Checks a text as if it stood in its file; returns warnings. */
async function checkedText(file: string, text: string, { project, env }: PromoteOptions): Promise<string[]> {
  const source = await parseSource(file, text);
  const { problems, warnings, scenarios } = await checkScenarios([], project, env, { sources: [source] });
  const own = problems.filter(({ at }) => at.file === file);
  if (own.length === 0 && scenarios.length > 0) return warnings.map(withoutPlace);
  throw new ProblemsError(own.length > 0 ? own : problems.length > 0 ? problems : [noScenario(file)]);
}

function withoutPlace(problem: Problem): string {
  return formatProblem(problem);
}

function noScenario(file: string): Problem {
  return { at: { file, line: 1, column: 1 }, message: 'the trial cannot be written as a scenario' };
}
