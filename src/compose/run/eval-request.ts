import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { RunRequest } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { Project } from '../config/project.ts';

/** The data folder of an EvalStudio project. */
const dataFolder = 'data';

/** Options of a run that come from an eval. */
interface EvalRequest extends Pick<RunRequest, 'eval' | 'scenarios'> {
  readonly tags?: RunRequest['tags'];
  readonly variants: RunRequest['variants'];
}

/**
 * The scenarios and the connector of an eval; a connector that the request chose takes precedence. Evals of EvalStudio's
 * files are tags of their scenarios.
 */
export function evalRequest(name: string, { config, folder }: Project, chosen: RunRequest['variants']): EvalRequest {
  const found = Object.hasOwn(config.evals, name) ? config.evals[name] : undefined;
  const execution = { name, execution: null };
  if (!found) {
    if (existsSync(join(folder, dataFolder, 'evals.json'))) return { eval: execution, tags: [name], variants: chosen };
    const names = Object.keys(config.evals);
    const hint = names.length === 0 ? 'Create one with `assay project create eval`.' : suggestion(name, names);
    throw new AssayError('NOT_FOUND', `There is no eval "${name}" in the config.`, { hint });
  }
  const { connector, scenarios } = found;
  if (connector === undefined) return { eval: execution, scenarios, variants: chosen };
  const variants = chosen ?? {
    agents: [],
    models: [],
    profile: null,
    targetBinary: null,
    connectors: [],
    connectorUrl: null,
  };
  const connectors = variants.connectors.length > 0 ? variants.connectors : [connector];
  return { eval: execution, scenarios, variants: { ...variants, connectors } };
}

const lookedAt = 10_000;

/** Gives an execution of an eval its number: one more than the newest, EvalStudio's own executions included. */
export async function withExecution(request: RunRequest, { folder }: Project, store: Store): Promise<RunRequest> {
  if (!request.eval || request.eval.execution !== null) return request;
  const runs = await store.listRuns(lookedAt);
  const earlier = runs.map(({ request: each }) => each.eval?.execution ?? 0);
  const execution = Math.max(0, ...earlier, ...(await listedExecutions(folder))) + 1;
  return { ...request, eval: { ...request.eval, execution } };
}

async function listedExecutions(folder: string): Promise<number[]> {
  const list = parseJson(await readFile(join(folder, dataFolder, 'executions.json'), 'utf8').catch(() => ''));
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => (isRecord(item) && Number.isInteger(item.id) ? [item.id as number] : []));
}
