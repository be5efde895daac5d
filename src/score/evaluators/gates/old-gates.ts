import { isRecord } from '../../../shared/json.ts';
import { shellWord } from '../../../shared/shell-words.ts';

type Fields = Readonly<Record<string, unknown>>;
type Replacement = (fields: Fields, binary: string) => readonly (readonly [key: string, value: string])[];

/** The gates that there were before any tool could be tested, each with what to write today. */
const replacements: Readonly<Record<string, Replacement>> = {
  minnotes: ({ count }, binary) => jsonPathGate(`${binary} list --format json`, '$', `len >= ${number(count)}`),
  minlinks: ({ count }, binary) => jsonPathGate(`${binary} export --format json`, '$.links', `len >= ${number(count)}`),
  searchhit: ({ query }, binary) =>
    containsGate(`${binary} search ${shellWord(text(query, 'query'))}`, text(query, 'query')),
  noteexists: ({ id }, binary) => succeedsGate(`${binary} show ${shellWord(text(id, 'id'))}`),
  linkexists: (fields, binary) => jsonPathGate(`${binary} export --format json`, linkPath(fields), 'exists'),
  tagexists: ({ tag }, binary) => containsGate(`${binary} list --format json`, text(tag, 'tag')),
  contentcontains: ({ id, substring }, binary) =>
    containsGate(`${binary} show ${shellWord(text(id, 'id'))}`, text(substring, 'substring')),
  doctorpasses: (_fields, binary) => succeedsGate(`${binary} doctor`),
};

/** The one value that a gate of old took, for those who wrote it without its name. */
const soleFields: Readonly<Record<string, string>> = {
  minnotes: 'count',
  minlinks: 'count',
  searchhit: 'query',
  noteexists: 'id',
  tagexists: 'tag',
};

/** Replacement for an old gate, filled in with its own values; undefined for anything else. */
export function oldGateMessage(value: unknown, binary: string): string | undefined {
  const old = oldGateIn(value);
  const replacement = old && replacements[old.key];
  if (!replacement) return undefined;
  const lines = replacement(old.fields, shellWord(binary)).map(([key, wanted]) => `${key}: ${inYaml(wanted)}`);
  return `The gate ${old.name} was removed, because gates no longer know particular tools. Write instead:\n- ${lines.join('\n  ')}`;
}

interface OldGate {
  readonly name: string;
  readonly key: string;
  readonly fields: Fields;
}

function oldGateIn(value: unknown): OldGate | undefined {
  if (typeof value === 'string') return oldGateNamed(value, {});
  if (!isRecord(value)) return undefined;
  if (typeof value.type === 'string') return oldGateNamed(value.type, value);
  const [entry, ...others] = Object.entries(value);
  return entry && others.length === 0 ? oldGateNamed(entry[0], entry[1]) : undefined;
}

function oldGateNamed(name: string, given: unknown): OldGate | undefined {
  const key = name.replaceAll('_', '').toLowerCase();
  if (!Object.hasOwn(replacements, key)) return undefined;
  const sole = soleFields[key];
  if (isRecord(given)) return { name, key, fields: given };
  return { name, key, fields: sole === undefined || given === null ? {} : { [sole]: given } };
}

function succeedsGate(command: string): ReturnType<Replacement> {
  return [
    ['type', 'command_succeeds'],
    ['command', command],
  ];
}

function containsGate(command: string, substring: string): ReturnType<Replacement> {
  return [
    ['type', 'command_output_contains'],
    ['command', command],
    ['substring', substring],
  ];
}

function jsonPathGate(command: string, path: string, assertion: string): ReturnType<Replacement> {
  return [
    ['type', 'command_json_path'],
    ['command', command],
    ['path', path],
    ['assertion', assertion],
  ];
}

function linkPath({ from, to, link_type: linkType }: Fields): string {
  const conditions = [`@.from == ${inPath(text(from, 'from'))}`, `@.to == ${inPath(text(to, 'to'))}`];
  if (linkType !== undefined) conditions.push(`@.type == ${inPath(text(linkType, 'link_type'))}`);
  return `$.links[?${conditions.join(' && ')}]`;
}

function number(value: unknown): string {
  return typeof value === 'number' ? String(value) : '1';
}

/** A value that was left out shows as its name. */
function text(value: unknown, name: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : `<${name}>`;
}

/** JSONPath takes the strings of JSON as they are. */
function inPath(value: string): string {
  return JSON.stringify(value);
}

/** A plain word where YAML reads it as text, JSON otherwise, which YAML reads too. */
function inYaml(value: string): string {
  return /^[a-z]+(_[a-z]+)*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/.test(value)
    ? value
    : JSON.stringify(value);
}
