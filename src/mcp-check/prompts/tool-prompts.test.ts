import { describe, expect, it } from 'vitest';
import { readTool } from '../definitions/listed-server.ts';
import { toolPrompts } from './tool-prompts.ts';

function tool(name: string, description: string, inputSchema: unknown) {
  const read = readTool({ name, description, inputSchema });
  if (!read) throw new Error('not a tool');
  return read;
}

const forecast = tool('get_forecast', 'Returns the forecast of a city. Slow.', {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 5 } },
  required: ['city', 'days'],
  additionalProperties: false,
});
const request = { count: 15, seed: 7, toolNames: ['get_forecast', 'get_weather'] };

describe('prompts for a tool', () => {
  it('say what the description says, with values that fit the schema', () => {
    const prompts = toolPrompts(forecast, request);
    expect(prompts).toHaveLength(15);
    expect(new Set(prompts.map(({ text }) => text)).size).toBe(15);
    for (const { text, arguments: args, tool: name } of prompts) {
      expect(name).toBe('get_forecast');
      expect(text.toLowerCase()).toContain('return the forecast of a city with city ');
      expect(text).toContain(JSON.stringify(args.city));
      expect(args.days).toBeGreaterThanOrEqual(1);
      expect(args.days).toBeLessThanOrEqual(5);
    }
  });

  it('are the same for the same seed, and others for another', () => {
    expect(toolPrompts(forecast, request)).toEqual(toolPrompts(forecast, request));
    expect(toolPrompts(forecast, { ...request, seed: 8 })).not.toEqual(toolPrompts(forecast, request));
  });

  it('never mention a name of a tool', () => {
    const named = tool('get_forecast', 'Use this tool to call get_weather for get_forecast', { type: 'object' });
    const texts = toolPrompts(named, request).map(({ text }) => text);
    expect(texts[0]).toBe('Please call it for it.');
    expect(texts.join()).not.toMatch(/get_/);
  });

  it.each([
    ['', 'list_open_orders', 'Please list open orders.'],
    ['A tool that deletes  orders.', 'x', 'Please delete orders.'],
    ['Copies a file', 'x', 'Please copy a file.'],
    ['News of a city.', 'x', 'Please do this for me: News of a city.'],
  ])('of a tool described as "%s"', (description, name, first) => {
    expect(toolPrompts(tool(name, description, undefined), request)[0]?.text).toBe(first);
  });

  it('are fewer where there are not as many, and stay short for large values', () => {
    const free = tool('ping', 'Checks the server', { type: 'object', properties: {} });
    expect(toolPrompts(free, { ...request, count: 100 })).toHaveLength(8);
    const large = tool('log', 'Logs a text', {
      type: 'object',
      properties: { text: { type: 'string', minLength: 5_000 } },
      required: ['text'],
    });
    for (const { text } of toolPrompts(large, request)) expect(text.length).toBeLessThan(300);
  });

  it('of a tool whose schema cannot be satisfied have no values', () => {
    const impossible = tool('open', 'Opens a door', { type: 'object', properties: { a: false }, required: ['a'] });
    expect(toolPrompts(impossible, request)[0]).toEqual({
      tool: 'open',
      text: 'Please open a door.',
      arguments: {},
    });
  });
});
