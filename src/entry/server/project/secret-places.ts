import type { DataPath } from '../../../load/sources/parsed-source.ts';
import { namesSecret, namesSecretHeader } from '../../../shared/redaction/assigned-secrets.ts';

/** A part of a string in some data that must not be shown. */
export interface SecretPlace {
  readonly path: DataPath;
  readonly value: string;
  /** The part of the value that is secret, and where in it. */
  readonly secret: string;
  readonly start: number;
}

/** What people write here is material for agents and tools, and not a setting of ours. */
const materialKeys = new Set(['input', 'inputs', 'cases', 'expected', 'messages', 'args', 'arguments', 'criteria']);
const secretKeys =
  /^(?:api_?key|openai_?key|password|passwd|secret|client_?secret|(?:access|auth|bearer)_?token|token)$/i;
const addressKeys = /^(?:base_?url|url|store)$/i;

/** The secrets that are written out in settings; `${VAR}` is a name and no secret. */
export function secretPlaces(value: unknown, path: DataPath = []): SecretPlace[] {
  if (typeof value === 'string') return secretIn(value, path);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    materialKeys.has(key) ? [] : secretPlaces(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function secretIn(value: string, path: DataPath): SecretPlace[] {
  const name = String(path.at(-1));
  const around = String(path.at(-2));
  if (value === '' || value.includes('${')) return [];
  const isHeader = around === 'headers' && namesSecretHeader(name);
  const isVariable = around === 'env' && namesSecret(name);
  if (isHeader || isVariable || secretKeys.test(name)) return [{ path, value, secret: value, start: 0 }];
  return addressKeys.test(name) ? passwordIn(value, path) : [];
}

function passwordIn(value: string, path: DataPath): SecretPlace[] {
  const [, before = '', password] = /^([A-Za-z][\w+.-]*:\/\/[^/?#@:]*:)([^/?#@]+)@/.exec(value) ?? [];
  return password === undefined ? [] : [{ path, value, secret: password, start: before.length }];
}
