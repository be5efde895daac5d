import { checkConfig, type Project } from '../../../compose/config/project.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { asAssayError } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import type { ParsedSource } from '../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../load/sources/schema-problems.ts';
import { decodeText, parseSource } from '../../../load/sources/source-file.ts';
import type { FileCheck, FileKind } from '../api/project.ts';
import { isModulePath } from './file-kind.ts';
import { fileProblems } from './file-problems.ts';

/** What a text is checked against. */
export interface CheckContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  project(): Promise<Project>;
  /** Which file has a scenario of that name, among all others of the project. */
  fileOfScenario(name: string, besides: string): Promise<string | undefined>;
}

interface CheckedText {
  readonly path: string;
  readonly kind: FileKind;
  readonly text: string;
}

/** Checks a text as `assay validate` would if it stood in the file; nothing is written. */
export async function checkText({ path, kind, text }: CheckedText, context: CheckContext): Promise<FileCheck> {
  if (isModulePath(path)) return { problems: [], scenarios: [] };
  try {
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

/** What is wrong with a rubric. */
export function rubricProblems(source: ParsedSource): readonly Problem[] {
  const parsed = rubricSchema.safeParse(source.value);
  return parsed.success ? [] : problemsOf(parsed.error, source, rubricSchema);
}

/** What an error says of a file; of one that names no place, at its start. */
export function problemsIn(error: unknown, path: string): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  const { message, hint } = asAssayError(error);
  return [{ at: { file: path, line: 1, column: 1 }, message, hint }];
}

async function checkScenarioSource(source: ParsedSource, context: CheckContext): Promise<FileCheck> {
  const found = await checkScenarios([], await context.project(), context.env, [source]);
  const repeated = await Promise.all(found.scenarios.map((scenario) => repeatedName(scenario, source, context)));
  return {
    problems: [
      ...fileProblems(source.file, [...found.problems, ...repeated.flat()]),
      ...fileProblems(source.file, found.warnings, 'warning'),
    ],
    scenarios: found.scenarios.map((scenario) => ({
      name: scenario.name,
      cases: scenario.caseCount,
      trials: trialsOf(scenario),
    })),
  };
}

async function repeatedName({ name }: Scenario, source: ParsedSource, context: CheckContext): Promise<Problem[]> {
  const other = await context.fileOfScenario(name, source.file);
  if (other === undefined) return [];
  const message = `there is another scenario named "${name}": ${other}`;
  return [{ at: source.locate(['name']), message, hint: 'Results are looked up by name: give each scenario its own.' }];
}

/** How many trials a run of the scenario has. */
export function trialsOf({ caseCount, variants, repeat }: Scenario): number {
  return caseCount * variants.length * repeat;
}
