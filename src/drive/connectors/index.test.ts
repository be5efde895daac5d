import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { connectorKinds } from './index.ts';

describe('the list of connectors', () => {
  it('has one of each kind, with words about it', () => {
    const types = connectorKinds.map(({ type }) => type);
    expect(types).toEqual([
      'http',
      'openai-chat',
      'openai-responses',
      'anthropic',
      'websocket',
      'a2a',
      'model',
      'langgraph',
      'ag-ui',
      'mcp-agent',
      'module',
      'command',
    ]);
    for (const { label, summary } of connectorKinds) expect([label, summary]).not.toContain('');
  });

  it('has a config schema for each from which forms can be made', () => {
    for (const { configSchema } of connectorKinds) {
      expect(z.toJSONSchema(configSchema, { io: 'input' })).toMatchObject({
        type: 'object',
        additionalProperties: false,
      });
    }
  });
});
