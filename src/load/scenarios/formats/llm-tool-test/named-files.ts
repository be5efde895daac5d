import { stat } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { ReadContext } from '../../scenario-format.ts';
import type { LlmToolTestFile, LlmToolTestReading } from './llm-tool-test-schema.ts';

/** A file or folder to find; a guessed name is not searched in the project's folder. */
interface Wanted {
  readonly name: string;
  readonly kinds: readonly ('file' | 'folder')[];
  readonly isGuess?: boolean;
}

/** Path of a file or folder, or why it was not found. */
type Lookup = { readonly path: string } | Pick<Problem, 'message' | 'hint'>;

/** Searches beside the scenario, in the project, and in the fixtures folders, in this order. */
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
  if (others.length > 0) return { message: `${pathList(others, context)} is not a ${kinds}` };
  return { message: `there is no ${kinds} \`${wanted.name}\``, hint: `Searched: ${pathList(candidates, context)}.` };
}

function placesOf({ name, isGuess }: Wanted, { directory, folder, defaults }: ReadContext): string[] {
  if (isAbsolute(name)) return [name];
  const fixtures = (defaults.cliTools?.fixturesFolders ?? []).map((path) => resolve(folder, path));
  const project = isGuess ? [] : [folder];
  const places = [directory, ...project, ...fixtures.flatMap((path) => [join(path, 'templates'), path])];
  return [...new Set(places.map((place) => join(place, name)))];
}

function pathList(paths: readonly string[], { folder }: ReadContext): string {
  return paths.map((path) => `\`${relative(folder, path) || '.'}\``).join(', ');
}

/** The template of work directories: the named folder, else one with the name of the scenario. */
export async function findTemplate(
  written: string | undefined,
  { source, context, found }: LlmToolTestReading,
): Promise<string | undefined> {
  const name = written ?? basename(source.file, extname(source.file));
  const lookup = await lookUp({ name, kinds: ['folder'], isGuess: written === undefined }, context);
  if ('path' in lookup) return lookup.path;
  if (written !== undefined) found.problems.push({ at: source.locate(['template_folder']), ...lookup });
  return undefined;
}

/** The Dockerfile of a scenario's image, by its absolute path. */
export async function findDockerfile(
  written: string | undefined,
  { source, context, found }: LlmToolTestReading,
): Promise<string | undefined> {
  if (written === undefined) return undefined;
  const lookup = await lookUp({ name: written, kinds: ['file'] }, context);
  if ('path' in lookup) return lookup.path;
  found.problems.push({ at: source.locate(['dockerfile']), ...lookup });
  return undefined;
}

/** The name of an arm that lays nothing over the template. */
const noGuidance = 'none';

/** The absolute paths of the guidance that is compared, by name; null for the arm without any. */
export async function findGuidance(
  section: LlmToolTestFile['guidance'],
  { source, context, found }: LlmToolTestReading,
): Promise<ReadonlyMap<string, string | null>> {
  const paths = new Map<string, string | null>();
  for (const { name, written, key } of namedPaths(section)) {
    const at = source.locate(['guidance', key]);
    const lookup = written === null ? null : await lookUp({ name: written, kinds: ['file', 'folder'] }, context);
    if (paths.has(name)) found.problems.push({ at, message: `duplicate guidance \`${name}\`` });
    else if (lookup !== null && 'path' in lookup) paths.set(name, lookup.path);
    else if (lookup === null || written === noGuidance) paths.set(name, null);
    else found.problems.push({ at, ...lookup });
  }
  return paths;
}

interface NamedPath {
  readonly name: string;
  /** Null for an arm without guidance. */
  readonly written: string | null;
  readonly key: string | number;
}

/** Files of a list are named by their base names or, where two are equal, by their paths. */
export function namedPaths(section: LlmToolTestFile['guidance']): NamedPath[] {
  if (section === undefined) return [];
  if (!Array.isArray(section)) return Object.entries(section).map(([name, written]) => ({ name, written, key: name }));
  const stems = section.map((path) => basename(path, extname(path)));
  return section.map((written, key) => {
    const stem = basename(written, extname(written));
    const isAlone = stems.filter((other) => other === stem).length === 1;
    return { name: isAlone ? stem : normalize(written), written, key };
  });
}
