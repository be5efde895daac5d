import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import {
  caseByCase,
  commonParts,
  noCliToolDefaults,
  type ReadContext,
  type ReadScenario,
  trialLimitMs,
} from '../../scenario-format.ts';
import { chooseVariants } from '../agent-variants.ts';
import { treeHash } from '../llm-tool-test/content-hash.ts';
import { type FileReading, parseTolerantly } from '../tolerant-parse.ts';
import { readCompose } from './compose-file.ts';
import { readHarborTask } from './harbor-task.ts';
import { commandFor, fileOfTask, type TaskFolder, type UnsupportedPart, warnOfUnsupported } from './task-folder.ts';
import { looksLikeHarbor } from './task-folder-format.ts';

const defaultTimeoutSecs = 600;

/** Folders of a task whose files are never scenarios. */
const materialFolders = ['environment', 'tests', 'solution', 'steps'];

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
    ...commonParts({ ...task, tier: 0, repeat: 1 }, source, context),
    timeoutMs: trialLimitMs(task.timeoutSecs, context.defaults, defaultTimeoutSecs),
    target: { type: 'cli-tool', config: configOf(task) },
    judge: { models: [], samples: undefined },
    variants,
    caseCount: 1,
    contentHash: await treeHash(directory),
    ownFolders: materialFolders.map((name) => join(directory, name)),
    companions: [directory],
    warnings: found.warnings,
    cases: () => caseByCase([item]),
  };
}

function caseOf({ prompt, verifier }: TaskFolder): Case {
  const { command, timeoutSecs, env, from, steps } = verifier;
  const config = { command, timeout_secs: timeoutSecs, env: { ...env }, from, threshold: 1, ...(steps && { steps }) };
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
  };
}

const seconds = () => z.number().positive().max(86_400);

const text = () => z.string().refine((written) => written.trim() !== '', { message: 'must not be empty' });

const terminalBenchSchema = () =>
  z.strictObject({
    instruction: text().optional(),
    descriptions: z
      .array(z.looseObject({ key: z.string(), description: text() }))
      .min(1)
      .optional(),
    tags: z.array(z.string()).default([]),
    parser_name: z.literal('pytest').default('pytest'),
    max_agent_timeout_sec: seconds().default(360),
    max_test_timeout_sec: seconds().default(60),
    run_tests_in_same_shell: z.boolean().default(false),
    author_name: z.unknown().optional(),
    author_email: z.unknown().optional(),
    difficulty: z.unknown().optional(),
    category: z.unknown().optional(),
    disable_asciinema: z.unknown().optional(),
    estimated_duration_sec: z.unknown().optional(),
    expert_time_estimate_min: z.unknown().optional(),
    junior_time_estimate_min: z.unknown().optional(),
  });

/** Reads `task.yaml` and the files beside it; undefined where something is wrong with them. */
async function readTerminalBenchTask(reading: FileReading): Promise<TaskFolder | undefined> {
  const { source, context, found } = reading;
  const { directory } = context;
  const parsed = { schema: terminalBenchSchema(), value: source.value, source, isTolerant: () => true };
  const file = parseTolerantly(parsed, found);
  const runTests = await fileOfTask('run-tests.sh', reading);
  const solution = await fileOfTask('solution.sh', reading, true);
  const compose = await readCompose('docker-compose.yaml', 'client', reading);
  const dockerfile = compose.dockerfile ?? join(directory, 'Dockerfile');
  if (compose.dockerfile === undefined) await fileOfTask('Dockerfile', reading);
  if (!file || runTests === undefined || found.problems.length > 0) return undefined;
  const inShell: UnsupportedPart = {
    at: source.locate(['run_tests_in_same_shell']),
    subject: 'tests in the shell of the agent',
  };
  const parts = [...(file.run_tests_in_same_shell ? [inShell] : []), ...compose.unsupported];
  const unsupported = warnOfUnsupported(parts, reading);
  const described = file.descriptions?.find(({ key }) => key === 'base') ?? file.descriptions?.[0];
  const tests = join(directory, 'tests');
  return {
    name: basename(directory),
    description: '',
    tags: file.tags,
    prompt: file.instruction ?? described?.description ?? '',
    timeoutSecs: file.max_agent_timeout_sec,
    verifier: {
      command: commandFor(runTests, '/run-tests.sh'),
      timeoutSecs: file.max_test_timeout_sec,
      env: { TEST_DIR: '/tests' },
      from: 'pytest',
    },
    env: compose.env,
    unsupported,
    container: {
      dockerfile,
      mcpServers: {},
      ...(compose.services.length > 0 && { services: [...compose.services] }),
      stagedFolders: [
        { from: join(directory, 'run-tests.sh'), to: '/run-tests.sh' },
        ...(existsSync(tests) ? [{ from: tests, to: '/tests' }] : []),
      ],
      ...(solution !== undefined && {
        solution: commandFor(solution, '/solution.sh'),
        solutionFolder: { from: join(directory, 'solution.sh'), to: '/solution.sh' },
      }),
    },
  };
}
