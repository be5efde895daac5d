import { describe, expect, it } from 'vitest';
import { modelsConfigSchema } from './models-config.ts';
import { withApiKeys } from './open-models.ts';
import { providerSettings } from './provider-settings.ts';
import { findProvider } from './resolve-model.ts';

function keyWith(written: object, apiKeys: Record<string, string>, env: Record<string, string>): string | undefined {
  const config = withApiKeys(modelsConfigSchema.parse(written), apiKeys, env);
  const provider = findProvider('openai', config);
  return provider && providerSettings(provider, 'openai', config, env).apiKey;
}

const configured = { providers: { openai: { apiKey: 'of-config', concurrency: 3 } } };

describe('keys that a scenario brings along', () => {
  it('go before those of the config and the environment', () => {
    expect(keyWith(configured, { openai: 'own' }, { OPENAI_API_KEY: 'of-env' })).toBe('own');
    expect(keyWith({}, { openai: '${MINE}' }, { MINE: 'own', OPENAI_API_KEY: 'of-env' })).toBe('own');
  });

  it('leave those where a variable is not set', () => {
    expect(keyWith(configured, { openai: '${MINE}' }, {})).toBe('of-config');
    expect(keyWith({}, { openai: '${MINE}' }, { OPENAI_API_KEY: 'of-env' })).toBe('of-env');
  });

  it('leave everything else of a provider, and other providers', () => {
    const config = modelsConfigSchema.parse(configured);
    expect(withApiKeys(config, {}, {})).toBe(config);
    expect(withApiKeys(config, { openai: 'own' }, {}).providers.openai).toMatchObject({
      apiKey: 'own',
      concurrency: 3,
    });
    expect(withApiKeys(config, { anthropic: 'own' }, {}).providers.openai).toBe(config.providers.openai);
  });
});
