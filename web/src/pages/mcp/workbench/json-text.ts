import { isRecord } from '../../../../../src/shared/json.ts';

/** Data as text for people. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

/** Text that should be a JSON object: the object, or what is wrong with the text. */
export function readObject(text: string): { readonly value: Record<string, unknown> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { value } : { problem: 'This is not a JSON object.' };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Text of a frame, indented where it is whole. */
export function frameText(text: string): string {
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return text;
  }
}

/** A text field of a definition. */
export function textOf(definition: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = definition[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
