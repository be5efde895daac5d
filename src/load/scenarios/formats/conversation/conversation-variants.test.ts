import { describe, expect, it } from 'vitest';
import { conversationVariants } from './read-conversation.ts';

const none: readonly string[] = [];

describe('the variants of a conversation', () => {
  it.each([
    { connectors: ['c'], personas: none, models: none, expected: [{ connector: 'c' }] },
    { connectors: ['c', 'd'], personas: none, models: none, expected: [{ connector: 'c' }, { connector: 'd' }] },
    { connectors: ['c'], personas: ['p'], models: none, expected: [{ connector: 'c', persona: 'p' }] },
    { connectors: ['c'], personas: none, models: ['m', 'm'], expected: [{ connector: 'c', model: 'm' }] },
    {
      connectors: ['c', 'd'],
      personas: ['p', 'q'],
      models: ['m'],
      expected: [
        { connector: 'c', persona: 'p', model: 'm' },
        { connector: 'c', persona: 'q', model: 'm' },
        { connector: 'd', persona: 'p', model: 'm' },
        { connector: 'd', persona: 'q', model: 'm' },
      ],
    },
  ])('$connectors x $personas x $models', ({ expected, ...matrix }) => {
    expect(conversationVariants(matrix)).toEqual(expected);
  });

  it('are as many as the product of all three', () => {
    const matrix = { connectors: ['a', 'b', 'c'], personas: ['d', 'e'], models: ['f', 'g', 'h', 'i'] };
    expect(new Set(conversationVariants(matrix).map((variant) => JSON.stringify(variant))).size).toBe(24);
  });
});
