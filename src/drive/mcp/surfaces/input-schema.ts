import { isRecord } from '../../../shared/json.ts';
import { keywordShapes, problemOfKeyword } from '../../../shared/json-schema/keywords.ts';
import { JsonSchemaRefs } from '../../../shared/json-schema/references.ts';

/** The keywords without subschemas that every provider takes, where their values are what JSON Schema says. */
const plainKeywords: ReadonlySet<string> = new Set(
  'type title description format pattern enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties uniqueItems additionalProperties'.split(
    ' ',
  ),
);

/** Whether every provider takes a keyword with this value as it stands. */
function isUsable(keyword: string, value: unknown): boolean {
  if (!plainKeywords.has(keyword)) return false;
  if (keyword === 'title' || keyword === 'description') return typeof value === 'string';
  if (keyword === 'additionalProperties') return typeof value === 'boolean';
  if (keyword === 'pattern') return isPattern(value);
  if (keyword === 'enum') return Array.isArray(value) && value.length > 0;
  // Draft 4 had a flag of this name.
  if (keyword.startsWith('exclusive') && typeof value === 'boolean') return false;
  const shape = keywordShapes.get(keyword);
  return shape === undefined || problemOfKeyword(keyword, shape, value) === undefined;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

type Schema = Readonly<Record<string, unknown>>;

/** Limits of providers; deeper schemas accept anything. */
const deepestLevel = 24;
const mostSchemas = 2_000;

/**
 * The input schema of a tool in the part of JSON Schema that every provider takes: an object at the top, nothing
 * referred to, nothing malformed. What a provider would refuse is made looser and never stricter, because one refused
 * schema makes a provider refuse all tools, and the server checks its arguments itself.
 */
export function acceptableSchema(inputSchema: unknown): Record<string, unknown> {
  const root = isRecord(inputSchema) ? inputSchema : {};
  const cleaned = new SchemaCleaner(root).clean(root, [], 0) ?? {};
  const { allOf, anyOf, oneOf, ...own } = cleaned;
  const all = [own, ...schemasIn(allOf)];
  const choices = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  const properties = Object.assign({}, ...[...choices, ...all].map(propertiesOf)) as Record<string, unknown>;
  // One part may require what another one describes.
  const written = [...all, root, ...schemasIn(root.allOf)];
  const required = [...new Set([...written.flatMap(requiredIn), ...requiredInEach(choices)])].filter((name) =>
    Object.hasOwn(properties, name),
  );
  const isClosed = own.additionalProperties === false && all.length + choices.length === 1;
  return {
    type: 'object',
    ...(typeof own.description === 'string' && { description: own.description }),
    properties,
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

class SchemaCleaner {
  readonly #refs: JsonSchemaRefs;
  #count = 0;

  constructor(root: Schema) {
    this.#refs = new JsonSchemaRefs(root);
  }

  /** Undefined for a schema that nothing can meet. */
  clean(schema: unknown, within: readonly string[], level: number): Record<string, unknown> | undefined {
    if (schema === false) return undefined;
    if (!isRecord(schema) || level > deepestLevel || ++this.#count > mostSchemas) return {};
    if (typeof schema.$ref === 'string') return this.#cleanReference(schema, schema.$ref, within, level);
    const kept = Object.entries(schema).filter(([keyword, value]) => isUsable(keyword, value));
    return { ...Object.fromEntries(kept), ...this.#partsOf(schema, within, level + 1) };
  }

  /** In place of the reference stands what it refers to; in a circle anything goes. */
  #cleanReference(schema: Schema, reference: string, within: readonly string[], level: number) {
    const { $ref: _, ...beside } = schema;
    const target = within.includes(reference) ? undefined : this.#refs.resolve(reference);
    return this.clean(isRecord(target) ? { ...target, ...beside } : beside, [...within, reference], level + 1);
  }

  #partsOf(schema: Schema, within: readonly string[], level: number): Record<string, unknown> {
    const each = (list: unknown) =>
      listed(list).flatMap((item): Record<string, unknown>[] => {
        const cleaned = this.clean(item, within, level);
        return cleaned ? [cleaned] : [];
      });
    const parts: Record<string, unknown> = {};
    if (isRecord(schema.properties)) {
      const properties = Object.entries(schema.properties).flatMap(([name, property]) => {
        const cleaned = this.clean(property, within, level);
        return cleaned ? [[name, cleaned] as const] : [];
      });
      parts.properties = Object.fromEntries(properties);
      const required = requiredIn(schema).filter((name) => properties.some(([known]) => known === name));
      if (required.length > 0) parts.required = required;
    }
    const places = [...each(schema.prefixItems), ...(Array.isArray(schema.items) ? each(schema.items) : [])];
    if (places.length > 0) parts.items = places.length === 1 ? places[0] : { anyOf: places };
    else if (isRecord(schema.items)) parts.items = this.clean(schema.items, within, level);
    else if ([schema.type].flat().includes('array')) parts.items = {};
    if (isRecord(schema.additionalProperties)) {
      parts.additionalProperties = this.clean(schema.additionalProperties, within, level);
    }
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const choices = each(schema[keyword]);
      if (choices.length > 0) parts[keyword] = choices;
    }
    return parts;
  }
}

function listed(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function schemasIn(list: unknown): Schema[] {
  return listed(list).filter(isRecord);
}

function propertiesOf({ properties }: Schema): Schema {
  return isRecord(properties) ? properties : {};
}

function requiredIn({ required }: Schema): string[] {
  return [...new Set(listed(required))].filter((name) => typeof name === 'string');
}

/** Of several ways to call a tool, what all of them need. */
function requiredInEach(choices: readonly Schema[]): string[] {
  const [first, ...others] = choices;
  if (!first) return [];
  return requiredIn(first).filter((name) => others.every((other) => requiredIn(other).includes(name)));
}
