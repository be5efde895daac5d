import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { StartOptions } from '../../engine/feature.ts';
import type { Store } from '../../keep/store/store.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { suggestion } from '../../shared/suggest.ts';

export interface EvalProject {
  readonly folder: string;
  /** `evals` of the config. */
  readonly evals: Readonly<
    Record<string, { readonly scenarios: readonly string[]; readonly connector?: string | undefined }>
  >;
}

/** The data folder of an EvalStudio project. */
const dataFolder = 'data';

/**
 * The scenarios and the connector of an eval; a connector that the request chose takes precedence. Evals of EvalStudio's
 * files are tags of their scenarios.
 */
export function evalOptions(
  name: string,
  { evals, folder }: EvalProject,
  { connectors }: Pick<RunOptions, 'connectors'>,
): StartOptions {
  const found = Object.hasOwn(evals, name) ? evals[name] : undefined;
  if (!found) {
    if (existsSync(join(folder, dataFolder, 'evals.json'))) return { tags: [name] };
    const names = Object.keys(evals);
    const hint = names.length === 0 ? 'Create one with `assay project create eval`.' : suggestion(name, names);
    throw new AssayError('NOT_FOUND', `There is no eval "${name}" in the config.`, { hint });
  }
  const { connector, scenarios } = found;
  const chosen = { scenarios: [...scenarios] };
  return connector === undefined || connectors?.length ? chosen : { ...chosen, connectors: [connector] };
}

const lookedAt = 10_000;

/** The number of the next execution of an eval: one more than the newest, EvalStudio's own executions included. */
export async function nextExecution(folder: string, store: Store): Promise<number> {
  const runs = await store.listRuns(lookedAt);
  const earlier = runs.map(({ request: { execution } }) => execution ?? 0);
  return Math.max(0, ...earlier, ...(await listedExecutions(folder))) + 1;
}

async function listedExecutions(folder: string): Promise<number[]> {
  const list = parseJson(await readFile(join(folder, dataFolder, 'executions.json'), 'utf8').catch(() => ''));
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => (isRecord(item) && Number.isInteger(item.id) ? [item.id as number] : []));
}
