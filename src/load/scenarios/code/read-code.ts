import * as z from 'zod';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { importAgain } from '../../../shared/import-user-module.ts';
import { isRecord } from '../../../shared/json.ts';
import { readModule } from '../../sources/module-source.ts';
import { below, type CodeRows, type ParsedSource } from '../../sources/parsed-source.ts';
import { problemsOf } from '../../sources/schema-problems.ts';
import { isSuite } from './define-scenario.ts';
import { plainData } from './plain-data.ts';

/** A scenario as plain data, or its problems. */
export type CodeScenario = ParsedSource | readonly Problem[];

const words = { subject: 'the file', code: 'FILE_INVALID' } as const;

/** The scenarios that a module exports: one, a list of them, or a suite. */
export async function readScenarioModule(file: string, folder: string): Promise<readonly CodeScenario[]> {
  return codeScenarios(await readModule(file, folder, { words, load: importAgain }));
}

/** The scenarios in a value that code made. */
export function codeScenarios(source: ParsedSource): readonly CodeScenario[] {
  const { value } = source;
  if (isSuite(value)) return suiteScenarios(source);
  if (Array.isArray(value) && value.length > 0) return value.map((_, index) => scenarioIn(below(source, [index])));
  if (isRecord(value)) return [scenarioIn(source)];
  const message = `${words.subject} must export a scenario, a list of scenarios or a suite`;
  throw new ProblemsError([{ at: source.locate([]), message, hint: 'Write `export default defineScenario({ … })`.' }]);
}

const suiteSchema = z.strictObject({
  tags: z.array(z.string().min(1)).optional(),
  tier: z.int().min(0).optional(),
  repeat: z.int().min(1).max(10_000).optional(),
  scenarios: z.array(z.unknown()).min(1),
});

function suiteScenarios(source: ParsedSource): readonly CodeScenario[] {
  const suite = suiteSchema.safeParse(source.value);
  if (!suite.success) return [problemsOf(suite.error, source, suiteSchema)];
  const { scenarios, tags = [], ...usual } = suite.data;
  return scenarios.map((_, index) => scenarioIn(below(source, ['scenarios', index]), usual, tags));
}

/** Stands for the path of a file where the dataset is code. */
const codeDataset = { path: 'dataset', format: 'jsonl' };

function scenarioIn(source: ParsedSource, usual: object = {}, tags: readonly string[] = []): CodeScenario {
  const { value: written } = source;
  if (!isRecord(written)) return [{ at: source.locate([]), message: 'a scenario must be an object' }];
  const rows = codeRows(written.dataset);
  const data = rows ? { ...written, dataset: codeDataset } : withoutCallbacks(written);
  const { value, problems } = plainData(data, source);
  if (problems.length > 0 || !isRecord(value)) return problems;
  const ownTags = value.tags ?? [];
  const isTagged = tags.length > 0 && Array.isArray(ownTags);
  const all = { ...usual, ...value, ...(isTagged && { tags: [...new Set([...tags, ...ownTags])] }) };
  return { ...source, value: all, ...(rows && { rows }) };
}

/** Configs of an MCP server that were written for another program may have callbacks, which nothing here calls. */
function withoutCallbacks(written: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!('server' in written)) return written;
  const isCallback = ([key, part]: [string, unknown]): boolean => /^on[A-Z]/.test(key) && typeof part === 'function';
  return Object.fromEntries(Object.entries(written).filter((entry) => !isCallback(entry)));
}

/** The rows of a dataset that is code: a function, or something that can be iterated. */
function codeRows(dataset: unknown): CodeRows | undefined {
  if (typeof dataset === 'function') return dataset as CodeRows;
  const isIterable =
    typeof dataset === 'object' && dataset !== null && (Symbol.asyncIterator in dataset || Symbol.iterator in dataset);
  return isIterable ? () => dataset as AsyncIterable<unknown> : undefined;
}
