import { isRecord } from '../json.ts';
import { compileTextPattern, type TextPattern, UnusablePattern } from '../patterns.ts';
import { didYouMean } from '../suggest.ts';
import { annotations, type KeywordShape, keywordShapes, problemOfKeyword } from './keywords.ts';
import { JsonSchemaRefs, type SchemaResource } from './references.ts';
import { Seen } from './rule.ts';
import { JsonSchemaWalk } from './walk.ts';

/** A schema that cannot be used: where in it, and why. */
export class UnusableSchema extends Error {
  readonly path: readonly (string | number)[];
  readonly hint: string | undefined;

  constructor(path: readonly (string | number)[], message: string, hint?: string) {
    super(message);
    this.path = path;
    this.hint = hint;
  }
}

/** A schema that was looked at from end to end. */
export interface CheckedSchema {
  readonly root: unknown;
  readonly refs: JsonSchemaRefs;
  readonly patterns: ReadonlyMap<string, TextPattern>;
  /** Whether it matters which parts of a value were evaluated. */
  readonly hasUnevaluated: boolean;
}

const maxSchemas = 20_000;
const maxDepth = 200;
/** Of all patterns together: compiling them is what takes longest. */
const maxPatternCharacters = 20_000;

type Path = readonly (string | number)[];

/** Looks at every keyword of a schema, or throws an `UnusableSchema`. */
function checkJsonSchema(root: unknown): CheckedSchema {
  const check = new SchemaCheck(root);
  check.schema(root, []);
  const unresolved = check.refs.firstUnresolved();
  if (unresolved) throw new UnusableSchema(unresolved.path, unresolved.message);
  const endless = check.refs.firstEndless();
  if (endless) throw new UnusableSchema(endless, 'the schema refers to itself without end');
  return { root, refs: check.refs, patterns: check.patterns, hasUnevaluated: check.hasUnevaluated };
}

/** Says what is wrong with a schema; undefined for one that can be used. */
export function problemOfJsonSchema(schema: unknown): UnusableSchema | undefined {
  try {
    checkJsonSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableSchema) return error;
    throw error;
  }
}

class SchemaCheck {
  readonly refs: JsonSchemaRefs;
  readonly patterns = new Map<string, TextPattern>();
  hasUnevaluated = false;
  #schemaCount = 0;
  #patternCharacters = 0;

  constructor(root: unknown) {
    this.refs = new JsonSchemaRefs(root);
  }

  schema(schema: unknown, path: Path, around?: SchemaResource): void {
    this.#schemaCount++;
    if (this.#schemaCount > maxSchemas) throw new UnusableSchema([], `it holds more than ${maxSchemas} schemas`);
    if (path.length > maxDepth) throw new UnusableSchema([], `it is nested more than ${maxDepth} levels deep`);
    if (typeof schema === 'boolean') return;
    if (!isRecord(schema)) throw new UnusableSchema(path, 'a schema is an object, `true` or `false`');
    const resource = this.refs.add(schema, path, around);
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, [...path, keyword], resource);
  }

  #keyword(keyword: string, value: unknown, path: Path, resource: SchemaResource): void {
    const shape = keywordShapes.get(keyword);
    if (shape === undefined) {
      refuseNearMiss(keyword, path);
      return;
    }
    const problem = problemOfKeyword(keyword, shape, value);
    if (problem !== undefined) throw new UnusableSchema(path, problem);
    if (keyword.startsWith('unevaluated')) this.hasUnevaluated = true;
    if (shape === 'pattern') this.#pattern(String(value), path);
    for (const [inner, place] of schemasIn(shape, value)) this.schema(inner, [...path, ...place], resource);
    if (shape === 'schemas by pattern') {
      for (const pattern of Object.keys(Object(value))) this.#pattern(pattern, [...path, pattern]);
    }
  }

  #pattern(pattern: string, path: Path): void {
    if (this.patterns.has(pattern)) return;
    this.#patternCharacters += pattern.length;
    if (this.#patternCharacters > maxPatternCharacters) throw new UnusableSchema(path, 'its patterns are too large');
    try {
      this.patterns.set(pattern, compileTextPattern(pattern));
    } catch (error) {
      if (!(error instanceof UnusablePattern)) throw error;
      throw new UnusableSchema(path, `the regular expression cannot be used: ${error.message}`);
    }
  }
}

/** An unknown keyword is an annotation, unless it looks like a misspelt keyword. */
function refuseNearMiss(keyword: string, path: Path): void {
  if (annotations.has(keyword) || keyword.startsWith('x-')) return;
  const hint = didYouMean(keyword, keywordShapes.keys());
  if (hint !== undefined) throw new UnusableSchema(path, `unknown keyword \`${keyword}\``, hint);
}

/** The schemas that stand in the value of a keyword, each with its place in it. */
export function schemasIn(shape: KeywordShape, value: unknown): (readonly [unknown, Path])[] {
  switch (shape) {
    case 'schema':
      return [[value, []]];
    case 'schemas':
    case 'schema or schemas':
      return Array.isArray(value) ? value.map((inner, index) => [inner, [index]] as const) : [[value, []]];
    case 'schemas by name':
    case 'schemas by pattern':
    case 'schemas or names by name':
      return Object.entries(Object(value))
        .filter(([, inner]) => !Array.isArray(inner))
        .map(([name, inner]) => [inner, [name]] as const);
    default:
      return [];
  }
}

/** A JSON Schema, ready to check any JSON value. */
export interface JsonSchema {
  /**
   * Problems of a value, each with its place; empty for a valid one. Throws a `TooMuchWork` where that cannot
   * be decided within the limits.
   */
  problemsIn(value: unknown): readonly string[];
}

/** About a second of the slowest checking, and several times what an answer of a megabyte takes. */
const defaultMaxSteps = 2_000_000;

/** Makes a schema ready, or throws an `UnusableSchema` that says what is wrong with it and where. */
export function compileJsonSchema(schema: unknown, maxSteps = defaultMaxSteps): JsonSchema {
  const checked = checkJsonSchema(schema);
  return {
    problemsIn(value) {
      const problems: string[] = [];
      const isRight = new JsonSchemaWalk(checked, maxSteps).accepts(
        checked.root,
        Seen.whole(value, problems, checked.hasUnevaluated),
      );
      return isRight || problems.length > 0 ? problems : ['$: does not fit'];
    },
  };
}
