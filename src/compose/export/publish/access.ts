import { AssayError } from '../../../domain/errors.ts';
import { isWebUrl } from '../../config/webhook-config.ts';

interface Wanted {
  /** For messages. */
  readonly service: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables without which it cannot be opened. */
  readonly keys: readonly string[];
  /** Variables that may say where it is, the first first. */
  readonly urls: readonly string[];
  /** Where it is otherwise. */
  readonly url: string;
}

/** The address and the keys of a service, as its own variables have them. */
export function accessOf({ service, env, keys, urls, url }: Wanted): { url: URL; keys: readonly string[] } {
  const missing = keys.filter((name) => !env[name]?.trim());
  if (missing.length > 0) {
    const hint = `Set ${missing.join(' and ')}; ${service} shows them in the settings of a project.`;
    throw new AssayError('USAGE', `${service} cannot be reached without ${missing.join(' and ')}.`, { hint });
  }
  const named = urls.find((name) => env[name]?.trim());
  const text = (named === undefined ? undefined : env[named]?.trim()) ?? url;
  if (!isWebUrl(text))
    throw new AssayError('USAGE', `${named} is not an http or https URL.`, {
      hint: `Set it to the address of ${service}, such as ${url}.`,
    });
  return { url: new URL(text), keys: keys.map((name) => env[name]?.trim() ?? '') };
}
