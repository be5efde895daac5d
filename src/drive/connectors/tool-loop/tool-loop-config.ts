import * as z from 'zod';
import { actionKindSchema } from '../../../domain/capability.ts';
import { serverDefinitionSchema } from '../../mcp/server-definition.ts';
import { moduleIssues } from '../../targets/call/user-module.ts';
import type { ConfigIssue } from '../../targets/target.ts';
import type { ConnectorKind } from '../connector.ts';

const sources = ['module', 'command', 'server'] as const;

/** The keys that belong to one source of tools; any other key is refused there. */
const keysOf: Readonly<Record<(typeof sources)[number], readonly string[]>> = {
  module: ['name', 'description', 'input', 'kind', 'module', 'export'],
  command: ['name', 'description', 'input', 'kind', 'command', 'env'],
  server: ['server', 'only'],
};

const toolSchema = () =>
  z
    .strictObject({
      name: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'a name of at most 64 letters, digits, `_` and `-`')
        .optional()
        .describe('name of the tool, as the model sees it'),
      description: z.string().min(1).optional().describe('what the tool does, as the model sees it'),
      input: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the input; default: no fields'),
      kind: actionKindSchema.optional().describe('kind of action in the trace; default `other`, and `mcp` for servers'),
      module: z
        .string()
        .min(1)
        .optional()
        .describe('JavaScript or TypeScript file, relative to the scenario file, with the function that is called'),
      export: z.string().min(1).optional().describe('name of the exported function; default `default`'),
      command: z
        .string()
        .min(1)
        .optional()
        .describe('shell command that is run; gets the input as JSON on stdin, prints JSON or text'),
      env: z
        .record(z.string(), z.string())
        .optional()
        .describe('environment variables of the command; `${VAR}` is expanded'),
      server: serverDefinitionSchema().optional().describe('MCP server whose tools are offered'),
      only: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('names of the tools of the server to offer; default all'),
    })
    .superRefine((tool, context) => {
      const [source, ...others] = sources.filter((key) => tool[key] !== undefined);
      if (source === undefined || others.length > 0) {
        context.addIssue({ code: 'custom', message: 'a tool needs exactly one of `module`, `command` and `server`' });
        return;
      }
      for (const key of Object.keys(tool)) {
        if (keysOf[source].includes(key)) continue;
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `\`${key}\` does not belong to a tool with \`${source}\``,
        });
      }
      if (source === 'server') return;
      for (const key of ['name', 'description'] as const) {
        if (tool[key] === undefined) context.addIssue({ code: 'custom', message: `the tool needs a \`${key}\`` });
      }
    });
export type ToolConfig = z.output<ReturnType<typeof toolSchema>>;

/** Tools that Assay runs for a bare model, which makes it an agent to be tested. */
export const toolLoopSchema = () =>
  z.strictObject({
    tools: z.array(toolSchema()).min(1).describe('tools that are offered to the model and run for it'),
    maxRounds: z
      .int()
      .min(1)
      .max(1_000)
      .default(10)
      .describe('most requests to the model in one turn; a model that then still calls tools is an error'),
    timeoutSecs: z
      .number()
      .positive()
      .max(86_400)
      .default(30)
      .describe('time limit of one tool call; the model is given the error'),
  });
export type ToolLoopConfig = z.output<ReturnType<typeof toolLoopSchema>>;

/** Problems of the tools of a connector that the schema cannot see. */
export function toolLoopIssues(
  loop: ToolLoopConfig | undefined,
  kind: ConnectorKind,
  directory: string,
): readonly ConfigIssue[] {
  if (!loop) return [];
  if (!kind.offersTools) {
    return [
      { path: [], message: `an agent behind the ${kind.type} connector runs its own tools; remove \`toolLoop\`` },
    ];
  }
  return toolIssues(loop, directory);
}

/** Problems of tools that the schema cannot see, for connectors and for users. */
export function toolIssues(loop: ToolLoopConfig, directory: string): readonly ConfigIssue[] {
  const names = loop.tools.map(({ name }) => name);
  return loop.tools.flatMap(({ module, name }, index) => {
    const path = ['tools', index];
    const isDuplicate = name !== undefined && names.indexOf(name) < index;
    return [
      ...(module === undefined ? [] : moduleIssues(module, directory, path)),
      ...(isDuplicate ? [{ path: [...path, 'name'], message: `duplicate tool name "${name}"` }] : []),
    ];
  });
}
