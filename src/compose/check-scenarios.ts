import { type LoadResult, loadScenarios } from '../load/scenarios/load.ts';
import type { ParsedSource } from '../load/sources/parsed-source.ts';
import { missingScripts } from './check-agent-scripts.ts';
import { cliToolDefaults } from './cli-tool-defaults.ts';
import type { Project } from './config.ts';
import { conversationDefaults } from './conversation-defaults.ts';

/** Reads the scenarios below paths of a project as a run would, and gives what is wrong in them instead of throwing. */
export async function checkScenarios(
  paths: readonly string[],
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
  /** Beside the files below the paths: texts that may not stand in a file yet. */
  sources: readonly ParsedSource[] = [],
): Promise<LoadResult> {
  const loaded = await loadScenarios({
    paths,
    sources,
    folder: project.folder,
    parts: project.parts,
    defaults: {
      timeoutSecs: project.config.timeoutSecs,
      conversations: conversationDefaults(project, { variants: null }),
      cliTools: cliToolDefaults(project, { variants: null, timeoutSecs: null }, env),
      mcpServers: { env },
    },
  });
  return { ...loaded, problems: [...(await missingScripts(project)), ...loaded.problems] };
}
