import { AssayError } from '../../../domain/errors.ts';
import { canSendHeader } from '../../../shared/http/sendable-header.ts';

export type Headers = Readonly<Record<string, string>>;

/** Headers that say how to talk and nothing about who talks. */
const harmless: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'anthropic-version',
  'cache-control',
  'content-type',
  'user-agent',
]);
/** These follow from the body, and a wrong one makes the connection unusable. */
const computed: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** Headers with names in lower case, later ones over earlier ones; those that cannot be sent are refused. */
export function mergedHeaders(...layers: readonly Headers[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const layer of layers) {
    for (const [written, value] of Object.entries(layer)) {
      const name = written.toLowerCase();
      if (computed.has(name) || !canSendHeader(name, value)) {
        throw new AssayError('TARGET_NOT_LOADED', `The header "${written}" cannot be sent.`, {
          hint: 'Correct the headers of the connector or of the persona.',
        });
      }
      merged[name] = value;
    }
  }
  return merged;
}

/** What must not be shown of headers: their values, and what follows a word such as `Bearer`. */
export function secretsIn(headers: Headers): string[] {
  return Object.entries(headers)
    .filter(([name]) => !harmless.has(name.toLowerCase()))
    .flatMap(([, value]) => [value, value.slice(value.indexOf(' ') + 1)]);
}
