import { stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { ReadContext } from '../../scenario-format.ts';

/** What is looked for: a name that was written, or one that was only guessed and so means nothing in the project. */
interface Wanted {
  readonly name: string;
  readonly kinds: readonly ('file' | 'folder')[];
  readonly isGuess?: boolean;
}

/** Where something that a scenario names lies, or why it is nowhere. */
export type Lookup = { readonly path: string } | Pick<Problem, 'message' | 'hint'>;

/** Looks for a file or folder beside the scenario, in the project, and in the folders of fixtures, in this order. */
export async function lookUp(wanted: Wanted, context: ReadContext): Promise<Lookup> {
  const candidates = placesOf(wanted, context);
  const others: string[] = [];
  for (const path of candidates) {
    const entry = await stat(path).catch(() => undefined);
    const kind = entry?.isFile() ? 'file' : entry?.isDirectory() ? 'folder' : undefined;
    if (kind && wanted.kinds.includes(kind)) return { path };
    if (entry) others.push(path);
  }
  const kinds = wanted.kinds.join(' or ');
  if (others.length > 0) return { message: `${shown(others, context)} is not a ${kinds}` };
  return { message: `there is no ${kinds} \`${wanted.name}\``, hint: `Looked for ${shown(candidates, context)}.` };
}

function placesOf({ name, isGuess }: Wanted, { directory, folder, defaults }: ReadContext): string[] {
  if (isAbsolute(name)) return [name];
  const fixtures = (defaults.cliTools?.fixturesFolders ?? []).map((path) => resolve(folder, path));
  const project = isGuess ? [] : [folder];
  const places = [directory, ...project, ...fixtures.flatMap((path) => [join(path, 'templates'), path])];
  return [...new Set(places.map((place) => join(place, name)))];
}

function shown(paths: readonly string[], { folder }: ReadContext): string {
  return paths.map((path) => `\`${relative(folder, path) || '.'}\``).join(', ');
}
