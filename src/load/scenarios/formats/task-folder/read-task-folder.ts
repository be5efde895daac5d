import { join } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { noCliToolDefaults, type ReadContext, type ReadScenario, trialLimitMs } from '../../scenario-format.ts';
import { chooseVariants } from '../agent-variants.ts';
import type { FileReading } from '../file-reading.ts';
import { treeHash } from '../llm-tool-test/content-hash.ts';
import { readHarborTask } from './harbor-task.ts';
import type { TaskFolder } from './task-folder.ts';
import { looksLikeHarbor } from './task-folder-format.ts';
import { readTerminalBenchTask } from './terminal-bench-task.ts';

const defaultTimeoutSecs = 600;

/** Folders of a task whose files are never scenarios. */
const materialFolders = ['environment', 'tests', 'solution'];

/** Reads the task in the folder of a file as a scenario of the container tier, or returns its problems. */
export async function readTaskFolder(
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const reading: FileReading = { source, context, found: { problems: [], warnings: [] } };
  const { found } = reading;
  const task = await (looksLikeHarbor(source.value) ? readHarborTask(reading) : readTerminalBenchTask(reading));
  const defaults = context.defaults.cliTools ?? noCliToolDefaults;
  const { variants, problems } = chooseVariants({}, defaults, { guidance: [], skills: [] });
  found.problems.push(...problems.map(({ path, ...words }) => ({ at: source.locate(path), ...words })));
  if (!task || found.problems.length > 0) return found.problems;
  const { directory } = context;
  const item = caseOf(task);
  return {
    name: task.name,
    description: task.description,
    file: source.file,
    directory,
    tags: task.tags,
    tier: 0,
    repeat: context.defaults.repeat ?? 1,
    timeoutMs: trialLimitMs(task.timeoutSecs, context.defaults, defaultTimeoutSecs),
    target: { type: 'cli-tool', config: configOf(task) },
    judge: { models: [], samples: undefined },
    variants,
    composite: undefined,
    caseCount: 1,
    contentHash: await treeHash(directory),
    ownFolders: materialFolders.map((name) => join(directory, name)),
    companions: [directory],
    warnings: found.warnings,
    async *cases() {
      yield item;
    },
  };
}

function caseOf({ prompt, verifier }: TaskFolder): Case {
  const { command, timeoutSecs, env, from } = verifier;
  const config = { command, timeout_secs: timeoutSecs, env: { ...env }, from, threshold: 1 };
  return { caseId: 'task', input: prompt, expected: undefined, evaluators: [{ type: 'reward', config }] };
}

function configOf({ prompt, env, container, unsupported }: TaskFolder): CliToolConfig {
  return {
    imageFolder: true,
    ...container,
    prompt,
    env: { ...env },
    ...(unsupported.length > 0 && { unsupported: [...unsupported] }),
    isolation: 'container',
    binaries: [],
    setup: [],
    postScripts: [],
    guidance: {},
    skills: {},
    inputs: [],
    mcpServers: {},
  };
}
