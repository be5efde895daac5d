import type * as z from 'zod';
import type { Problem } from '../../domain/problem.ts';
import { listed, nearestName, suggestion } from '../../shared/suggest.ts';
import { type DataPath, type ParsedSource, valueAt } from './parsed-source.ts';
import { issueWords } from './schema-messages.ts';

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

/** The keys of a schema at a path of the data, for suggestions; empty where it has none. */
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

/** The schemas behind optional, default, pipe and union; of a discriminated union only the matching one. */
function unwrap(schema: Schema, value: unknown): Schema[] {
  const { innerType, options, discriminator, in: input, out: output } = definition(schema);
  if (options)
    return options
      .filter((option) => isOfKind(option, discriminator, value))
      .flatMap((option) => unwrap(option, value));
  // Of a preprocessing step only the output has a shape.
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

/** Further parts of a refinement's message: the column within a string, and a hint. */
interface RefinementParams {
  readonly column?: number;
  readonly hint?: string | undefined;
}

type Issues = Pick<z.ZodError, 'issues'>;

/**
 * The issues of a failed check as problems of the file, each with its position. `prefix` is the path of the checked
 * data in the source.
 */
export function problemsOf(failed: Issues, source: ParsedSource, schema: z.ZodType, prefix: DataPath = []): Problem[] {
  const data = valueAt(source.value, prefix);
  const error = { issues: failed.issues.map(withinUnion) };
  const misspelt = misspeltKeys(error, schema, data);
  const withUnknownKeys = new Set(
    error.issues.flatMap(({ code, path }) => (code === 'unrecognized_keys' ? [placeOf(path)] : [])),
  );
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const keys = knownKeys(schema, data, issue.path);
      return issue.keys.map((key) => unknownKey(key, keys, source, path));
    }
    const written = valueAt(data, issue.path);
    if (written === undefined && issue.path.some((_, end) => misspelt.has(placeOf(issue.path.slice(0, end + 1)))))
      return [];
    if (written === undefined && issue.code === 'invalid_union') {
      const slip = misspeltKind(source, path);
      if (slip) return [slip];
    }
    // An unknown key may be a misspelling of the key that the rule requires.
    if (issue.code === 'custom' && withUnknownKeys.has(placeOf(issue.path))) return [];
    if (issue.code === 'custom') return [refinementProblem(issue, source, path)];
    const words = issueWords(issue, path, written);
    return [{ at: source.locate(path), ...words, hint: words.hint ?? objectHint(issue, schema, data) }];
  });
}

/** The keys of an object for which something else was written. */
function objectHint(issue: Issues['issues'][number], schema: z.ZodType, data: unknown): string | undefined {
  if (issue.code !== 'invalid_type' || issue.expected !== 'object' || issue.path.length === 0) return undefined;
  const keys = knownKeys(schema, data, issue.path);
  return keys.length === 0 ? undefined : `Its keys: ${listed(keys)}.`;
}

/** For a value that has the type of one option of a union only, what is wrong with it; any other issue unchanged. */
function withinUnion(issue: Issues['issues'][number]): Issues['issues'][number] {
  if (issue.code !== 'invalid_union') return issue;
  const [written, ...others] = issue.errors.filter((issues) => issues.every(isAboutContent));
  const inner = written?.find(({ code }) => code === 'unrecognized_keys') ?? written?.[0];
  if (!inner || others.length > 0) return issue;
  return withinUnion({ ...inner, path: [...issue.path, ...inner.path] });
}

/** An issue of a value with the right type, or about a part of one. */
function isAboutContent({ code, path }: Issues['issues'][number]): boolean {
  return code === 'unrecognized_keys' || code === 'custom' || path.length > 0;
}

/** Keys of other programs, and ours for the same. */
const keysElsewhere: Readonly<Record<string, readonly string[]>> = {
  assert: ['passCriteria', 'evaluators'],
  assertions: ['passCriteria', 'evaluators'],
  tests: ['cases'],
  timeout: ['timeoutSecs', 'timeout_secs'],
  function: ['export'],
  value: ['config'],
  providers: ['connectors', 'models'],
  criteria: ['passCriteria'],
  expect: ['expected', 'passCriteria'],
  url: ['baseUrl'],
  vars: ['input'],
  prompt: ['task', 'userMessages'],
};

function keyElsewhere(key: string, allowed: readonly string[]): string | undefined {
  if (key === 'args' && allowed.includes('command'))
    return 'Write the whole command line in `command`: `command: node tool.mjs --flag`.';
  const ours = Object.hasOwn(keysElsewhere, key) ? keysElsewhere[key]?.filter((name) => allowed.includes(name)) : [];
  return ours?.length ? `Here it is ${ours.map((name) => `\`${name}\``).join(' or ')}.` : undefined;
}

function unknownKey(key: string, allowed: readonly string[], source: ParsedSource, around: DataPath): Problem {
  const hint = allowed.length > 0 ? (keyElsewhere(key, allowed) ?? suggestion(key, allowed)) : undefined;
  return { at: source.locateKey(around, key), message: `unknown key \`${key}\``, hint };
}

function refinementProblem(issue: z.core.$ZodIssueCustom, source: ParsedSource, path: DataPath): Problem {
  const { column, hint } = (issue.params ?? {}) as RefinementParams;
  const at = column === undefined ? source.locate(path) : source.locateInString(path, column);
  return { at, message: issue.message, hint };
}

/** Keys that are probably misspelt: reporting them as missing too would report one mistake twice. */
function misspeltKeys(error: Issues, schema: z.ZodType, data: unknown): ReadonlySet<string> {
  const places = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const keys = knownKeys(schema, data, issue.path);
    return issue.keys.map((key) => placeOf([...issue.path, nearestName(key, keys) ?? '']));
  });
  return new Set(places);
}

/** A misspelt key that chooses among kinds: without it the other keys cannot be checked. */
function misspeltKind(source: ParsedSource, path: DataPath): Problem | undefined {
  const around = path.slice(0, -1);
  const meant = String(path.at(-1));
  const written = Object.keys(Object(valueAt(source.value, around)));
  const key = written.find((name) => nearestName(name, [meant]) !== undefined);
  return key === undefined ? undefined : unknownKey(key, [meant], source, around);
}

function placeOf(path: DataPath): string {
  return JSON.stringify(path.map(String));
}
