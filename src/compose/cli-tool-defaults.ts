import { resolve } from 'node:path';
import type { RunRequest } from '../domain/run.ts';
import type { CliToolDefaults } from '../load/scenarios/scenario-format.ts';
import type { Project } from './config.ts';
import { fixturesFolders } from './fixtures-folders.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Who is asked when nobody says anything, as in earlier programs. */
const usualAgent = 'opencode';

/** What the config and a request say of CLI tools and of the agents that use them. */
export function cliToolDefaults(
  { config, folder }: Project,
  { variants, timeoutSecs }: Pick<RunRequest, 'variants' | 'timeoutSecs'>,
  env: Env,
): CliToolDefaults {
  const { agents = [], models = [], profile, targetBinary } = variants ?? {};
  return {
    target: config.target,
    targetBinary: targetBinary ?? undefined,
    fixturesFolders: config.fixtures === undefined ? fixturesFolders(folder) : [resolve(folder, config.fixtures)],
    agents: agents.length > 0 ? agents : undefined,
    models: models.length > 0 ? models : undefined,
    profile: profile ?? undefined,
    profiles: config.profiles,
    tools: config.agents,
    defaultAgent: env.LLM_TOOL_TEST_TOOL || config.agent || usualAgent,
    timeoutSecs: timeoutSecs ?? undefined,
  };
}
