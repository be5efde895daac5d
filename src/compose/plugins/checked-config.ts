import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import type { JsonSchema, StandardSchema, ZodLikeSchema } from './config-of.ts';
import { messageOf } from './foreign-error.ts';
import { type Checked, isStandardSchema, isZodLike, standardResult, zodResult } from './foreign-schema.ts';
import { isJsonSchema, jsonSchemaCheck } from './json-schema-config.ts';

/** The schema of a plug-in's config as our own checks know it, and the way to the config that its code receives. */
export interface CheckedConfig {
  /** Its output is what was put in, so that configs stay plain data until they are used. */
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

/** For documentation and forms; nothing where the schema cannot tell. */
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
