import * as z from 'zod';

type Data = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A message with one part that is changed, and where. */
export interface OddMessage {
  readonly change: string;
  readonly message: unknown;
}

/** Satisfies texts of every kind: base64, names and addresses alike. */
const anyText = 'aGk=';

/** A value that a schema takes, with everything that is optional; lists have one entry of each kind. */
export function sampleOf(schema: z.ZodType): unknown {
  return sampled(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Data);
}

function sampled(schema: Data): unknown {
  const kinds = (schema.anyOf ?? schema.oneOf) as readonly Data[] | undefined;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (kinds?.[0]) return sampled(kinds[0]);
  if (schema.type === 'array') return entries(schema.items as Data);
  if (schema.type === 'object') return sampledObject(schema);
  if (schema.type === 'boolean') return true;
  if (schema.type === 'number' || schema.type === 'integer') return schema.minimum ?? 1;
  return schema.format === 'date-time' ? '2026-07-28T00:00:00Z' : anyText;
}

function entries(items: Data): unknown[] {
  const kinds = (items.anyOf ?? [items]) as readonly Data[];
  return kinds.map(sampled);
}

function sampledObject({ properties = {} }: Data): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties as Data).map(([key, part]) => [key, sampled(part as Data)]));
}

const others: readonly unknown[] = [null, true, 7, 1.5, 'odd', '', [], {}, [[]]];

/** Every part of a message left out, replaced by values of all types, put into a list, and with one more key. */
export function* oddMessages(message: unknown): Generator<OddMessage> {
  for (const path of pathsIn(message)) {
    const value = valueAt(message, path);
    const at = path.join('.');
    if (path.length > 0) yield { change: `${at} left out`, message: changed(message, path, undefined) };
    for (const other of [...others, [value]]) {
      if (JSON.stringify(other) === JSON.stringify(value)) continue;
      const text = Array.isArray(other) && other[0] === value ? 'a list of it' : JSON.stringify(other);
      yield { change: `${at} is ${text}`, message: changed(message, path, other) };
    }
    if (isObject(value))
      yield { change: `${at} has one more key`, message: changed(message, path, { ...value, oneMore: 1 }) };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);
}

function changed(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  const inner = changed(copy[key], rest, other);
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}
