import type * as z from 'zod';
import type { DataPath } from './parsed-source.ts';

type Schema = z.core.$ZodType;

type Definition = Schema['_zod']['def'] & {
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly values?: readonly unknown[];
};

/** The keys that a schema knows at a path of the given data, for suggestions; empty where there are none to know. */
export function knownKeys(schema: Schema, value: unknown, path: DataPath): string[] {
  let schemas = unwrap(schema, value);
  let part = value;
  for (const step of path) {
    const next = (part as Record<PropertyKey, unknown> | undefined)?.[step];
    schemas = schemas.flatMap((around) => child(around, step)).flatMap((inside) => unwrap(inside, next));
    part = next;
  }
  return schemas.flatMap((inside) => Object.keys(definition(inside).shape ?? {}));
}

function child(schema: Schema, step: PropertyKey): Schema[] {
  const { shape, element, valueType } = definition(schema);
  const next = shape?.[String(step)] ?? element ?? valueType;
  return next ? [next] : [];
}

/** The schemas behind optional, default, pipe and union; of a union by kind only the kind that was written. */
function unwrap(schema: Schema, value: unknown): Schema[] {
  const { innerType, options, discriminator, in: input, out: output } = definition(schema);
  if (options)
    return options
      .filter((option) => isOfKind(option, discriminator, value))
      .flatMap((option) => unwrap(option, value));
  // Of a preprocessing step only what comes out of it has a shape.
  const inner = innerType ?? (input && definition(input).type === 'transform' ? output : input);
  return inner ? unwrap(inner, value) : [schema];
}

function isOfKind(option: Schema, discriminator: string | undefined, value: unknown): boolean {
  const kind = discriminator === undefined ? undefined : definition(option).shape?.[discriminator];
  const written = (value as Record<string, unknown> | undefined)?.[discriminator ?? ''];
  return kind === undefined || (definition(kind).values ?? []).includes(written);
}

function definition(schema: Schema): Definition {
  return schema._zod.def as Definition;
}
