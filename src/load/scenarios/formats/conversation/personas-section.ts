import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { FilePosition } from '../../../../domain/errors.ts';
import { ProblemsError } from '../../../../domain/problem.ts';
import { pressing, tacticNames } from '../../../../drive/conversation/adversaries.ts';
import type { Persona, UserConfig } from '../../../../drive/conversation/conversation-config.ts';
import { isRecord, pickedFrom } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import { pathBeside } from '../../../sources/path-beside.ts';
import { pathText } from '../../../sources/schema-messages.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { dataExtensions, readSource } from '../../../sources/source-file.ts';
import { type ConversationFile, personaSectionSchema } from './conversation-schema.ts';
import type { ConversationReading } from './data-folder.ts';

/** A persona, with the position of its name. */
interface ReadPersona {
  readonly persona: Persona;
  readonly at: FilePosition;
}

/** Part of a file in which personas are written or named. */
interface PersonaSection {
  readonly value: unknown;
  readonly source: ParsedSource;
  readonly path: DataPath;
}

/** The persona with this name, beside the scenarios or in the config. */
function findPersona(name: string, { source, path }: PersonaSection, reading: ConversationReading): ReadPersona[] {
  const { defaults, dataFolder, found } = reading;
  const at = source.locate(path);
  const beside = dataFolder.personas.find(({ value }) => value.name === name)?.value;
  if (beside) return [{ persona: personaOf(beside, name), at }];
  const shared = Object.hasOwn(defaults.personas, name) ? defaults.personas[name] : undefined;
  if (shared) return [{ persona: personaOf(shared, name), at }];
  const names = [...dataFolder.personas.flatMap(({ value }) => value.name ?? []), ...Object.keys(defaults.personas)];
  const hint = names.length > 0 ? suggestion(name, names) : 'Define it inline, or add it to `personas` in the config.';
  found.problems.push({ at, message: `there is no persona "${name}"`, hint });
  return [];
}

/** The personas of the data folder with these ids. */
function findPersonasById(ids: readonly (string | number)[], reading: ConversationReading): ReadPersona[] {
  const { source, dataFolder, found } = reading;
  return ids.flatMap((id, index) => {
    const at = source.locate(['personaIds', index]);
    const persona = dataFolder.personas.find(({ value }) => String(value.id) === String(id))?.value;
    if (persona) return [{ persona: personaOf(persona, persona.name ?? String(id)), at }];
    if (dataFolder.problems.length > 0) return [];
    const hint = 'Add it to personas.json beside the scenarios, where personas with ids are defined.';
    found.problems.push({ at, message: `there is no persona with the id "${id}"`, hint });
    return [];
  });
}

type Fields = Omit<Persona, 'name'>;

const personaKeys = [
  ...(['messages', 'headers', 'description', 'systemPrompt', 'goal'] as const),
  ...(['stopWhen', 'facts', 'toolLoop', 'model', 'persists'] as const),
];

/** The persona without fields that only other programs and the pages use. */
function personaOf(fields: Fields, name: string): Persona {
  return { name, ...pickedFrom(fields, personaKeys) };
}

/** The name of a user that has a brief and no persona. */
const usersName = 'user';

/** The persona as the user of this scenario: its own goal, facts and tools stand for those of the persona. */
function withBrief(persona: Persona, user: UserConfig | undefined): Persona {
  if (!user) return persona;
  const { adversary: _, ...brief } = user;
  const facts = { ...persona.facts, ...user.facts };
  return { ...persona, ...brief, ...(Object.keys(facts).length > 0 && { facts }) };
}

/** Users who press for the goal, each in one way; what an agent must not do has to be written, and no persona stands beside them. */
function adversaries(
  file: ConversationFile,
  personas: readonly ReadPersona[],
  reading: ConversationReading,
): Persona[] {
  const { adversary: ways, ...brief } = file.user ?? {};
  if (ways === undefined) return [];
  const refuse = (message: string, hint: string): void => {
    reading.found.problems.push({ at: reading.source.locateKey(['user'], 'adversary'), message, hint });
  };
  if (personas.length > 0)
    refuse(
      '`user.adversary` makes its personas itself',
      'Leave the personas out, or write the adversary as one of them.',
    );
  if (brief.goal === undefined)
    refuse('`user.adversary` needs `user.goal`', 'Write what the agent must not do for the user as the goal.');
  return (ways === 'all' ? tacticNames : [...new Set(ways)]).map((way) => ({
    ...pressing(way),
    messages: [],
    headers: {},
    ...brief,
  }));
}

/** The personas of a scenario, by name. */
export async function choosePersonas(
  file: ConversationFile,
  reading: ConversationReading,
): Promise<ReadonlyMap<string, Persona>> {
  const { source, found } = reading;
  const personas = [
    ...(await readOne({ value: file.persona, source, path: ['persona'] }, reading)),
    ...(await readSeveral({ value: file.personas, source, path: ['personas'] }, reading)),
    ...findPersonasById(file.personaIds ?? [], reading),
  ];
  const byName = new Map<string, Persona>();
  for (const { persona, at } of personas) {
    if (byName.has(persona.name)) found.problems.push({ at, message: `duplicate persona name "${persona.name}"` });
    byName.set(persona.name, withBrief(persona, file.user));
  }
  for (const persona of adversaries(file, personas, reading)) byName.set(persona.name, persona);
  if (file.user && byName.size === 0)
    byName.set(usersName, withBrief({ name: usersName, messages: [], headers: {} }, file.user));
  return byName;
}

/** By name, a list, or a file with one of these. */
async function readSeveral(section: PersonaSection, reading: ConversationReading): Promise<ReadPersona[]> {
  const { value, source, path } = section;
  if (value === undefined) return [];
  if (typeof value === 'string')
    return isFileName(value) ? readFile(section, value, reading, readSeveral) : findPersona(value, section, reading);
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) {
    const message = `${pathText(path)} must be an object with personas by name, a list of them, or a file`;
    reading.found.problems.push({ at: source.locate(path), message });
    return [];
  }
  const read: ReadPersona[] = [];
  for (const [key, item] of Object.entries(value) as [string, unknown][]) {
    const step = isList ? Number(key) : key;
    const inside = { value: item, source, path: [...path, step] };
    read.push(...(await readOne(inside, reading, isList ? undefined : key)));
  }
  return read;
}

/** Inline, by name, or a file with one; `name` is the key of a persona in a mapping. */
async function readOne(section: PersonaSection, reading: ConversationReading, name?: string): Promise<ReadPersona[]> {
  const { value, source, path } = section;
  const { found } = reading;
  if (value === undefined) return [];
  if (typeof value === 'string') {
    const isFile = name !== undefined || isFileName(value);
    if (!isFile) return findPersona(value, section, reading);
    return readFile(section, value, reading, (inside) => readOne(inside, reading, name));
  }
  const at = source.locate(path);
  if (!isRecord(value)) {
    found.problems.push({ at, message: `${pathText(path)} must be a name, a file or an object` });
    return [];
  }
  const parsed = personaSectionSchema.safeParse(value);
  if (!parsed.success) {
    found.problems.push(...problemsOf(parsed.error, source, personaSectionSchema, path));
    return [];
  }
  const personaName = name ?? parsed.data.name;
  if (personaName) return [{ persona: personaOf(parsed.data, personaName), at }];
  found.problems.push({ at, message: `${pathText([...path, 'name'])} is missing` });
  return [];
}

/** Relative to the scenario file. Files cannot name further files, so there is no cycle. */
async function readFile(
  { source, path }: PersonaSection,
  written: string,
  reading: ConversationReading,
  read: (section: PersonaSection, reading: ConversationReading) => Promise<ReadPersona[]>,
): Promise<ReadPersona[]> {
  const { context, found } = reading;
  const at = source.locate(path);
  const name = pathBeside(source.file, written);
  const entry = await stat(resolve(context.folder, name)).catch(() => undefined);
  if (source !== reading.source) {
    found.problems.push({ at, message: 'a file of personas cannot name another file' });
    return [];
  }
  if (!entry?.isFile()) {
    found.problems.push({ at, message: `there is no file \`${written}\``, hint: `Searched: \`${name}\`.` });
    return [];
  }
  try {
    const file = await readSource(name, context.folder);
    return await read({ value: file.value, source: file, path: [] }, reading);
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    found.problems.push(...error.problems);
    return [];
  }
}

function isFileName(text: string): boolean {
  return (dataExtensions as readonly string[]).includes(extname(text).toLowerCase());
}
