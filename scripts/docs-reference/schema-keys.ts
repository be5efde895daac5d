import { code, section, sentence, table } from './markdown.ts';

/** A JSON Schema as Zod makes it, as far as a reader of the documentation cares. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
}

interface Key {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export interface KeyOptions {
  /** Places where a key's own keys are described, by the name of the key: `judge`, or `rules.judge` for that one alone. */
  readonly pages?: Readonly<Record<string, string>>;
  /** What a key may hold and what its edges are, by its whole path. */
  readonly examples?: Readonly<Record<string, KeyExample>>;
  /** The key that the others are in. */
  readonly within?: string;
}

/** A value of a key, what happens without the key where the schema has no default, and its edge case. */
export interface KeyExample {
  readonly example: unknown;
  readonly without?: string;
  /** Beside the values that the schema refuses, which are listed from it. */
  readonly edge?: string;
}

/** A key that holds a value, as its reference describes it. */
export interface ValueKey {
  readonly path: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
  readonly refused: readonly unknown[];
}

const columns = ['key', 'type', 'default', 'example', 'description'];

/** One table of all keys of a small schema; keys of objects in it are dotted. */
export function keyTable(root: JsonSchema, options: KeyOptions = {}): string {
  return tableOf(keysOf(root, root, options), root, options);
}

/** A table of the keys of a file, and a section for each key that has keys itself. */
export function keySections(root: JsonSchema, level: 2 | 3, options: KeyOptions = {}): string {
  const keys = ownKeys(root, root);
  const sections = keys.flatMap(({ path, schema }) => {
    if (isElsewhere(path, options)) return [];
    const variants = objectsIn(schema, root);
    const within = optionsWithin(path, options);
    const tables = variants.map((variant) => {
      const rows = tableOf(keysOf(variant, root, within), root, within);
      const purpose = variants.length > 1 && variant.description ? sentence(variant.description) : '';
      return [purpose, rows].filter((part) => part !== '').join('\n\n');
    });
    return tables.some((text) => text !== '') ? [section(level, code(path), ...tables)] : [];
  });
  return [tableOf(keys, root, options), ...sections].join('\n\n');
}

/** Keys without a description; every key that users write must have one. */
export function undescribedKeys(root: JsonSchema, options: KeyOptions = {}): string[] {
  return keysOf(root, root, options)
    .filter(({ path, schema }) => path !== '$schema' && describe(schema, root) === '')
    .map(({ path }) => path);
}

/** Every key that holds a value and is described here. */
export function valueKeys(root: JsonSchema, options: KeyOptions = {}): ValueKey[] {
  const isPlain = (schema: JsonSchema): boolean =>
    nested(schema, root).every(({ value }) => objectsIn(value, root).length === 0);
  return keysOf(root, root, options)
    .filter(({ path, schema }) => path !== '$schema' && !isInside(path, options) && isPlain(schema))
    .map(({ path, schema, isRequired }) => {
      return { path, isRequired, hasDefault: defaultText(schema) !== '', refused: refusedBy(schema, root) };
    });
}

/** Whether a key, or one that it is in, is described elsewhere. */
function isInside(path: string, options: KeyOptions): boolean {
  const plain = path.replace(/\.<name>|\[\]/g, '');
  const isNamed = (name: string): boolean => plain === name || plain.startsWith(`${name}.`);
  return isElsewhere(path, options) || Object.keys(options.pages ?? {}).some(isNamed);
}

/** Values next to those that a plain schema allows: below and above a range, an empty text or list. */
function refusedBy(schema: JsonSchema, root: JsonSchema): unknown[] {
  const all = branches(schema, root);
  const [only] = all;
  if (all.length !== 1 || !only) return [];
  const { type, minimum = -Infinity, exclusiveMinimum, maximum = Infinity, minLength = 0, minItems = 0 } = only;
  const isWhole = type === 'integer';
  if (type === 'string') return minLength > 0 ? [''] : [];
  if (type === 'array') return minItems > 0 ? [[]] : [];
  if (type !== 'number' && !isWhole) return [];
  const below = exclusiveMinimum ?? minimum - 1;
  return [below, maximum + 1].filter((value) => Math.abs(value) < Number.MAX_SAFE_INTEGER);
}

function tableOf(keys: readonly Key[], root: JsonSchema, options: KeyOptions): string {
  const rows = keys
    .filter(({ path }) => path !== '$schema')
    .map(({ path, schema, isRequired }) => {
      const { example, without = '', edge } = exampleOf(path, options) ?? {};
      const refused = refusedBy(schema, root).map((value) => (value === '' ? 'an empty text' : json(value)));
      const edges = [edge ?? '', refused.length > 0 && example !== undefined ? `refused: ${refused.join(', ')}` : ''];
      return [
        code(path),
        isElsewhere(path, options) ? link(path, schema, options) : typeText(schema, root),
        isRequired ? 'required' : defaultText(schema) || without,
        example === undefined ? '' : json(example),
        [sentence(describe(schema, root)), ...edges.map(capital)].filter((text) => text !== '').join(' '),
      ];
    });
  return table(columns, rows);
}

function capital(text: string): string {
  return sentence(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function exampleOf(path: string, { examples = {}, within }: KeyOptions): KeyExample | undefined {
  if (within === undefined) return examples[path];
  return ['', '.<name>', '[]'].map((way) => examples[`${within}${way}.${path}`]).find((found) => found !== undefined);
}

function optionsWithin(path: string, { pages = {}, examples }: KeyOptions): KeyOptions {
  const named = Object.entries(pages).map(([name, page]) => [name.replace(`${path}.`, ''), page]);
  return { pages: Object.fromEntries(named), within: path, ...(examples && { examples }) };
}

function lastName(path: string): string {
  return path.replace(/\[\]$/, '').split('.').at(-1) ?? path;
}

function isElsewhere(path: string, { pages = {} }: KeyOptions): boolean {
  return Object.hasOwn(pages, lastName(path));
}

function link(path: string, { items }: JsonSchema, { pages = {} }: KeyOptions): string {
  const name = lastName(path);
  return `[${items ? 'list of ' : ''}${name}](${pages[name]})`;
}

/** All keys below a schema, each path once. */
function keysOf(schema: JsonSchema, root: JsonSchema, options: KeyOptions, seen: readonly JsonSchema[] = []): Key[] {
  const found = new Map<string, Key>();
  for (const key of ownKeys(schema, root)) {
    found.set(key.path, key);
    if (isElsewhere(key.path, options)) continue;
    for (const { prefix, value } of nested(key.schema, root)) {
      if (seen.includes(value)) continue;
      for (const inner of keysOf(value, root, options, [...seen, value])) {
        const path = `${key.path}${prefix}.${inner.path}`;
        if (!found.has(path)) found.set(path, { ...inner, path });
      }
    }
  }
  return [...found.values()];
}

/** The keys of an object, or of all objects that a union allows. */
function ownKeys(schema: JsonSchema, root: JsonSchema): Key[] {
  const found = new Map<string, Key>();
  const objects = objectsIn(schema, root).filter(({ properties }) => properties);
  for (const { properties = {}, required = [] } of objects) {
    for (const [path, value] of Object.entries(properties)) {
      const before = found.get(path);
      const merged = before && before.schema !== value ? { anyOf: unique([before.schema, value]) } : value;
      const described = { ...merged, ...about(before?.schema ?? value, root) };
      found.set(path, { path, schema: described, isRequired: required.includes(path) && objects.length === 1 });
    }
  }
  return [...found.values()];
}

function about(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const description = schema.description ?? resolve(schema, root).description;
  return {
    ...(description !== undefined && { description }),
    ...(schema.default !== undefined && { default: schema.default }),
  };
}

function unique(schemas: readonly JsonSchema[]): JsonSchema[] {
  const flat = schemas.flatMap((schema) => schema.anyOf ?? [schema]);
  return [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** What a value consists of: itself, the items of a list, the values of a map. */
function nested(schema: JsonSchema, root: JsonSchema): { prefix: string; value: JsonSchema }[] {
  const all = branches(schema, root);
  const objects = all.filter(({ properties }) => properties);
  const [only = {}] = objects;
  return [
    ...(objects.length > 0 ? [{ prefix: '', value: objects.length === 1 ? only : { anyOf: objects } }] : []),
    ...all.flatMap(({ items }) => (items ? [{ prefix: '[]', value: resolve(items, root) }] : [])),
    ...all.flatMap(({ additionalProperties }) =>
      typeof additionalProperties === 'object'
        ? [{ prefix: '.<name>', value: resolve(additionalProperties, root) }]
        : [],
    ),
  ];
}

/** The objects that a value may be, those in lists and maps included. */
function objectsIn(schema: JsonSchema, root: JsonSchema, seen: readonly JsonSchema[] = []): JsonSchema[] {
  return branches(schema, root).flatMap((branch) => {
    if (seen.includes(branch)) return [];
    if (branch.properties) return [branch];
    const inner = branch.items ?? branch.additionalProperties;
    return typeof inner === 'object' ? objectsIn(inner, root, [...seen, branch]) : [];
  });
}

function branches(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const target = resolve(schema, root);
  const choices = target.anyOf ?? target.oneOf ?? target.allOf;
  return choices ? choices.flatMap((choice) => branches(choice, root)) : [target];
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  if (schema.$ref === '#') return root;
  return root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? schema;
}

function describe(schema: JsonSchema, root: JsonSchema): string {
  const target = resolve(schema, root);
  const described = schema.description ?? target.description;
  if (described !== undefined) return described;
  if (target.const !== undefined) return `always ${json(target.const)}`;
  return target.anyOf?.every((choice) => choice.const !== undefined) ? 'which form the object has' : '';
}

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined || value === '') return '';
  if (Array.isArray(value) && value.length === 0) return '';
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return '';
  return json(value);
}

function json(value: unknown): string {
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function typeText(schema: JsonSchema, root: JsonSchema, depth = 0): string {
  const target = resolve(schema, root);
  if (target.const !== undefined) return json(target.const);
  if (target.enum) return target.enum.map(json).join(', ');
  if (isAnyJson(target)) return 'any value';
  if (target.anyOf ?? target.oneOf) {
    const texts = branches(target, root).map((branch) => typeText(branch, root, depth + 1));
    return [...new Set(texts)].join(' or ');
  }
  if (target.items) return depth > 2 ? 'list' : `list of ${plural(typeText(target.items, root, depth + 1))}`;
  if (target.properties) return 'object';
  if (typeof target.additionalProperties === 'object' && target.type === 'object')
    return `map of ${plural(typeText(target.additionalProperties, root, depth + 1))}`;
  if (target.type === 'integer' || target.type === 'number') return numberText(target);
  if (typeof target.type === 'string') return target.type === 'object' ? 'map' : target.type;
  return 'any value';
}

/** Zod writes a value of JSON as a union of all of its types. */
export function isAnyJson({ anyOf = [] }: JsonSchema): boolean {
  return ['string', 'number', 'boolean', 'null', 'array'].every((name) => anyOf.some(({ type }) => type === name));
}

function plural(text: string): string {
  return /^(string|object|integer|number|list|map|any value)$/.test(text) ? `${text}s` : text;
}

/** Limits that only say how numbers are stored are left out. */
function numberText({ type, minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const isLimit = (limit: number | undefined): boolean =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  if (isLimit(minimum) && isLimit(maximum)) return `${type} ${minimum} to ${maximum}`;
  const limits = [
    isLimit(minimum) ? `at least ${minimum}` : '',
    isLimit(exclusiveMinimum) ? `more than ${exclusiveMinimum}` : '',
    isLimit(maximum) ? `at most ${maximum}` : '',
  ].filter((limit) => limit !== '');
  return [type, limits.join(', ')].filter((text) => text !== '').join(' ');
}
