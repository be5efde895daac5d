import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import * as zod3 from 'zod/v3';
import { defineAgent, defineConnector, defineEvaluator, defineReporter } from './define.ts';
import type { ConfigOf } from './plugin-config.ts';

const words = z.object({ words: z.array(z.string()).default([]) });

describe('define functions', () => {
  it('give what a plug-in exports', () => {
    const evaluate = () => ({ success: true, reason: '' });
    const evaluator = { type: 'e', label: 'E', kind: 'assertion', evaluate } as const;
    const connector = { type: 'c', label: 'C', invoke: () => 'Hi' };
    const reporter = { name: 'r', summary: 'R', fileName: 'r', async *render() {} };
    const agent = { name: 'a' } as Parameters<typeof defineAgent>[0];
    expect(defineEvaluator(evaluator)).toEqual({ evaluators: [evaluator] });
    expect(defineConnector(connector)).toEqual({ connectors: [connector] });
    expect(defineReporter(reporter)).toEqual({ reporters: [reporter] });
    expect(defineAgent(agent)).toEqual({ agents: [agent] });
  });

  it('know the config from its schema', () => {
    type Words = { words: string[] };
    expectTypeOf<ConfigOf<typeof words>>().toEqualTypeOf<Words>();
    const older = zod3.z.object({ words: zod3.z.array(zod3.z.string()) });
    expectTypeOf<ConfigOf<typeof older>>().toEqualTypeOf<Words>();
    expectTypeOf<ConfigOf<{ type: 'object' }>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
    expectTypeOf<ConfigOf<undefined>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
    defineEvaluator({
      type: 'e',
      label: 'E',
      kind: 'assertion',
      configSchema: words,
      when: ({ words }) => (words.length > 1 ? 'final' : 'eventually'),
      evaluate({ config }) {
        expectTypeOf(config).toEqualTypeOf<Words>();
        return { success: true, reason: '' };
      },
    });
    defineEvaluator({
      type: 'e',
      label: 'E',
      summary: 'E',
      kind: 'metric',
      needs: [],
      reads: { channels: { answers: 'total' } },
      configSchema: words,
      prepare(config) {
        expectTypeOf(config).toEqualTypeOf<Words>();
        return () => ({ state: 'measured', value: config.words.length, reason: '' });
      },
    });
    defineConnector({
      type: 'c',
      label: 'C',
      configSchema: words,
      invoke({ config }) {
        expectTypeOf(config).toEqualTypeOf<Words>();
        return 'Hi';
      },
    });
    defineEvaluator({
      type: 'e',
      label: 'E',
      kind: 'metric',
      configSchema: { type: 'object', properties: { a: { type: 'number' } } },
      evaluate: ({ config }) => ({ value: Number(config.a), reason: '' }),
    });
  });
});
