import { expect, it } from 'vitest';
import { configSchema } from './config-schema.ts';
import { defaultConfig } from './default-config.ts';

it('an empty config means the same as none', () => {
  expect(configSchema.parse({})).toEqual(defaultConfig);
});
