import type { TraceEvent } from '../../domain/trace.ts';
import { assayInProcess } from './assay-in-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface ConversationOptions {
  /** Further files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one scenario in a project made for it; gives its trial and the trace that the store kept. */
export async function runConversation(
  scenario: object,
  { files = {}, flags = [], env = {} }: ConversationOptions = {},
) {
  const cwd = await temporaryFolder({ 's.json': JSON.stringify(scenario), ...files });
  const result = await assayInProcess(['run', 's.json', '--json', '--no-cache', ...flags], { cwd, env });
  if (!result.stdout.startsWith('{')) throw new Error(result.stderr);
  const { trials, ...run } = JSON.parse(result.stdout);
  const { stdout } = await assayInProcess(['show', trials[0].trialId, '--json'], { cwd, env });
  const trace = JSON.parse(stdout).trace as TraceEvent[];
  return { ...result, run, trial: trials[0], trace, cwd };
}

/** Checks a scenario without running it. */
export async function validateConversation(scenario: object, files: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryFolder({ 's.json': JSON.stringify(scenario, null, 2), ...files });
  return assayInProcess(['validate', 's.json'], { cwd });
}
