import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type * as z from 'zod';
import { type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { isRecord } from '../../../../shared/json.ts';
import { below, type ParsedSource } from '../../../sources/parsed-source.ts';
import { readSource } from '../../../sources/source-file.ts';
import type { ConversationDefaults, ReadContext } from '../../scenario-format.ts';
import { type FileReading, type Findings, parseTolerantly } from '../tolerant-parse.ts';
import {
  connectorSectionSchema,
  type EvalSection,
  evalSectionSchema,
  personaSectionSchema,
} from './conversation-schema.ts';

/** An item of a data folder, with its position. */
export interface Located<Value> {
  readonly value: Value;
  readonly source: ParsedSource;
}

/** The lists beside a list of scenarios. */
export interface DataFolder {
  readonly connectors: readonly Located<z.output<typeof connectorSectionSchema>>[];
  readonly personas: readonly Located<z.output<typeof personaSectionSchema>>[];
  readonly evals: readonly Located<EvalSection>[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** For a file without references. */
export const noDataFolder: DataFolder = { connectors: [], personas: [], evals: [], problems: [], warnings: [] };

/** Reads `connectors.json`, `personas.json` and `evals.json` beside a file, if they exist. */
export async function readDataFolder(source: ParsedSource, context: ReadContext): Promise<DataFolder> {
  const found: Findings = { problems: [], warnings: [] };
  const beside = (name: string): string => join(dirname(source.file), name);
  const connectors = await readList(beside('connectors.json'), connectorSectionSchema, context, found);
  const personas = await readList(beside('personas.json'), personaSectionSchema, context, found);
  const evals = await readList(beside('evals.json'), evalSectionSchema, context, found);
  if (found.problems.length === 0) found.problems.push(...unknownScenarios(evals, source));
  return { connectors, personas, evals, ...found };
}

/** Whether a scenario refers to its folder by ids. */
export function refersToDataFolder(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && ('personaIds' in value || 'connectorId' in value));
}

async function readList<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  { folder }: ReadContext,
  found: Findings,
): Promise<Located<z.output<Schema>>[]> {
  const entry = await stat(resolve(folder, file)).catch(() => undefined);
  if (!entry?.isFile()) return [];
  const list = await readListSource(file, folder, found);
  const items = Array.isArray(list?.value) ? (list.value as readonly unknown[]) : [];
  return items.flatMap((value, index) => {
    if (!list) return [];
    const source = below(list, [index]);
    const parsed = parseTolerantly({ schema, value, source: list, prefix: [index], isTolerant: () => true }, found);
    return parsed === undefined ? [] : [{ value: parsed, source }];
  });
}

async function readListSource(file: string, folder: string, found: Findings): Promise<ParsedSource | undefined> {
  try {
    const source = await readSource(file, folder);
    if (!Array.isArray(source.value))
      found.problems.push({ at: source.locate([]), message: 'the file must contain a list' });
    return source;
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    found.problems.push(...error.problems);
    return undefined;
  }
}

/** Evals that name an unknown scenario. */
function unknownScenarios(evals: DataFolder['evals'], scenarios: ParsedSource): Problem[] {
  const items = Array.isArray(scenarios.value) ? (scenarios.value as readonly unknown[]) : undefined;
  if (!items) return [];
  const ids = items.flatMap((item) => {
    const id = isRecord(item) ? item.id : undefined;
    return typeof id === 'string' || typeof id === 'number' ? [String(id)] : [];
  });
  return evals.flatMap(({ value, source }) =>
    value.scenarioIds.flatMap((id, index) =>
      ids.includes(String(id))
        ? []
        : [
            {
              at: source.locate(['scenarioIds', index]),
              message: `there is no scenario with the id "${id}" in ${scenarios.file}`,
            },
          ],
    ),
  );
}

/** A conversation that is being read. */
export interface ConversationReading extends FileReading {
  readonly defaults: ConversationDefaults;
  /** Lists beside the file, where it refers to them. */
  readonly dataFolder: DataFolder;
}
