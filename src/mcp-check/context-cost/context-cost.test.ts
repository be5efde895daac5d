import { describe, expect, it } from 'vitest';
import type { ServerFacts } from '../../drive/mcp/session.ts';
import { type ListedServer, readTool } from '../definitions/listed-server.ts';
import { contextCost } from './context-cost.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Definitions, and the tokens of each as JSON, counted with o200k_base. */
const counted = [
  {
    tokens: 62,
    definition: {
      name: 'add',
      description: 'Adds two numbers and returns the sum.',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'first summand' },
          b: { type: 'number', description: 'second summand' },
        },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    },
  },
  {
    tokens: 116,
    definition: {
      name: 'list_open_orders',
      description:
        'Lists the open orders of a customer, newest first. Orders that were cancelled are left out; use list_cancelled_orders for those. At most 50 orders are returned, and `nextPage` names the next page.',
      inputSchema: {
        type: 'object',
        properties: {
          customerId: { type: 'string', pattern: '^C-[0-9]{6}$' },
          page: { type: 'integer', minimum: 1, default: 1 },
          sortBy: { enum: ['created', 'total', 'status'] },
        },
        required: ['customerId'],
      },
    },
  },
  {
    tokens: 126,
    definition: {
      name: 'searchKnowledgeBase',
      description:
        'Full-text search over the articles of the knowledge base. Supports quoted phrases, a minus sign before words to leave out, and field filters such as author:ada or updated:>2024-01-31.',
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 2, maxLength: 400, description: 'The search expression' },
          limit: { type: 'integer', minimum: 1, maximum: 100 },
          includeArchived: { type: 'boolean' },
        },
        required: ['query'],
      },
    },
  },
];

function serverOf(definitions: readonly unknown[], instructions?: string): ListedServer {
  const tools = definitions.flatMap((definition) => readTool(definition) ?? []);
  const facts = { name: 'my shop', instructions } as unknown as ServerFacts;
  return { facts, tools, prompts: [], resources: [], resourceTemplates: [], malformed: [] };
}

describe('estimated tokens', () => {
  it.each(counted)('of $definition.name are near to those of o200k_base', ({ definition, tokens }) => {
    const estimated = estimateTokens(JSON.stringify(definition));
    expect(Math.abs(estimated / tokens - 1)).toBeLessThan(0.11);
  });

  it.each([
    ['', 0],
    ['word', 1],
    ['two words', 2],
    ['getUserById', 4],
    ['12345', 2],
    ['\n\n', 1],
    ['x'.repeat(32), 3],
    ['文件的全部', 4],
  ])('of "%s" are %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe('the context cost of a server', () => {
  it('lists the heaviest tools first, for each kind of client, with its own names and instructions', () => {
    const server = serverOf(
      counted.map(({ definition }) => definition),
      'Orders are never deleted.',
    );
    const { clients, tokenizer, error } = contextCost(server);
    expect(clients.map(({ client }) => client)).toEqual(['anthropic', 'openai', 'gemini', 'claude-code']);
    for (const { tools, tokens, instructionsTokens } of clients) {
      expect(tools.map(({ name }) => name)).toEqual(['searchKnowledgeBase', 'list_open_orders', 'add']);
      expect(tokens).toBe(tools.reduce((sum, tool) => sum + tool.tokens, instructionsTokens));
    }
    const [anthropic, openai, , claudeCode] = clients;
    expect(openai?.tokens).toBeGreaterThan(anthropic?.tokens ?? 0);
    expect(anthropic?.instructionsTokens).toBe(0);
    expect(claudeCode?.instructionsTokens).toBe(estimateTokens('Orders are never deleted.'));
    expect(claudeCode?.tools[2]?.tokens).toBeGreaterThan(anthropic?.tools[2]?.tokens ?? 0);
    expect(`${tokenizer}: ${error}`).toMatch(/^estimate of o200k_base: .* within 7 %/);
  });

  it('counts what a client cuts only as far as it is sent', () => {
    const [anthropic, , , claudeCode] = contextCost(
      serverOf([{ name: 'x', description: 'word '.repeat(2_000), inputSchema: {} }], 'word '.repeat(2_000)),
    ).clients;
    expect(anthropic?.tokens).toBeGreaterThan(2_000);
    expect(claudeCode?.tools[0]?.tokens).toBeLessThan(500);
    expect(claudeCode?.instructionsTokens).toBeLessThan(500);
  });

  it('is zero without tools, and does not need a schema', () => {
    expect(contextCost(serverOf([])).clients.map(({ tokens }) => tokens)).toEqual([0, 0, 0, 0]);
    expect(contextCost(serverOf([{ name: 'x' }])).clients[0]?.tokens).toBeGreaterThan(0);
  });
});
