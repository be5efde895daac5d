import { isRecord } from '../../../shared/json.ts';
import { metaKeys, metaOf } from '../protocol-versions.ts';

type Message = Readonly<Record<string, unknown>>;

/** The version that a message says it is of; undefined for one of the older protocol. */
export function versionOf({ params }: Message): string | undefined {
  const version = metaOf(params)[metaKeys.version];
  return typeof version === 'string' ? version : undefined;
}

/** Headers that repeat parts of a message, for those who route it without reading it. */
export function mirroredHeaders({ method, params }: Message, version: string): Record<string, string> {
  const name = isRecord(params) ? nameIn(String(method), params) : undefined;
  return {
    'mcp-protocol-version': headerText(version),
    'mcp-method': headerText(String(method)),
    ...(name !== undefined && { 'mcp-name': headerText(name) }),
  };
}

function nameIn(method: string, { name, uri }: Message): string | undefined {
  const value = method === 'resources/read' ? uri : name;
  const isNamed = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
  return isNamed && typeof value === 'string' ? value : undefined;
}

/** A text as the value of a header: as it is where that is safe, else encoded. */
export function headerText(text: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  return isPlain && !looksEncoded ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
