import type { JSONPathQuery } from 'json-p3';
import { JsonPathError, JsonPathWalk } from './json-path-walk.ts';

const maxPathLength = 4_096;

/** A JSONPath query as RFC 9535 defines it, ready to be evaluated on any JSON value. */
export interface JsonPath {
  /** Whether it names at most one place: its result is a value and not a list. */
  readonly isSingular: boolean;
  /** The values that it selects, in order. Throws a `JsonPathError` where that would take too much work. */
  select(document: unknown): readonly unknown[];
}

/** Compiles a path, or throws a `JsonPathError` that says what is wrong with it. */
export async function compileJsonPath(path: string): Promise<JsonPath> {
  if (path.length > maxPathLength) throw new JsonPathError(`it is longer than ${maxPathLength} characters`);
  if (!path.startsWith('$')) throw new JsonPathError("path must start with '$'");
  const syntax = await import('json-p3');
  const query = parsed(() => syntax.compile(path));
  return {
    isSingular: query.singularQuery(),
    select: (document) => new JsonPathWalk(syntax, document).selectAll(query),
  };
}

/** Says what is wrong with a path; undefined for one that can be used. */
export async function problemOfJsonPath(path: string): Promise<string | undefined> {
  try {
    await compileJsonPath(path);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

function parsed(parse: () => JSONPathQuery): JSONPathQuery {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new JsonPathError('it is nested too deeply');
    throw new JsonPathError(reasonOf(error));
  }
}

/** The parser's own words, with its excerpt of the path replaced by a column. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const { token } = error as { readonly token?: { readonly index: number } };
  const words = message.replace(/ \('.*':\d+\)$/s, '').replace(/^can't backup beyond start$/, 'it ends too early');
  return token === undefined ? words : `${words} (column ${token.index + 1})`;
}
