import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import { compileJsonSchema } from '../../shared/json-schema/json-schema.ts';
import { messageOf } from './foreign-calls.ts';

/** A schema of any library that follows the Standard Schema convention, which zod does from version 3.24 on. */
interface StandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly output: unknown } | undefined;
  };
}

/** A schema of an older zod. */
interface ZodLikeSchema {
  readonly _output?: unknown;
  safeParse(value: unknown): unknown;
}

/** JSON Schema of the drafts 4, 7 and 2020-12, as far as it can be checked without references to elsewhere. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** How a plug-in may describe its config. */
export type ConfigSchema = StandardSchema | ZodLikeSchema | JsonSchema;

/** The config that code receives whose schema this is; any mapping where types say nothing. */
export type ConfigOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : Schema extends { readonly _output: infer Output; safeParse(value: unknown): unknown }
    ? Output
    : Readonly<Record<string, unknown>>;

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Result of a schema check. */
type Checked = { readonly value: unknown } | { readonly issues: readonly Issue[] };

/** The schema of a plug-in's config as our own checks know it, and the way to the config that its code receives. */
export interface CheckedConfig {
  /** Its output is its input, so configs stay plain data until they are used. */
  readonly schema: z.ZodType;
  /** The config with defaults and whatever else the schema makes of it. */
  read(config: unknown): unknown;
}

type Check = (value: unknown) => Checked;

/** Takes zod of any version, any Standard Schema or JSON Schema; throws an Error that says what is wrong with it. */
export function checkedConfig(given: unknown): CheckedConfig {
  if (given === undefined) return foreign(checkMapping, { type: 'object' });
  if (isStandardSchema(given)) return foreign((value) => standardResult(given, value), describedBy(given));
  if (isZodLike(given)) return foreign((value) => zodResult(given.safeParse(value)), describedBy(given));
  if (isJsonSchema(given)) return foreign(jsonSchemaCheck(given), embedded(given));
  throw new Error('`configSchema` must be a zod schema, a Standard Schema or JSON Schema');
}

function foreign(check: Check, described: JsonSchema): CheckedConfig {
  const safely: Check = (value) => {
    try {
      return check(value);
    } catch (error) {
      return { issues: [{ path: [], message: `the config schema failed: ${messageOf(error)}` }] };
    }
  };
  const schema = z.unknown().superRefine((value, context) => {
    const checked = safely(value);
    if (!('issues' in checked)) return;
    for (const { path, message } of checked.issues) context.addIssue({ code: 'custom', path: [...path], message });
  });
  return {
    schema: schema.meta(described),
    read(config) {
      const checked = safely(config);
      if ('value' in checked) return checked.value;
      throw new Error(`its config is not valid: ${checked.issues.map(({ message }) => message).join('; ')}`);
    },
  };
}

function checkMapping(value: unknown): Checked {
  return isRecord(value) ? { value } : { issues: [{ path: [], message: 'must be a mapping' }] };
}

/** For documentation and forms; empty where the schema has no JSON Schema. */
function describedBy(schema: StandardSchema | ZodLikeSchema): JsonSchema {
  try {
    return embedded(jsonSchemaOf(schema));
  } catch {
    return {};
  }
}

/** JSON Schema as a part of another: references would point elsewhere in it. */
function embedded({ $schema: _dialect, $id: _, id: __, ...described }: JsonSchema): JsonSchema {
  return JSON.stringify(described).includes('"$ref"') ? {} : described;
}

function jsonSchemaOf(schema: object): Record<string, unknown> {
  if ('_zod' in schema) return z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' });
  const { jsonSchema } =
    (schema as { readonly '~standard'?: { readonly jsonSchema?: JsonSchemaSource } })['~standard'] ?? {};
  return jsonSchema?.input({ target: 'draft-2020-12' }) ?? {};
}

interface JsonSchemaSource {
  input(options: { readonly target: string }): Record<string, unknown>;
}

/** Whether it follows the Standard Schema convention; some libraries make such schemas of functions. */
function isStandardSchema(given: unknown): given is StandardSchema {
  const isObject = isRecord(given) || typeof given === 'function';
  if (!isObject || !('~standard' in given)) return false;
  return typeof (given as Partial<StandardSchema>)['~standard']?.validate === 'function';
}

/** Whether it has zod's `safeParse`. */
function isZodLike(given: unknown): given is ZodLikeSchema {
  return isRecord(given) && typeof given.safeParse === 'function';
}

/** Result of a Standard Schema, which must be synchronous. */
function standardResult(schema: StandardSchema, value: unknown): Checked {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return { issues: [{ path: [], message: 'the config schema must not be asynchronous' }] };
  }
  if (!isRecord(result)) throw new Error('it returned no result');
  return Array.isArray(result.issues) ? { issues: result.issues.map(issueOf) } : { value: result.value };
}

/** Result of `safeParse`. */
function zodResult(result: unknown): Checked {
  if (!isRecord(result)) throw new Error('it returned no result');
  if (result.success === true) return { value: result.data };
  const { issues } = result.error as { readonly issues?: unknown };
  return { issues: Array.isArray(issues) ? issues.map(issueOf) : [{ path: [], message: 'is not valid' }] };
}

function issueOf(issue: unknown): Issue {
  const { path, message } = Object(issue) as { readonly path?: unknown; readonly message?: unknown };
  const steps = Array.isArray(path) ? path : [];
  return {
    path: steps.map((step: unknown) => (isRecord(step) ? String(step.key) : (step as PropertyKey))),
    message: typeof message === 'string' && message !== '' ? message : 'is not valid',
  };
}

/** Without one of these it is a mapping of something else, such as the fields of a zod object. */
const keywords = [
  '$schema',
  '$ref',
  'type',
  'properties',
  'required',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
];

/** Whether it is meant as JSON Schema. */
function isJsonSchema(given: unknown): given is JsonSchema {
  if (!isRecord(given)) return false;
  return Object.keys(given).length === 0 || keywords.some((keyword) => keyword in given);
}

/** Checks values against JSON Schema, with the defaults of its properties filled in; throws when it cannot be used. */
function jsonSchemaCheck(schema: JsonSchema): (value: unknown) => Checked {
  const compiled = compiledSchema(schema);
  const defaults = defaultsIn(schema);
  return (given) => {
    const value = isRecord(given) ? { ...structuredClone(defaults), ...given } : given;
    const issues = compiled.problemsIn(value).map(schemaIssue);
    return issues.length > 0 ? { issues } : { value };
  };
}

function compiledSchema(schema: JsonSchema): ReturnType<typeof compileJsonSchema> {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    throw new Error(`\`configSchema\` is not a supported JSON Schema: ${messageOf(error)}`);
  }
}

function defaultsIn({ properties }: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (isRecord(field) && field.default !== undefined ? [[name, field.default]] : [])),
  );
}

const placePattern = /^\$((?:\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])*): /;
const stepPattern = /\.(\w+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/g;

/** A problem begins with its place, such as `$.words[0]`. */
function schemaIssue(problem: string): { readonly path: readonly PropertyKey[]; readonly message: string } {
  const [whole, place] = placePattern.exec(problem) ?? [];
  if (whole === undefined || place === undefined) return { path: [], message: problem };
  const path = [...place.matchAll(stepPattern)].map(
    ([, name, quoted]) => name ?? (JSON.parse(quoted ?? '""') as PropertyKey),
  );
  return { path, message: problem.slice(whole.length) };
}
