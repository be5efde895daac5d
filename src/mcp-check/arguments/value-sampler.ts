import { canonicalJson, isRecord } from '../../shared/json.ts';
import { JsonSchemaRefs } from '../../shared/json-schema/references.ts';
import { pick, type Random } from '../../shared/seeded-random.ts';
import { sampleNumber, sampleText } from './sample-scalars.ts';
import { count, impliedType, list, mergeSchemas, neededWith } from './schema-parts.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The kind of sample: as little as allowed, everything, the lower or the upper limits, or a random choice.
 */
export type Fill = 'minimal' | 'full' | 'lowest' | 'highest' | 'random';

/** A schema that no value can be made for. */
export class NoSample extends Error {}

/** A schema whose values are larger than those that are made here. */
export class SampleTooLarge extends NoSample {}

const deepest = 24;
/** Deeper than this only required properties are filled in: recursive schemas must end. */
const fullUntil = 4;
const mostItems = 50;
/** A schema that asks for more than this, in one list, object, text or in all, is not sampled. */
const mostRequired = 1_000;
const mostCharacters = 100_000;
const mostValues = 20_000;

/** Makes values that fit a schema, mostly; who needs to be sure checks them. */
export class ValueSampler {
  readonly #refs: JsonSchemaRefs;
  readonly #random: Random;
  #valuesMade = 0;

  constructor(root: unknown, random: Random) {
    this.#refs = new JsonSchemaRefs(root);
    this.#random = random;
  }

  /** A value for a schema; throws a `NoSample` where none can be made. */
  sample(written: unknown, fill: Fill, name = '', level = 0): unknown {
    if (level === 0) this.#valuesMade = 0;
    if (level > deepest || written === false) throw new NoSample();
    if (++this.#valuesMade > mostValues) throw new SampleTooLarge();
    const schema = this.#whole(written, fill, level);
    const given = this.#givenValue(schema, fill);
    if (given) return given.value;
    switch (this.#typeOf(schema, fill)) {
      case 'null':
        return null;
      case 'boolean':
        return fill === 'random' ? this.#random() < 0.5 : fill !== 'minimal' && fill !== 'lowest';
      case 'integer':
        return sampleNumber(schema, true, numberChoices[fill], this.#random);
      case 'number':
        return sampleNumber(schema, false, numberChoices[fill], this.#random);
      case 'array':
        return this.#array(schema, fill, name, level);
      case 'object':
        return this.#object(schema, fill, level);
      default:
        if ((count(schema.minLength) ?? 0) > mostCharacters) throw new SampleTooLarge();
        return sampleText(schema, name, textLengths[fill], this.#random);
    }
  }

  /** The schema with what it refers to and one of its alternatives in it. */
  #whole(written: unknown, fill: Fill, level: number): Schema {
    if (written === false || level > deepest) throw new NoSample();
    if (!isRecord(written)) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = written;
    let schema: Schema = own;
    if (typeof $ref === 'string') schema = mergeSchemas(this.#whole(this.#refs.resolve($ref), fill, level + 1), schema);
    for (const part of list(allOf)) schema = mergeSchemas(schema, this.#whole(part, fill, level + 1));
    for (const alternatives of [list(anyOf), list(oneOf)]) {
      const chosen = this.#alternative(alternatives, fill);
      if (chosen !== undefined) schema = mergeSchemas(schema, this.#whole(chosen, fill, level + 1));
    }
    return schema;
  }

  #alternative(alternatives: readonly unknown[], fill: Fill): unknown {
    const telling = alternatives.filter((part) => !isRecord(part) || part.type !== 'null');
    const from = telling.length > 0 ? telling : alternatives;
    if (fill === 'highest') return from.at(-1);
    return fill === 'random' ? pick(alternatives, this.#random) : from[0];
  }

  /** A value that the author of the schema gave. */
  #givenValue(schema: Schema, fill: Fill): { readonly value: unknown } | undefined {
    if ('const' in schema) return { value: schema.const };
    const examples = [...list(schema.examples), ...('example' in schema ? [schema.example] : [])];
    const isUsual = fill === 'minimal' || fill === 'full';
    if (isUsual && examples.length > 0) return { value: fill === 'full' ? examples.at(-1) : examples[0] };
    if (isUsual && 'default' in schema && schema.default !== null) return { value: schema.default };
    if (!Array.isArray(schema.enum)) return undefined;
    if (schema.enum.length === 0) throw new NoSample();
    if (fill === 'random') return { value: pick(schema.enum, this.#random) };
    return { value: fill === 'highest' ? schema.enum.at(-1) : schema.enum[0] };
  }

  #typeOf(schema: Schema, fill: Fill): unknown {
    if (schema.type === undefined) return impliedType(schema);
    const types = [schema.type].flat();
    if (types.length === 0) throw new NoSample();
    const telling = types.filter((type) => type !== 'null');
    if (telling.length === 0) return 'null';
    return fill === 'random' ? pick(types, this.#random) : telling[0];
  }

  #array(schema: Schema, fill: Fill, name: string, level: number): unknown[] {
    const before = list(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined));
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const least = Math.max(count(schema.minItems) ?? 0, 'contains' in schema ? 1 : 0);
    if (least > mostRequired) throw new SampleTooLarge();
    const most = Math.min(count(schema.maxItems) ?? Number.MAX_SAFE_INTEGER, Math.max(least, mostItems));
    const usual = fill === 'minimal' || fill === 'lowest' || level > fullUntil ? least : Math.max(least, 1);
    const wanted = fill === 'highest' && schema.maxItems !== undefined ? most : Math.min(usual, most);
    const items: unknown[] = before.map((part) => this.sample(part, fill, name, level + 1)).slice(0, most);
    if ('contains' in schema && items.length < most) items.push(this.sample(schema.contains, fill, name, level + 1));
    const distinct = new Set(schema.uniqueItems === true ? items.map((item) => canonicalJson(item)) : []);
    const tries = wanted * 5 + 10;
    for (let at = 0; at < tries && items.length < wanted && rest !== false; at++) {
      const next = this.sample(rest ?? {}, at === 0 ? fill : 'random', name, level + 1);
      const isKnown = schema.uniqueItems === true && distinct.has(canonicalJson(next));
      // Texts can be made different where every sample would be the same.
      const item = isKnown && typeof next === 'string' ? `${next}${items.length + 1}` : next;
      if (isKnown && item === next) continue;
      items.push(item);
      if (schema.uniqueItems === true) distinct.add(canonicalJson(item));
    }
    return items;
  }

  #object(schema: Schema, fill: Fill, level: number): Record<string, unknown> {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = list(schema.required).filter((name): name is string => typeof name === 'string');
    const most = count(schema.maxProperties) ?? Number.MAX_SAFE_INTEGER;
    const least = Math.max(count(schema.minProperties) ?? 0, required.length);
    if (least > mostRequired) throw new SampleTooLarge();
    const isRequired = new Set(required);
    const optional = Object.keys(properties).filter((name) => !isRequired.has(name));
    const isWanted = (): boolean =>
      level <= fullUntil && (fill === 'random' ? this.#random() < 0.5 : fill !== 'minimal');
    const value = new Map<string, unknown>();
    for (const name of required) value.set(name, this.#property(schema, properties, name, fill, level));
    for (const name of optional) {
      const isNeeded = value.size < least;
      if (value.size < most && (isNeeded || isWanted())) this.#setOptional(value, name, properties[name], fill, level);
    }
    for (const name of neededWith(schema, value))
      value.set(name, this.#property(schema, properties, name, fill, level));
    for (let number = 1; value.size < least && number <= least; number++)
      value.set(`key${number}`, this.#property(schema, properties, `key${number}`, fill, level));
    return Object.fromEntries(value);
  }

  /** An optional property that cannot be sampled is left out. */
  #setOptional(value: Map<string, unknown>, name: string, schema: unknown, fill: Fill, level: number): void {
    try {
      value.set(name, this.sample(schema, fill, name, level + 1));
    } catch (error) {
      if (!(error instanceof NoSample) || this.#valuesMade > mostValues) throw error;
    }
  }

  #property(schema: Schema, properties: Schema, name: string, fill: Fill, level: number): unknown {
    const own = Object.hasOwn(properties, name) ? properties[name] : (schema.additionalProperties ?? {});
    return this.sample(own, fill, name, level + 1);
  }
}

const numberChoices = { minimal: 'usual', full: 'usual', lowest: 'lowest', highest: 'highest', random: 'any' } as const;
const textLengths = {
  minimal: 'usual',
  full: 'usual',
  lowest: 'shortest',
  highest: 'longest',
  random: 'usual',
} as const;
