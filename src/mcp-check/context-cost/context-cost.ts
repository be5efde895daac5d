import type { ListedServer, ListedTool } from '../definitions/listed-server.ts';
import { estimateMethod, estimateTokens } from './estimate-tokens.ts';

/** Tokens that the definitions take in every request of one kind of client. */
interface ClientCost {
  readonly client: string;
  readonly form: string;
  /** Tools and instructions together. */
  readonly tokens: number;
  readonly instructionsTokens: number;
  /** The heaviest first. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

/** Weight of the definitions of a server, before a model reads the first word of its user. */
export interface ContextCost {
  /** Which tokenizer counted. */
  readonly tokenizer: string;
  /** How far the figures may be off. */
  readonly error: string;
  readonly clients: readonly ClientCost[];
}

/** Counts the definitions of a server in each form that clients send. */
export function contextCost(server: ListedServer): ContextCost {
  const clients = clientForms.map(({ name, summary, toolText, serverText }) => {
    const tools = server.tools
      .map((tool) => ({ name: tool.name, tokens: estimateTokens(toolText(tool, server)) }))
      .sort((a, b) => b.tokens - a.tokens);
    const instructionsTokens = estimateTokens(serverText(server));
    const tokens = tools.reduce((sum, tool) => sum + tool.tokens, instructionsTokens);
    return { client: name, form: summary, tokens, instructionsTokens, tools };
  });
  return { ...estimateMethod, clients };
}

/** About how many tokens the definitions take in every request to a model: name, description and arguments. */
export function definitionTokens(tools: readonly ListedTool[]): number {
  return tools.reduce((total, { name, description, inputSchema }) => {
    return total + estimateTokens(JSON.stringify({ name, description, inputSchema }));
  }, 0);
}

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
const clientForms: readonly ClientForm[] = [
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
