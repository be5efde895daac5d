import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { suggestion } from '../../shared/suggest.ts';

const toolRewriteSchema = () =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'letters, digits, `_`, `-` and `.`, at most 128 of them')
      .optional()
      .describe('new name of the tool'),
    title: z.string().optional().describe('new title of the tool'),
    description: z.string().optional().describe('new description of the tool'),
    arguments: z.record(z.string(), z.string()).optional().describe('new descriptions of its arguments'),
  });

/** Another wording of the tools of a server, by the names that the server gives them. */
export const toolRewritesSchema = () =>
  z
    .record(z.string().min(1), toolRewriteSchema())
    .refine((rewrites) => firstTwice(newNamesIn(rewrites)) === undefined, {
      error: ({ input }) => `two tools have the name \`${firstTwice(newNamesIn(input as ToolRewrites))}\``,
    });
export type ToolRewrites = Readonly<Record<string, z.output<ReturnType<typeof toolRewriteSchema>>>>;

/** The fields of a tool that a wording changes. */
export interface RewritableTool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

/** One tool in another wording. */
export function rewriteTool<Tool extends RewritableTool>(tool: Tool, rewrites: ToolRewrites): Tool {
  const rewrite = rewriteOf(tool.name, rewrites);
  if (!rewrite) return tool;
  const { arguments: argumentTexts, ...texts } = rewrite;
  const worded = { ...tool, ...texts };
  return argumentTexts ? { ...worded, inputSchema: describeArguments(tool.inputSchema, argumentTexts) } : worded;
}

/** All tools of a server in another wording; throws when the wording does not fit the server. */
export function rewriteTools<Tool extends RewritableTool>(tools: readonly Tool[], rewrites: ToolRewrites): Tool[] {
  assertWordingFits(tools, rewrites);
  return tools.map((tool) => rewriteTool(tool, rewrites));
}

/** How a tool of the server is called in the wording. */
export function shownToolName(ownName: string, rewrites: ToolRewrites): string {
  return rewriteOf(ownName, rewrites)?.name ?? ownName;
}

/**
 * How the server calls the tool that the wording calls `shownName`. A name that the wording says nothing of is the
 * server's own; undefined for one that the wording took away, which must not reach the server.
 */
export function ownToolName(shownName: string, rewrites: ToolRewrites): string | undefined {
  const renamed = Object.entries(rewrites).find(([, { name }]) => name === shownName);
  if (renamed) return renamed[0];
  return shownToolName(shownName, rewrites) === shownName ? shownName : undefined;
}

/** Throws, with what may have been meant, when a wording names what the server does not have or one name twice. */
export function assertWordingFits(tools: readonly RewritableTool[], rewrites: ToolRewrites): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [name, rewrite] of Object.entries(rewrites)) {
    const tool = byName.get(name);
    if (!tool) throw misfit(`The wording names the tool "${name}", which the server does not have.`, name, byName);
    const properties = propertiesOf(tool.inputSchema);
    for (const argument of Object.keys(rewrite.arguments ?? {})) {
      if (Object.hasOwn(properties, argument)) continue;
      const message = `The wording names the argument "${argument}", which the tool "${name}" does not have.`;
      throw misfit(message, argument, new Map(Object.entries(properties)));
    }
  }
  // Duplicate names that come from the server are not a problem of the wording.
  const names = new Set(newNamesIn(rewrites));
  const twice = firstTwice(
    [...byName.keys()].map((name) => shownToolName(name, rewrites)).filter((name) => names.has(name)),
  );
  if (twice === undefined) return;
  throw new AssayError('FILE_INVALID', `With this wording two tools have the name "${twice}".`, {
    hint: 'Give each tool its own name.',
  });
}

function misfit(message: string, written: string, known: ReadonlyMap<string, unknown>): AssayError {
  const hint = known.size === 0 ? 'Remove it from the wording.' : suggestion(written, [...known.keys()]);
  return new AssayError('FILE_INVALID', message, { hint });
}

function rewriteOf(ownName: string, rewrites: ToolRewrites): ToolRewrites[string] | undefined {
  return Object.hasOwn(rewrites, ownName) ? rewrites[ownName] : undefined;
}

function describeArguments(inputSchema: unknown, texts: Readonly<Record<string, string>>): unknown {
  const described = Object.entries(propertiesOf(inputSchema)).map(([name, property]) => {
    const description = Object.hasOwn(texts, name) ? texts[name] : undefined;
    // A property may be `true`: anything goes, and that is what a schema with nothing but a description says too.
    return [name, description === undefined ? property : { ...(isRecord(property) && property), description }];
  });
  return { ...(isRecord(inputSchema) && inputSchema), properties: Object.fromEntries(described) };
}

function propertiesOf(inputSchema: unknown): Readonly<Record<string, unknown>> {
  return isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
}

function newNamesIn(rewrites: ToolRewrites): string[] {
  return Object.values(rewrites).flatMap(({ name }) => name ?? []);
}

function firstTwice(names: readonly string[]): string | undefined {
  const visited = new Set<string>();
  return names.find((name) => visited.size === visited.add(name).size);
}
