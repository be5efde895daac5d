import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { evaluators } from './index.ts';

interface FieldSchema {
  readonly description?: string;
}

describe('the list of evaluators', () => {
  it('names each once', () => {
    const types = evaluators.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
  });

  it.each(evaluators.map((evaluator) => [evaluator.type, evaluator] as const))('describes %s', (_type, evaluator) => {
    const { label, summary, configSchema, kind, when, aggregate } = evaluator;
    expect(label).toMatch(/^[A-Z]/);
    expect(summary).toMatch(/^[^\n]{10,120}$/);
    const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as {
      properties?: Record<string, FieldSchema>;
    };
    const undescribed = Object.entries(properties).filter(([, { description }]) => !description);
    expect(undescribed.map(([name]) => name).filter((name) => name !== 'rubric')).toEqual([]);
    if (kind === 'metric') expect(when).toBeUndefined();
    else expect(aggregate).toBeUndefined();
  });
});
