import { type Family, families, type PluginParts } from './plugin-parts.ts';
import { readExport } from './read-export.ts';

/** The one part of a family that a define function gave; a part of the program itself is given back as it is. */
export function onlyPart<Name extends Family>(family: Name, given: object): PluginParts[Name][number] {
  if (!Object.keys(families).some((name) => name in given)) return given as PluginParts[Name][number];
  const [only, ...others] = readExport({ default: given }).filter((exported) => exported.family === family);
  if (!only || others.length > 0)
    throw new Error(`expected one part of ${family}, there are ${only ? others.length + 1 : 0}`);
  return only.part as PluginParts[Name][number];
}
