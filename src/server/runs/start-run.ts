import type { StartRun } from '../../api/runs.ts';
import { pathsWithin } from '../../compose/paths-within.ts';
import { budgetIn } from '../../compose/spending-limit.ts';
import type { VariantChoice } from '../../domain/run.ts';
import type { ServerContext } from '../context.ts';

/** Begins what was asked for and gives the id of the run. */
export async function startRun(wish: StartRun, context: ServerContext): Promise<string> {
  const project = await context.project();
  const { tags, scenario, repeat, name, concurrency, judge, useCache, maxUsd } = wish;
  return context.runs.start({
    request: {
      paths: pathsWithin(wish.paths, project.folder, project),
      tags,
      scenario,
      repeat,
      name,
      variants: variantsOf(wish),
    },
    concurrency,
    judge: { isWanted: judge, maxUsd: maxUsd ?? budgetIn(context.env), cache: useCache === false ? false : undefined },
  });
}

function variantsOf({ agents = [], models = [], connectors = [] }: StartRun): VariantChoice | null {
  if (agents.length + models.length + connectors.length === 0) return null;
  return { agents, models, connectors, profile: null, targetBinary: null, connectorUrl: null };
}
