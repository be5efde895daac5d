import type { ListedTool } from './listed-server.ts';

const charactersPerToken = 4;

/** About how many tokens the definitions take in every request to a model: name, description and arguments. */
export function definitionTokens(tools: readonly ListedTool[]): number {
  const characters = tools.reduce((total, { name, description, inputSchema }) => {
    return total + JSON.stringify({ name, description, inputSchema }).length;
  }, 0);
  return Math.ceil(characters / charactersPerToken);
}
