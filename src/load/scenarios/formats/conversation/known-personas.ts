import type { FilePosition } from '../../../../domain/errors.ts';
import type { Persona } from '../../../../drive/targets/conversation/conversation-config.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import type { Reading } from './reading.ts';

/** A persona and where the scenario asks for it. */
export interface ReadPersona {
  readonly persona: Persona;
  readonly at: FilePosition;
}

/** Part of a file in which personas are written or named. */
export interface PersonaSection {
  readonly value: unknown;
  readonly source: ParsedSource;
  readonly path: DataPath;
}

/** The persona of that name beside the scenarios or in the config. */
export function findPersona(name: string, { source, path }: PersonaSection, reading: Reading): ReadPersona[] {
  const { defaults, dataFolder, found } = reading;
  const at = source.locate(path);
  const beside = dataFolder.personas.find(({ value }) => value.name === name)?.value;
  if (beside) return [{ persona: personaOf(beside, name), at }];
  const shared = Object.hasOwn(defaults.personas, name) ? defaults.personas[name] : undefined;
  if (shared) return [{ persona: { ...shared, name }, at }];
  const names = [...dataFolder.personas.flatMap(({ value }) => value.name ?? []), ...Object.keys(defaults.personas)];
  const hint = names.length > 0 ? suggestion(name, names) : 'Write it out, or add it to `personas` in the config.';
  found.problems.push({ at, message: `there is no persona \`${name}\``, hint });
  return [];
}

/** The personas of the data folder with these ids. */
export function findPersonasById(ids: readonly (string | number)[], reading: Reading): ReadPersona[] {
  const { source, dataFolder, found } = reading;
  return ids.flatMap((id, index) => {
    const at = source.locate(['personaIds', index]);
    const persona = dataFolder.personas.find(({ value }) => String(value.id) === String(id))?.value;
    if (persona) return [{ persona: personaOf(persona, persona.name ?? String(id)), at }];
    if (dataFolder.problems.length > 0) return [];
    const hint = 'Personas are read from the personas.json beside the scenarios.';
    found.problems.push({ at, message: `there is no persona with the id \`${id}\``, hint });
    return [];
  });
}

type Fields = Omit<Persona, 'name'>;

/** Who somebody is, without what a data folder keeps beside it. */
export function personaOf(fields: Fields, name: string): Persona {
  const { description, systemPrompt, goal, stopWhen, messages, model, headers } = fields;
  return {
    name,
    messages,
    headers,
    ...(description !== undefined && { description }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(goal !== undefined && { goal }),
    ...(stopWhen !== undefined && { stopWhen }),
    ...(model !== undefined && { model }),
  };
}
