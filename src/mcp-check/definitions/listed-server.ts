import type { ServerFacts, ToolDefinition } from '../../drive/mcp/session.ts';
import { isRecord, textsIn } from '../../shared/json.ts';

type Data = Readonly<Record<string, unknown>>;

/** A tool as its server lists it, whatever the server may have written there. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly annotations: Data;
  /** All that the server sent. */
  readonly definition: Data;
}

/** A prompt or a resource. */
export interface ListedItem {
  readonly name: string;
  readonly definition: Data;
}

/** All that a server says of itself. */
export interface ListedServer {
  readonly facts: ServerFacts;
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedItem[];
  readonly resources: readonly ListedItem[];
  readonly resourceTemplates: readonly ListedItem[];
  /** List entries that are not definitions, in words. */
  readonly malformed: readonly string[];
}

/** One entry of a list of tools; undefined for what has no name. */
export function readTool(entry: unknown): ListedTool | undefined {
  if (!isRecord(entry) || typeof entry.name !== 'string') return undefined;
  return {
    name: entry.name,
    description: typeof entry.description === 'string' ? entry.description : '',
    inputSchema: entry.inputSchema,
    outputSchema: entry.outputSchema,
    annotations: isRecord(entry.annotations) ? entry.annotations : {},
    definition: entry,
  };
}

/** Tools as they were sent, for those who pin and compare them. */
export function definitionsOf(tools: readonly ListedTool[]): ToolDefinition[] {
  return tools.map(({ name, inputSchema, definition }) => {
    return { ...definition, name, inputSchema: inputSchema as ToolDefinition['inputSchema'] };
  });
}

/** One entry of another list; undefined for what has no name. */
export function readItem(entry: unknown): ListedItem | undefined {
  if (!isRecord(entry) || typeof entry.name !== 'string') return undefined;
  return { name: entry.name, definition: entry };
}

/** Every text that the server gives to models, with its tool. */
export function textsOf(server: ListedServer): readonly { readonly tools: readonly string[]; readonly text: string }[] {
  const { instructions } = server.facts;
  return [
    ...(instructions === undefined ? [] : [{ tools: [], text: instructions }]),
    ...server.tools.flatMap(({ name, definition }) => textsIn(definition).map((text) => ({ tools: [name], text }))),
    ...[...server.prompts, ...server.resources, ...server.resourceTemplates].flatMap(({ definition }) =>
      textsIn(definition).map((text) => ({ tools: [], text })),
    ),
  ];
}
