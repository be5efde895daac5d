import type { ListedServer, ListedTool } from '../definitions/listed-server.ts';

/** A way in which clients put the tools of a server before a model. */
interface ClientForm {
  readonly name: string;
  readonly summary: string;
  /** Text of one tool, as it is written in the request. */
  toolText(tool: ListedTool, server: ListedServer): string;
  /** Text about the server as a whole. */
  serverText(server: ListedServer): string;
}

/** Claude Code cuts longer descriptions and instructions. */
const claudeCodeCharacters = 2_048;

/** The forms that are counted; a further one is one entry. */
export const clientForms: readonly ClientForm[] = [
  {
    name: 'anthropic',
    summary: 'Messages API: `tools` with `input_schema`',
    toolText: ({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema }) ?? '',
    serverText: () => '',
  },
  {
    name: 'openai',
    summary: 'Chat Completions: `tools` of type `function`',
    toolText: ({ name, description, inputSchema }) =>
      JSON.stringify({ type: 'function', function: { name, description, parameters: inputSchema } }) ?? '',
    serverText: () => '',
  },
  {
    name: 'gemini',
    summary: 'generateContent: `functionDeclarations`',
    toolText: ({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, parametersJsonSchema: inputSchema }) ?? '',
    serverText: () => '',
  },
  {
    name: 'claude-code',
    summary: 'names `mcp__<server>__<tool>`, descriptions and instructions up to 2,048 characters',
    toolText: ({ name, description, inputSchema }, { facts }) =>
      JSON.stringify({
        name: `mcp__${plainName(facts.name)}__${plainName(name)}`,
        description: description.slice(0, claudeCodeCharacters),
        input_schema: inputSchema,
      }) ?? '',
    serverText: ({ facts }) => (facts.instructions ?? '').slice(0, claudeCodeCharacters),
  },
];

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}
