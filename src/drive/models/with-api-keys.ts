import { unsetVariables } from '../../shared/variables.ts';
import { defaultProviderConfig, type ModelsConfig } from './models-config.ts';

/**
 * The same models, asked with other keys for some providers. `${VAR}` in a key is expanded when a model is asked; one
 * that is not set does not take the place of a key that the config has.
 */
export function withApiKeys(
  config: ModelsConfig,
  apiKeys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): ModelsConfig {
  const changed = Object.entries(apiKeys).flatMap(([name, apiKey]) => {
    const settings = config.providers[name] ?? defaultProviderConfig;
    const isUnset = unsetVariables(apiKey, env).length > 0 && settings.apiKey !== undefined;
    return isUnset ? [] : [[name, { ...settings, apiKey }] as const];
  });
  const providers = { ...config.providers, ...Object.fromEntries(changed) };
  return changed.length === 0 ? config : { ...config, providers };
}
