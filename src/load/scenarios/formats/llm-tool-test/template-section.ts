import { basename, extname } from 'node:path';
import { lookUp } from './lookup.ts';
import type { Reading } from './reading.ts';

/** The folder that work directories are copies of: the one that is named, else one that is named like the scenario. */
export async function findTemplate(
  written: string | undefined,
  { source, context, found }: Reading,
): Promise<string | undefined> {
  const name = written ?? basename(source.file, extname(source.file));
  const lookup = await lookUp({ name, kinds: ['folder'], isGuess: written === undefined }, context);
  if ('path' in lookup) return lookup.path;
  if (written !== undefined) found.problems.push({ at: source.locate(['template_folder']), ...lookup });
  return undefined;
}
