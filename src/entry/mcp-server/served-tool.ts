import * as z from 'zod';
import { openProject, type Project } from '../../compose/config/project.ts';
import { fieldsOf } from '../../domain/option-schema.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { Store } from '../../keep/store/store.ts';

/** The environment of a tool call, and the listener for its progress. */
export interface ToolContext {
  /** Absolute: the folder that the server was started in, in the project or below. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store that the command line names; otherwise the environment or the config does. */
  readonly storeUrl: string | undefined;
  /** Aborted when the caller cancels the request, and when the server ends. */
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number, message: string) => void;
}

/** An answer: the same for programs and, in words, for models. */
export interface ToolOutput<Data = unknown> {
  readonly data: Data;
  readonly text: string;
}

/** Hints to the caller about the effects of a tool. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

interface ToolDescription {
  readonly name: string;
  readonly title: string;
  /** Written for models: what it does, when to use it, what to do next. */
  readonly description: string;
  readonly annotations: ToolHints;
}

/** A tool of the server, as the list and the protocol see it. */
export interface ServedTool extends ToolDescription {
  readonly inputSchema: z.ZodObject;
  readonly outputSchema: z.ZodObject;
  /** `input` has passed `inputSchema`. Throws an `AssayError` for what cannot be done. */
  call(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> extends ToolDescription {
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  call(input: z.output<Input>, context: ToolContext): Promise<ToolOutput<z.input<Output>>>;
}

/** Ties the schemas of a tool to the code that it calls. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): ServedTool {
  return definition as unknown as ServedTool;
}

/** For tools that look and change nothing. */
export const onlyReads: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The project, read again for each call because its files change while the server runs. */
export function projectOf({ folder, env }: ToolContext): Promise<Project> {
  return openProject(folder, env, { isFresh: true });
}

/** The store of the project. */
export async function storeOf(context: ToolContext, project?: Project): Promise<Store> {
  const { config, folder } = project ?? (await projectOf(context));
  return openStore(context.storeUrl ?? context.env.ASSAY_STORE ?? config.store, folder);
}

/** Which scenarios are meant, the same in every tool that takes some. */
export function scenarioChoice() {
  const { paths, tags, tier } = fieldsOf('mcp');
  return { paths, tags, tier };
}

/** Where a page of a list begins and how long it is. */
export const pageOf = (defaultLimit: number, maxLimit: number) => ({
  from: z.int().min(0).default(0).describe('number of entries to skip; the answer names the next value'),
  limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('most entries in one answer'),
});
