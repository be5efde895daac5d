import { basename, extname, normalize } from 'node:path';
import type { LlmToolTestFile } from './llm-tool-test-schema.ts';
import { lookUp } from './lookup.ts';
import type { Reading } from './reading.ts';

/** The absolute paths of the guidance that is compared, by name. */
export async function findGuidance(
  section: LlmToolTestFile['guidance'],
  { source, context, found }: Reading,
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const { name, written, key } of namedPaths(section)) {
    const at = source.locate(['guidance', key]);
    const lookup = await lookUp({ name: written, kinds: ['file', 'folder'] }, context);
    if (!('path' in lookup)) found.problems.push({ at, ...lookup });
    else if (paths.has(name)) found.problems.push({ at, message: `the guidance \`${written}\` is there twice` });
    else paths.set(name, lookup.path);
  }
  return paths;
}

interface NamedPath {
  readonly name: string;
  readonly written: string;
  readonly key: string | number;
}

/** Files of a list are known by their own names or, where two have the same, by their whole paths. */
function namedPaths(section: LlmToolTestFile['guidance']): NamedPath[] {
  if (section === undefined) return [];
  if (!Array.isArray(section)) return Object.entries(section).map(([name, written]) => ({ name, written, key: name }));
  const stems = section.map((path) => basename(path, extname(path)));
  return section.map((written, key) => {
    const stem = basename(written, extname(written));
    const isAlone = stems.filter((other) => other === stem).length === 1;
    return { name: isAlone ? stem : normalize(written), written, key };
  });
}
