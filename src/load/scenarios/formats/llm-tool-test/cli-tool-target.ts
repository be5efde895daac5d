import type { Problem } from '../../../../domain/problem.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import type { LlmToolTestFile } from './llm-tool-test-schema.ts';
import type { Reading } from './reading.ts';
import type { ResolvedTarget } from './target-section.ts';

/** What the file names and where it was found. */
interface FoundPaths {
  readonly template: string | undefined;
  readonly guidance: ReadonlyMap<string, string>;
}

/** The config of the target that a file describes. */
export function cliToolConfig(file: LlmToolTestFile, target: ResolvedTarget, paths: FoundPaths): CliToolConfig {
  return {
    binary: target.binary,
    commandPattern: target.commandPattern,
    healthCheck: target.healthCheck,
    env: { ...target.env },
    prompt: promptOf(file),
    template: paths.template,
    setup: file.setup?.commands ?? [],
    postScripts: file.scripts.post.map(({ command, timeout_secs: timeoutSecs }) => ({ command, timeoutSecs })),
    guidance: Object.fromEntries(paths.guidance),
    solution: file.solution,
    maxTurns: file.run.max_turns,
    maxUsd: file.cost.max_usd,
    reuse: file.cost.cache,
    inputs: [...(target.inputs ?? []), ...file.inputs],
    isolation: file.isolation,
    mcpServers: file.mcp_servers,
  };
}

/** The task in words. */
export function promptOf({ task }: LlmToolTestFile): string {
  return typeof task === 'string' ? task : task.prompt;
}

/** What the target itself finds wrong with its config, at the places of the file. */
export function targetProblems(config: CliToolConfig, { source, context }: Reading): Problem[] {
  const kind = context.parts.targets.find(({ type }) => type === 'cli-tool');
  const issues = kind?.check?.(config, { directory: context.directory }) ?? [];
  return issues.map(({ path: [first, ...rest], message }) => {
    const place = placeInFile[String(first)] ?? [];
    return { at: source.locate([...place, ...rest]), message };
  });
}

const placeInFile: Readonly<Record<string, DataPath>> = {
  binary: ['target', 'binary'],
  commandPattern: ['target', 'command_pattern'],
  healthCheck: ['target', 'health_check'],
  env: ['target', 'env'],
  prompt: ['task', 'prompt'],
  template: ['template_folder'],
  setup: ['setup', 'commands'],
  postScripts: ['scripts', 'post'],
  guidance: ['guidance'],
  solution: ['solution'],
  maxTurns: ['run', 'max_turns'],
  maxUsd: ['cost', 'max_usd'],
  inputs: ['inputs'],
  isolation: ['isolation'],
  mcpServers: ['mcp_servers'],
};
