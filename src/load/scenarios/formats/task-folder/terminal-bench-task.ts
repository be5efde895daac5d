import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { FileReading } from '../file-reading.ts';
import { parseTolerantly } from '../tolerant-parse.ts';
import { commandFor, fileOfTask, sidecarsIn, type TaskFolder, warnOfUnsupported } from './task-folder.ts';

const seconds = () => z.number().positive().max(86_400);

const terminalBenchSchema = () =>
  z.strictObject({
    instruction: z.string().refine((text) => text.trim() !== '', { message: 'must not be empty' }),
    tags: z.array(z.string()).default([]),
    parser_name: z.literal('pytest').default('pytest'),
    max_agent_timeout_sec: seconds().default(360),
    max_test_timeout_sec: seconds().default(60),
    run_tests_in_same_shell: z.literal(false).default(false),
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
export async function readTerminalBenchTask(reading: FileReading): Promise<TaskFolder | undefined> {
  const { source, context, found } = reading;
  const { directory } = context;
  const parsed = { schema: terminalBenchSchema(), value: source.value, source, isTolerant: () => true };
  const file = parseTolerantly(parsed, found);
  const runTests = await fileOfTask('run-tests.sh', reading);
  const solution = await fileOfTask('solution.sh', reading, true);
  const dockerfile = await fileOfTask('Dockerfile', reading);
  const unsupported = warnOfUnsupported(await sidecarsIn('docker-compose.yaml', reading), reading);
  if (!file || runTests === undefined || dockerfile === undefined) return undefined;
  const tests = join(directory, 'tests');
  return {
    name: basename(directory),
    description: '',
    tags: file.tags,
    prompt: file.instruction,
    timeoutSecs: file.max_agent_timeout_sec,
    verifier: {
      command: commandFor(runTests, '/run-tests.sh'),
      timeoutSecs: file.max_test_timeout_sec,
      env: { TEST_DIR: '/tests' },
      from: 'pytest',
    },
    env: {},
    unsupported,
    container: {
      dockerfile: join(directory, 'Dockerfile'),
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
