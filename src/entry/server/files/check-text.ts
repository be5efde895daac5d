import { checkConfig, type Project } from '../../../compose/config/project.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { AssayError, asAssayError, formatPosition } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import type { LoadResult } from '../../../load/scenarios/load.ts';
import type { ParsedSource } from '../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../load/sources/schema-problems.ts';
import { decodeText, isModule, isScenarioModule, parseSource } from '../../../load/sources/source-file.ts';
import { isRecord } from '../../../shared/json.ts';
import { shorten } from '../../../shared/text.ts';
import type { FileCheck, FileKind, FileProblem } from '../api/project.ts';

/** Whether data is meant as a rubric, right or wrong: weighted criteria, and nothing that a scenario has. */
export function looksLikeRubric(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || !Array.isArray(value.criteria)) return false;
  const isScenario = ['call', 'target', 'evaluators', 'connector', 'connectors', 'input'].some((key) => key in value);
  return !isScenario && value.criteria.some((item) => isRecord(item) && ('weight' in item || 'id' in item));
}

const configFile = /^assay\.config\.(?:ya?ml|jsonc?|toml|ts|m?js)$|^llm-tool-test-config\.toml$/;

/** Whether the path is that of a config of the project. */
export function isConfigPath(path: string): boolean {
  return configFile.test(path);
}

/** The kind of a file by its name and its content. */
export async function kindOfFile(path: string, text: string): Promise<FileKind> {
  if (isConfigPath(path)) return 'config';
  if (isModule(path)) return 'scenario';
  const source = await parseSource(path, text).catch(() => undefined);
  const isRubric = source ? looksLikeRubric(source.value) : /rubric/i.test(path);
  return isRubric ? 'rubric' : 'scenario';
}

/** Refuses a kind that a file of that name cannot be of. */
export function assertKind(path: string, kind: FileKind): void {
  if ((kind === 'config') === isConfigPath(path)) return;
  const message =
    kind === 'config' ? `"${path}" is not the name of a config file.` : `"${path}" is the name of a config file.`;
  throw new AssayError('USAGE', message, {
    hint: 'Name a config file such as `assay.config.yaml`, in the project folder.',
  });
}

const longestText = 2_000;

/** Problems as an editor of one file shows them; those of other files stand at its start. */
export function fileProblems(
  path: string,
  problems: readonly Problem[],
  severity: FileProblem['severity'] = 'error',
): FileProblem[] {
  return problems.map(({ at, message, hint }) => {
    const isHere = at.file === path;
    return {
      line: isHere ? at.line : 1,
      column: isHere ? at.column : 1,
      message: shorten(isHere ? message : `${formatPosition(at)}: ${message}`, longestText),
      ...(hint ? { hint: shorten(hint, longestText) } : {}),
      severity,
    };
  });
}

/** The environment of a check. */
export interface CheckContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  project(): Promise<Project>;
  /** Files of the scenarios of all other files of the project, by name. */
  scenariosBesides(file: string): Promise<ReadonlyMap<string, string>>;
}

/** A text as the content of a file. */
export interface CheckedText {
  readonly path: string;
  readonly kind: FileKind;
  readonly text: string;
}

/** Checks a text as `assay validate` would if it stood in the file; nothing is written. */
export async function checkText({ path, kind, text }: CheckedText, context: CheckContext): Promise<FileCheck> {
  if (isModule(path) && !isScenarioModule(path)) return { problems: [], scenarios: [] };
  try {
    // Code is never written from here, so the file has the text.
    if (isModule(path)) return checkedFile(path, await checkScenarios([path], await context.project(), context.env));
    const source = await parseSource(path, decodeText(path, Buffer.from(text)));
    if (kind === 'rubric') return { problems: fileProblems(path, rubricProblems(source)), scenarios: [] };
    if (kind === 'config') {
      const { problems } = await checkConfig(source, context.env);
      return { problems: fileProblems(path, problems), scenarios: [] };
    }
    return await checkScenarioSource(source, context);
  } catch (error) {
    return { problems: fileProblems(path, problemsIn(error, path)), scenarios: [] };
  }
}

/** The problems of a rubric. */
export function rubricProblems(source: ParsedSource): readonly Problem[] {
  const parsed = rubricSchema.safeParse(source.value);
  return parsed.success ? [] : problemsOf(parsed.error, source, rubricSchema);
}

/** The problems in an error; one without a place stands at the start of the file. */
export function problemsIn(error: unknown, path: string): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  const { message, hint } = asAssayError(error);
  return [{ at: { file: path, line: 1, column: 1 }, message, hint }];
}

async function checkScenarioSource(source: ParsedSource, context: CheckContext): Promise<FileCheck> {
  const found = await checkScenarios([], await context.project(), context.env, { sources: [source] });
  const others = await context.scenariosBesides(source.file);
  const repeated = found.scenarios.flatMap((scenario) => repeatedName(scenario, source, others));
  return checkedFile(source.file, { ...found, problems: [...found.problems, ...repeated] });
}

function checkedFile(path: string, found: Pick<LoadResult, 'problems' | 'warnings' | 'scenarios'>): FileCheck {
  return {
    problems: [...fileProblems(path, found.problems), ...fileProblems(path, found.warnings, 'warning')],
    scenarios: found.scenarios.map((scenario) => ({
      name: scenario.name,
      cases: scenario.caseCount,
      trials: trialsOf(scenario),
    })),
  };
}

function repeatedName({ name }: Scenario, source: ParsedSource, others: ReadonlyMap<string, string>): Problem[] {
  const other = others.get(name);
  if (other === undefined) return [];
  const message = `duplicate scenario name "${name}": first at ${other}`;
  return [{ at: source.locate(['name']), message, hint: 'Give each scenario its own name: results are found by it.' }];
}

/** How many trials a run of the scenario has. */
export function trialsOf({ caseCount, variants, repeat }: Scenario): number {
  return caseCount * variants.length * repeat;
}
