import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson, isRecord, mapFields, mapTexts } from '../../../shared/json.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';

/** Longer texts are prompts and descriptions; shorter ones are names, settings, commands and their output. */
const longestText = 40;
const digestPattern = /^<sha256 [0-9a-f]{32} of \d+ characters>$/;

/** A request with digests in place of long texts and of the definitions of tools; digests stay as they are. */
export function digested({ fields, messages }: ComparedRequest): ComparedRequest {
  const withoutTexts = Object.entries(fields).map(([name, value]) => [
    name,
    name === 'tools' ? digestedTools(value) : digestedTexts(value),
  ]);
  return { fields: Object.fromEntries(withoutTexts), messages: messages.map(digestedTexts) };
}

function digestedTexts(value: unknown): unknown {
  return mapTexts(value, (text) => (text.length > longestText ? digestOf(text) : text));
}

/** Each tool by its name, however deep an API puts it. */
function digestedTools(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(digestedTools);
  if (!isRecord(value)) return digestedTexts(value);
  const isGroup = [value.function, value.functionDeclarations, value.tools].some((inner) => inner !== undefined);
  if (isGroup) return mapFields(value, digestedTools);
  const { name, ...definition } = value;
  if (typeof name !== 'string' || isDigest(definition)) return digestedTexts(value);
  return { name, definition: digestOf(canonicalJson(definition)) };
}

function isDigest({ definition, ...others }: Readonly<Record<string, unknown>>): boolean {
  return typeof definition === 'string' && digestPattern.test(definition) && Object.keys(others).length === 0;
}

function digestOf(text: string): string {
  return digestPattern.test(text) ? text : `<sha256 ${sha256(text).slice(0, 32)} of ${text.length} characters>`;
}
