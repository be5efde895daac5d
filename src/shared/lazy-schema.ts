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
