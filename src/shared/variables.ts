import { mapTexts } from './json.ts';

const placeholder = /\$\{([^}]+)\}/g;

/** Every `${VAR}` in the strings of a value replaced; a variable that is not set leaves its placeholder as it is. */
export function expandVariables<Value>(value: Value, env: Readonly<Record<string, string | undefined>>): Value {
  return mapTexts(value, (text) => text.replace(placeholder, (whole, name: string) => env[name] || whole)) as Value;
}

/** Whether any string of a value may mention a variable. */
export function mentionsVariables(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${');
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (mentionsVariables((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** The names of variables that a text mentions and that are not set. */
export function unsetVariables(text: string, env: Readonly<Record<string, string | undefined>>): string[] {
  return [...text.matchAll(placeholder)].map((match) => match[1] ?? '').filter((name) => !env[name]);
}

/** The names of variables that the strings of a value mention; text that cannot be a name is ignored. */
export function variablesIn(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map((match) => match[1] ?? '').filter(isName);
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(variablesIn))];
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}
