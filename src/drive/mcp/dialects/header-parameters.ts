import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { headerText } from '../wire/mirrored-headers.ts';

type Schema = Readonly<Record<string, unknown>>;

const mark = 'x-mcp-header';
const types: ReadonlySet<unknown> = new Set(['integer', 'string', 'boolean']);
/** Keys of a schema whose values are data, in which a mark means nothing. */
const dataKeys: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** An argument that is repeated in a header, and where it is. */
interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

/** The arguments of a tool that are repeated in headers, or why its marks cannot be used. */
export type HeaderParameters = { readonly parameters: readonly HeaderParameter[] } | { readonly problem: string };

/** Looks for marked arguments; a mark is allowed only where a chain of `properties` leads to it. */
export function headerParametersOf(inputSchema: Schema): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const names = new Set<string>();
  const marked = (schema: Schema, path: readonly string[] | undefined): string | undefined => {
    const name = schema[mark];
    if (!path || path.length === 0) return 'it is marked where no chain of `properties` leads';
    if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return `${printable(JSON.stringify(name) ?? 'nothing')} is not the name of a header`;
    if (!types.has(schema.type)) return `"${name}" has another type than integer, string or boolean`;
    if (names.has(name.toLowerCase())) return `"${name}" is used twice`;
    names.add(name.toLowerCase());
    parameters.push({ path, header: `mcp-param-${name.toLowerCase()}` });
    return undefined;
  };
  const visit = (value: unknown, path: readonly string[] | undefined): string | undefined => {
    if (Array.isArray(value)) return first(value, (part) => visit(part, undefined));
    if (!isRecord(value)) return undefined;
    const problem = mark in value ? marked(value, path) : undefined;
    return problem ?? first(Object.entries(value), ([key, part]) => visitKey(key, part, path));
  };
  const visitKey = (key: string, part: unknown, path: readonly string[] | undefined): string | undefined => {
    if (dataKeys.has(key)) return undefined;
    if (key !== 'properties' || !isRecord(part)) return visit(part, undefined);
    return first(Object.entries(part), ([name, schema]) => visit(schema, path && [...path, name]));
  };
  const problem = visit(inputSchema, []);
  return problem === undefined ? { parameters } : { problem };
}

function first<Part>(parts: readonly Part[], problemOf: (part: Part) => string | undefined): string | undefined {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The headers that repeat these arguments; one that is missing or null has none. */
export function parameterHeaders(parameters: readonly HeaderParameter[], args: unknown): Record<string, string> {
  const headers = parameters.flatMap(({ path, header }): [string, string][] => {
    const value = path.reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      args,
    );
    const isSimple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isSimple ? [[header, headerText(String(value))]] : [];
  });
  return Object.fromEntries(headers);
}
