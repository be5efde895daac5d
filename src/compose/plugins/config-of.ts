/** A schema of any library that follows the Standard Schema convention, which zod does from version 3.24 on. */
export interface StandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly output: unknown } | undefined;
  };
}

/** A schema of an older zod. */
export interface ZodLikeSchema {
  readonly _output?: unknown;
  safeParse(value: unknown): unknown;
}

/** JSON Schema of the drafts 4, 7 and 2020-12, as far as it can be checked without references to elsewhere. */
export type JsonSchema = Readonly<Record<string, unknown>>;

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
