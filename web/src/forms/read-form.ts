import { isRecord } from '../documents/document-change.ts';
import type { FieldBranch, FormField } from './form-field.ts';
import { labelOf } from './label-of.ts';
import { alternativesOf, type JsonSchema, numberOf, optionsOf, recordOf, resolved, safeBound } from './schema-parts.ts';

interface Reading {
  readonly definitions: JsonSchema;
  readonly depth: number;
}

type Info = Pick<FormField, 'label' | 'description' | 'fallback' | 'isRequired'>;

/** Beyond this a schema is taken for one that holds itself, and its values are typed as YAML. */
const deepest = 12;

const longTexts = /prompt|instructions|description|goal|content|behavior|stop when|^text$/i;

/** The form for values of a JSON Schema; parts that no field can show become YAML fields. */
export function readForm(schema: JsonSchema, label = '', isRequired = true): FormField {
  const definitions = { ...recordOf(schema.definitions), ...recordOf(schema.$defs) };
  return readField(schema, label, isRequired, { definitions, depth: 0 });
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
    .map(([key, inner]) => ({ key, field: readField(inner, labelOf(key), required.includes(key), reading) }));
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
      const named = field.entries.find(({ field: inner }) => inner.isRequired) ?? field.entries[0];
      return named?.field.label ?? 'Map';
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
