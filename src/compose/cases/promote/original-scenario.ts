import { asAssayError } from '../../../domain/errors.ts';
import type { Case, Scenario } from '../../../domain/scenario.ts';
import { scenarioFormats } from '../../../load/scenarios/formats/index.ts';
import { isModule, readSource } from '../../../load/sources/source-file.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Project } from '../../config/project.ts';
import { checkScenarios } from '../../run/check-scenarios.ts';
import { findCase } from '../../run/edit-case.ts';
import type { RecordedTrial } from './recorded-trial.ts';

type Data = Readonly<Record<string, unknown>>;

/** Formats of files whose scenarios can be written again with one case. */
const promotedFormats = ['assay', 'llm-tool-test', 'conversation', 'mcp-server'] as const;
type PromotedFormat = (typeof promotedFormats)[number];

/** The scenario of a trial as its file has it now. */
export interface OriginalScenario {
  readonly scenario: Scenario;
  readonly case: Case;
  /** As it is written in the file. */
  readonly data: Data;
  readonly format: PromotedFormat;
  /** Whether it is what the trial was run with, its template included. */
  readonly isUnchanged: boolean;
}

/** The scenario of a trial, or why there is none. */
export async function findOriginal(
  { record, run }: RecordedTrial,
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OriginalScenario | string> {
  const origin = run?.request.origin?.kind;
  if (!run || origin === 'import' || origin === 'rule') return 'The trace was made elsewhere';
  try {
    const { scenarios, problems } = await checkScenarios([record.file], project, env);
    const scenario = scenarios.find(({ name }) => name === record.scenario);
    const [problem] = problems;
    if (!scenario) return problem ? `${record.file}: ${problem.message}` : `${record.file} no longer has the scenario`;
    const found = await findCase(scenario, record.caseId);
    if (!found) return `The scenario no longer has the case "${record.caseId}"`;
    const data = await writtenData(record.file, record.scenario, project);
    const format = scenarioFormats.find((candidate) => candidate.recognises(data))?.name;
    const promoted = promotedFormats.find((name) => name === format);
    if (!promoted || !isRecord(data)) return `Scenarios in the format of ${record.file} are not written by Assay`;
    const then = run.scenarios.find(({ name, file }) => name === scenario.name && file === record.file);
    const isUnchanged = then?.contentHash === scenario.contentHash;
    return { scenario, case: found, data, format: promoted, isUnchanged };
  } catch (error) {
    return asAssayError(error).message.replace(/\.$/, '');
  }
}

async function writtenData(file: string, name: string, { folder }: Project): Promise<unknown> {
  if (isModule(file)) {
    const { readScenarioModule } = await import('../../../load/scenarios/code/read-code.ts');
    const parts = await readScenarioModule(file, folder);
    return parts.flatMap((part) => ('locate' in part ? [part.value] : [])).find(isNamed(name));
  }
  const { value } = await readSource(file, folder);
  return Array.isArray(value) ? value.find(isNamed(name)) : value;
}

function isNamed(name: string): (value: unknown) => boolean {
  return (value) => isRecord(value) && (value.name === name || 'server' in value);
}
