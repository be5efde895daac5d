import type * as z from 'zod';
import type { DataPath } from './parsed-source.ts';

type Definition = z.core.$ZodType['_zod']['def'] & {
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
};

/** The keys that a schema knows at a path, for suggestions; empty where there are none to know. */
export function knownKeys(schema: z.core.$ZodType, path: DataPath): string[] {
  const objects = path.reduce<z.core.$ZodType[]>((parts, step) => parts.flatMap((part) => child(part, step)), [schema]);
  return objects.flatMap((part) => unwrap(part)).flatMap((part) => Object.keys(definition(part).shape ?? {}));
}

function child(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType[] {
  return unwrap(schema).flatMap((part) => {
    const { shape, element, valueType } = definition(part);
    const next = shape?.[String(step)] ?? element ?? valueType;
    return next ? [next] : [];
  });
}

/** The schemas behind optional, default, pipe and union. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { innerType, options, in: input } = definition(schema);
  if (options) return options.flatMap(unwrap);
  const inner = innerType ?? input;
  return inner ? unwrap(inner) : [schema];
}

function definition(schema: z.core.$ZodType): Definition {
  return schema._zod.def as Definition;
}
