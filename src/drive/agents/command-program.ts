import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { isFile, isProgram, pathFolders } from '../../shared/processes/programs-on-path.ts';

type Found = { readonly state: 'program' | 'not-executable'; readonly file: string } | { readonly state: 'missing' };

/** Looks for a program by its path, or by its name on PATH; distinguishes one that is not executable from a missing one. */
export function lookForProgram(name: string, path: string): Found {
  const places = name.includes('/') ? [name] : pathFolders(path).map((folder) => join(folder, name));
  const file = places.find(isProgram);
  if (file !== undefined) return { state: 'program', file };
  const blocked = places.find(isFile);
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
export function checkCommand(agent: string, command: string, path: string): void {
  const program = programIn(command);
  if (program === undefined || shellWords.has(program)) return;
  const found = lookForProgram(program, path);
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
