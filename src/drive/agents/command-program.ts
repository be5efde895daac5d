import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';

type Found = { readonly state: 'program' | 'not-executable'; readonly file: string } | { readonly state: 'missing' };

/** Looks for a program by its path, or by its name on PATH; distinguishes one that is not executable from a missing one. */
export async function lookForProgram(name: string, path: string): Promise<Found> {
  const folders = path.split(delimiter).filter(isAbsolute);
  const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
  const states = await Promise.all(places.map(stateOf));
  const [file] = places.filter((_, index) => states[index] === 'program');
  if (file !== undefined) return { state: 'program', file };
  const [blocked] = places.filter((_, index) => states[index] === 'not-executable');
  return blocked === undefined ? { state: 'missing' } : { state: 'not-executable', file: blocked };
}

/** Words of the shell itself, which are on no PATH. */
const shellWords = new Set([
  '.',
  ':',
  '[',
  'cd',
  'command',
  'eval',
  'exec',
  'exit',
  'export',
  'for',
  'if',
  'set',
  'test',
  'true',
  'ulimit',
  'umask',
  'unset',
  'while',
]);

/** Throws when the program that a shell command starts with cannot be started; commands that only a shell can parse are not checked. */
export async function checkCommand(agent: string, command: string, path: string): Promise<void> {
  const program = programIn(command);
  if (program === undefined || shellWords.has(program)) return;
  const found = await lookForProgram(program, path);
  if (found.state === 'program') return;
  throw new AssayError('AGENT_MISSING', `The agent "${agent}" cannot be started: ${whyNot(program, found)}.`, {
    hint:
      found.state === 'missing'
        ? 'Correct `command` of the agent in the config, or install the program.'
        : `Run \`chmod +x ${found.file}\`.`,
  });
}

/** Why a program cannot be started, in words. */
export function whyNot(program: string, found: Exclude<Found, { readonly state: 'program' }>): string {
  if (found.state === 'not-executable') return `${found.file} is not executable`;
  return program.includes('/') ? `${program} does not exist` : `there is no \`${program}\` on PATH`;
}

/** The first word of a command after variables that are set for it; undefined where only a shell can parse it. */
function programIn(command: string): string | undefined {
  const rest = command.trim().replace(/^(?:[A-Za-z_]\w*=[^\s'"$`\\]*\s+)*/, '');
  const quoted = /^'([^']+)'(?=\s|$)/.exec(rest)?.[1];
  return quoted ?? /^[\w@%+:,./[-]+(?=\s|$)/.exec(rest)?.[0];
}

async function stateOf(file: string): Promise<'program' | 'not-executable' | 'missing'> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return 'missing';
  return access(file, constants.X_OK).then(
    () => 'program' as const,
    () => 'not-executable' as const,
  );
}
