import type { ListedServer, ListedTool } from '../definitions/listed-server.ts';
import { clientForms } from './clients.ts';
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
