import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { judgeModeNameSchema } from '../../domain/judge-result.ts';
import { judgeModes } from './index.ts';

describe('judgeModes', () => {
  it('lists every mode once, each with a versioned prompt and a config that can be described', () => {
    expect(judgeModes.map(({ mode }) => mode)).toEqual(judgeModeNameSchema.options);
    for (const { mode, promptVersion, configSchema } of judgeModes) {
      expect(promptVersion).toMatch(new RegExp(`^${mode}\\.v\\d+$`));
      expect(z.toJSONSchema(configSchema, { io: 'input' })).toMatchObject({ type: 'object' });
    }
  });
});
