import * as z from 'zod';

/**
 * A definition whose `configSchema` is made on first use: most runs use few parts, and schemas take their
 * time to make.
 */
export function withLazySchema<Definition extends { readonly configSchema: unknown }>(
  definition: Definition,
): Definition {
  const { configSchema } = definition;
  if (typeof configSchema !== 'function') return definition;
  let made: unknown;
  return Object.defineProperty({ ...definition }, 'configSchema', {
    enumerable: true,
    get: () => {
      made ??= configSchema();
      return made;
    },
  });
}

/**
 * A schema that is made on first use: it becomes the schema as soon as any of its properties is looked at. Others may
 * hold it before, because it stays the same object, and zod knows schemas by identity.
 */
// Programs for the browser leave out a schema that they do not use, and zod with it.
/* @__NO_SIDE_EFFECTS__ */
export function lazySchema<Schema extends z.ZodType>(make: () => Schema): Schema {
  const schema = Object.create(
    new Proxy(Object.prototype, {
      get: (_target, key) => Reflect.get(become(schema, make()), key),
      has: (_target, key) => Reflect.has(become(schema, make()), key),
      getPrototypeOf: () => Reflect.getPrototypeOf(become(schema, make())),
    }),
  ) as Schema;
  return schema;
}

/** Makes an object into a schema with the definition of another, as the constructor of that one does. */
function become<Schema extends z.ZodType>(schema: Schema, made: Schema): Schema {
  const kind: z.core.$constructor<z.ZodType> = made._zod.constr as z.core.$constructor<z.ZodType>;
  Object.setPrototypeOf(schema, Object.getPrototypeOf(made));
  kind.init(schema, made._zod.def);
  for (const finish of schema._zod.deferred ?? []) finish();
  const description = z.globalRegistry.get(made);
  if (description) z.globalRegistry.add(schema, description);
  return schema;
}
