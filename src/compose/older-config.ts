import { relative } from 'node:path';
import type { Config } from './config.ts';
import type { LlmToolTestConfig } from './llm-tool-test-config.ts';

/** The project's config with what an `llm-tool-test-config.toml` adds; what both say is as the project's config says. */
export function withOlderConfig(config: Config, older: LlmToolTestConfig, folder: string): Config {
  const inFolder = (path: string | undefined) => (path === undefined ? undefined : relative(folder, path) || '.');
  const fixtures = config.fixtures ?? inFolder(older.fixturesFolder);
  const artifacts = config.artifacts ?? inFolder(older.resultsFolder);
  return {
    ...config,
    ...(fixtures === undefined ? {} : { fixtures }),
    ...(artifacts === undefined ? {} : { artifacts }),
    target: config.target ?? mutableTarget(older.target),
    agents: { ...older.agents, ...config.agents },
    profiles: { ...mutableProfiles(older.profiles), ...config.profiles },
    models: { ...config.models, prices: { ...older.prices, ...config.models.prices } },
  };
}

function mutableTarget(target: LlmToolTestConfig['target']): Config['target'] {
  return target && { ...target, env: { ...target.env }, inputs: target.inputs && [...target.inputs] };
}

function mutableProfiles(profiles: LlmToolTestConfig['profiles']): Config['profiles'] {
  return Object.fromEntries(
    Object.entries(profiles).map(([name, { agents, models }]) => [name, { agents: [...agents], models: [...models] }]),
  );
}
