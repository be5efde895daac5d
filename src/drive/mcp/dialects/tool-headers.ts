import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import type { IncomingHandlers } from '../incoming.ts';
import type { ToolDefinition } from '../session.ts';
import { headerText } from '../wire/mirrored-headers.ts';

type Params = Readonly<Record<string, unknown>>;

/** Headers of tool calls over HTTP, as the listed tools require them. */
export class ToolHeaders {
  readonly #incoming: IncomingHandlers;
  readonly #tools = new Map<string, HeaderParameters>();

  constructor(incoming: IncomingHandlers) {
    this.#incoming = incoming;
  }

  /** Reads a page of tools. */
  learn(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools as unknown[]) {
      if (!isRecord(tool) || typeof tool.name !== 'string' || !isRecord(tool.inputSchema)) continue;
      const { name } = tool;
      const found = headerParametersOf(tool.inputSchema);
      if ('problem' in found && !this.#tools.has(name)) {
        const example = (): string => `${printable(name)}: ${found.problem}`;
        this.#incoming.violations.note('tools with an unusable `x-mcp-header`, which are left out', example);
      }
      this.#tools.set(name, found);
    }
  }

  /** The headers of a call; none for a tool that was not listed. */
  of({ name, arguments: args }: Params): Record<string, string> {
    const found = this.#tools.get(String(name));
    return found && 'parameters' in found ? parameterHeaders(found.parameters, args) : {};
  }

  isUsable({ name }: ToolDefinition): boolean {
    const found = this.#tools.get(name);
    return !found || 'parameters' in found;
  }
}

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
type HeaderParameters = { readonly parameters: readonly HeaderParameter[] } | { readonly problem: string };

/** Looks for marked arguments; a mark is allowed only where a chain of `properties` leads to it. */
function headerParametersOf(inputSchema: Schema): HeaderParameters {
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
function parameterHeaders(parameters: readonly HeaderParameter[], args: unknown): Record<string, string> {
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
