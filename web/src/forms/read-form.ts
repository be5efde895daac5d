import { isRecord } from '../../../src/shared/json.ts';
import type { FieldBranch, FieldOption, FormField } from './form-field.ts';

const spellings: Readonly<Record<string, string>> = {
  id: 'ID',
  url: 'URL',
  json: 'JSON',
  yaml: 'YAML',
  usd: 'USD',
  ms: 'ms',
  mcp: 'MCP',
  api: 'API',
  oauth: 'OAuth',
  cpu: 'CPU',
  kb: 'KB',
  mb: 'MB',
  rss: 'RSS',
};

/** The words for a key: `maxMs` and `max_ms` are both "Max ms". */
function labelOf(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
    .map((word) => spellings[word.toLowerCase()] ?? word.toLowerCase());
  const text = words.join(' ');
  return text === '' ? key : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A JSON Schema, as it comes from the server. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The values that a schema lists. */
function optionsOf(schema: JsonSchema): readonly FieldOption[] | undefined {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (schema.type === 'null') return [{ value: null, label: 'none' }];
  if (!Array.isArray(values) || !values.every(isOptionValue)) return undefined;
  return values.map((value) => ({ value, label: value === null ? 'none' : String(value) }));
}

function isOptionValue(value: unknown): value is FieldOption['value'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** The schemas of which a value has to fit one. */
function alternativesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema.anyOf)) return schema.anyOf;
  if (Array.isArray(schema.oneOf)) return schema.oneOf;
  return Array.isArray(schema.type) ? schema.type.map((type: unknown) => ({ ...schema, type })) : undefined;
}

/** The schema with what it refers to. */
function resolved(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const name = typeof schema.$ref === 'string' ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(schema.$ref)?.[1] : undefined;
  if (name === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...recordOf(definitions[decodeURIComponent(name)]), ...own };
}

/** A bound that people have set, and not the edge of what computers count. */
function safeBound(value: unknown): number | undefined {
  const bound = numberOf(value);
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

/** A number, or nothing. */
function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A map; an empty one where there is none. */
function recordOf(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

interface Reading {
  readonly definitions: JsonSchema;
  readonly depth: number;
  /** The words for a key. */
  readonly wordsOf: (key: string) => string;
}

type Info = Pick<FormField, 'label' | 'description' | 'fallback' | 'isRequired'>;

/** Beyond this a schema is taken for one that holds itself, and its values are typed as YAML. */
const deepest = 12;

const longTexts = /prompt|instructions|description|goal|content|behavior|stop when|^text$/i;

/** The form for values of a JSON Schema; parts that no field can show become YAML fields. */
export function readForm(schema: JsonSchema, label = '', isRequired = true): FormField {
  return readWith(schema, labelOf, label, isRequired);
}

/** The same with keys as they are written: those of the tools of others are names in their program. */
export function readForeignForm(schema: JsonSchema): FormField {
  return readWith(schema, (key) => key, '', true);
}

function readWith(schema: JsonSchema, wordsOf: Reading['wordsOf'], label: string, isRequired: boolean): FormField {
  const definitions = { ...recordOf(schema.definitions), ...recordOf(schema.$defs) };
  return readField(schema, label, isRequired, { definitions, depth: 0, wordsOf });
}

function readField(given: unknown, label: string, isRequired: boolean, reading: Reading): FormField {
  const schema = isRecord(given) ? resolved(given, reading.definitions) : {};
  const description = typeof schema.description === 'string' ? schema.description : undefined;
  const info: Info = { label, description, fallback: schema.default, isRequired };
  if (reading.depth > deepest) return { ...info, kind: 'anything' };
  const options = optionsOf(schema);
  if (options !== undefined) return { ...info, kind: 'choice', options };
  const inner = { ...reading, depth: reading.depth + 1 };
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined) return readUnion(info, alternatives, inner);
  return readTyped(info, schema, inner);
}

function readTyped(info: Info, schema: JsonSchema, reading: Reading): FormField {
  switch (schema.type) {
    case 'string':
      return {
        ...info,
        kind: 'text',
        isLong: longTexts.test(info.label),
        minLength: numberOf(schema.minLength) ?? 0,
        pattern: typeof schema.pattern === 'string' && schema.format === undefined ? schema.pattern : undefined,
      };
    case 'number':
    case 'integer':
      return {
        ...info,
        kind: 'number',
        isInteger: schema.type === 'integer',
        minimum: numberOf(schema.exclusiveMinimum) ?? safeBound(schema.minimum),
        maximum: safeBound(schema.maximum),
        isMinimumOutside: typeof schema.exclusiveMinimum === 'number',
      };
    case 'boolean':
      return { ...info, kind: 'switch' };
    case 'array':
      if (!isRecord(schema.items) || schema.prefixItems !== undefined) return { ...info, kind: 'anything' };
      return {
        ...info,
        kind: 'list',
        item: readField(schema.items, '', true, reading),
        minItems: numberOf(schema.minItems) ?? 0,
      };
    case 'object':
      return readObject(info, schema, reading);
    default:
      return { ...info, kind: 'anything' };
  }
}

function readObject(info: Info, schema: JsonSchema, reading: Reading): FormField {
  const properties = Object.entries(recordOf(schema.properties));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rest = schema.additionalProperties;
  if (properties.length === 0 && isRecord(rest)) {
    return { ...info, kind: 'record', value: readField(rest, '', true, reading) };
  }
  if (properties.length === 0 && rest !== false) return { ...info, kind: 'anything' };
  const entries = properties
    .filter(([key]) => key !== '$schema')
    .map(([key, inner]) => ({ key, field: readField(inner, reading.wordsOf(key), required.includes(key), reading) }));
  return { ...info, kind: 'group', entries, isClosed: rest === false };
}

function readUnion(info: Info, alternatives: readonly unknown[], reading: Reading): FormField {
  const options = alternatives.map((schema) =>
    isRecord(schema) ? optionsOf(resolved(schema, reading.definitions)) : undefined,
  );
  if (options.every((list) => list !== undefined)) return { ...info, kind: 'choice', options: options.flat() };
  const branches = alternatives.map((schema): FieldBranch => {
    const field = readField(schema, info.label, info.isRequired, reading);
    return { label: branchLabel(field, schema), field };
  });
  const [only] = branches;
  return branches.length === 1 && only !== undefined
    ? { ...only.field, ...info }
    : { ...info, kind: 'union', branches };
}

function branchLabel(field: FormField, schema: unknown): string {
  const title = isRecord(schema) ? schema.title : undefined;
  if (typeof title === 'string') return title;
  switch (field.kind) {
    case 'group': {
      const constant = field.entries.find(({ field: inner }) => inner.kind === 'choice' && inner.options.length === 1);
      if (constant?.field.kind === 'choice') return String(constant.field.options[0]?.value);
      const named = field.entries.find(({ field: inner }) => inner.isRequired);
      return named?.field.label ?? 'Settings';
    }
    case 'list':
      return 'Several';
    case 'text':
      return 'Text';
    case 'number':
      return 'Number';
    case 'switch':
      return 'Yes or no';
    case 'choice':
      return field.options.map(({ label }) => label).join(' or ');
    case 'record':
      return 'By name';
    default:
      return 'Anything';
  }
}
