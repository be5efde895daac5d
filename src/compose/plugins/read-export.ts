import { isRecord } from '../../shared/json.ts';
import { messageOf } from './foreign-calls.ts';
import { assertRules, type Family, families, type PluginParts } from './plugin-parts.ts';

/** One part as a plug-in exports it. */
export interface ExportedPart {
  readonly family: Family;
  readonly name: string;
  readonly part: object;
  readonly isAuto: boolean;
}

const familyNames = Object.keys(families) as Family[];

/** Depth limit for nested exports, because an export may contain itself. */
const deepestLevel = 8;

/** The parts that a module exports by default; throws an Error that says what is wrong with them. */
export function readExport(module: Readonly<Record<string, unknown>>): ExportedPart[] {
  const parts = partsIn(defaultExport(module), deepestLevel);
  if (parts.length === 0) throw new Error('the default export contains nothing made by a define function');
  return parts;
}

/** A module that was compiled to CommonJS has its default export one level further down. */
function defaultExport(module: Readonly<Record<string, unknown>>): unknown {
  const exported = module.default ?? module;
  return isRecord(exported) && exported.__esModule && exported.default !== undefined ? exported.default : exported;
}

function partsIn(exported: unknown, levels: number): ExportedPart[] {
  if (levels === 0) throw new Error('the default export is nested too deeply');
  if (Array.isArray(exported)) return exported.flatMap((item: unknown) => partsIn(item, levels - 1));
  if (!isRecord(exported)) return unknownExport(exported);
  const given = familyNames.filter((family) => exported[family] !== undefined);
  if (given.length === 0) return unknownExport(exported);
  return given.flatMap((family) => familyParts(family, exported[family], levels - 1));
}

function familyParts(family: Family, list: unknown, levels: number): ExportedPart[] {
  if (!Array.isArray(list)) throw new Error(`\`${family}\` must be a list`);
  return list.flatMap((item: unknown, index) => {
    const isPlugin = isRecord(item) && familyNames.some((name) => Array.isArray(item[name]));
    return isPlugin ? partsIn(item, levels - 1) : [partOf(family, item, `${family}[${index}]`)];
  });
}

function partOf(family: Family, definition: unknown, place: string): ExportedPart {
  const { rules, adapt, nameOf } = families[family];
  try {
    if (!isRecord(definition)) throw new Error('it is not an object');
    assertRules(definition, rules);
    const part = adapt(definition);
    return { family, part, name: nameOf(part as never), isAuto: definition.auto === true };
  } catch (error) {
    throw new Error(`${place}: ${messageOf(error)}`);
  }
}

function unknownExport(exported: unknown): never {
  const looksDefined =
    isRecord(exported) && ['evaluate', 'prepare', 'invoke', 'drive', 'render'].some((key) => key in exported);
  if (looksDefined) throw new Error('the default export is a definition that was not passed to a define function');
  throw new Error(
    `the default export is ${exported === null ? 'null' : Array.isArray(exported) ? 'a list' : typeof exported}`,
  );
}

/** The one part of a family that a define function gave; a part of the program itself is given back as it is. */
export function onlyPart<Name extends Family>(family: Name, given: object): PluginParts[Name][number] {
  if (!Object.keys(families).some((name) => name in given)) return given as PluginParts[Name][number];
  const [only, ...others] = readExport({ default: given }).filter((exported) => exported.family === family);
  if (!only || others.length > 0)
    throw new Error(`expected one part in ${family}, found ${only ? others.length + 1 : 0}`);
  return only.part as PluginParts[Name][number];
}
