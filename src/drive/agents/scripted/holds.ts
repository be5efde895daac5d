import { open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RE2JS } from 're2js';
import type { AgentSession } from '../agent.ts';
import type { Condition } from './script.ts';

/** How the command ended that was run last. */
export interface CommandEnd {
  readonly output: string;
  readonly exitCode: number | null;
}

const mostFileBytes = 1024 * 1024;

/** The task and the place in which a script is followed. */
type Surroundings = Pick<AgentSession, 'prompt' | 'workDirectory'>;

/** Whether a condition holds now; what is said of a command does not while none has been run. */
export async function holds(
  condition: Condition,
  last: CommandEnd | undefined,
  { prompt, workDirectory }: Surroundings,
): Promise<boolean> {
  const within = (inner: Condition): Promise<boolean> => holds(inner, last, { prompt, workDirectory });
  if (!holdsOfText(prompt, condition.prompt_contains, condition.prompt_matches)) return false;
  if (!holdsOfCommand(condition, last)) return false;
  if (condition.file !== undefined && !(await holdsOfFile(condition, condition.file, workDirectory))) return false;
  if (condition.not && (await within(condition.not))) return false;
  if (condition.any && !(await Promise.all(condition.any.map(within))).includes(true)) return false;
  return !condition.all || !(await Promise.all(condition.all.map(within))).includes(false);
}

function holdsOfCommand(condition: Condition, last: CommandEnd | undefined): boolean {
  const { output_contains, output_matches, exit_code } = condition;
  const isAboutCommand = [output_contains, output_matches, exit_code].some((part) => part !== undefined);
  if (!isAboutCommand) return true;
  if (!last || !holdsOfText(last.output, output_contains, output_matches)) return false;
  if (exit_code === undefined) return true;
  return typeof exit_code === 'number' ? last.exitCode === exit_code : last.exitCode !== exit_code.not;
}

async function holdsOfFile({ contains, matches }: Condition, path: string, workDirectory: string): Promise<boolean> {
  const text = await readInside(workDirectory, path);
  return text !== undefined && holdsOfText(text, contains, matches);
}

function holdsOfText(text: string, contains: string | undefined, matches: string | undefined): boolean {
  if (contains !== undefined && !text.includes(contains)) return false;
  return matches === undefined || RE2JS.compile(matches).matcher(text).find();
}

/** The beginning of a file; undefined when there is no such file, or when a link leads out of the folder. */
async function readInside(folder: string, path: string): Promise<string | undefined> {
  const file = await realpath(join(folder, path)).catch(() => undefined);
  if (file === undefined || !file.startsWith(`${await realpath(folder)}${sep}`)) return undefined;
  return readBeginning(file);
}

async function readBeginning(file: string): Promise<string | undefined> {
  if (!(await stat(file)).isFile()) return undefined;
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostFileBytes), 0, mostFileBytes, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
