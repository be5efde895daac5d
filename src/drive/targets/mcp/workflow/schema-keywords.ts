const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isAnything: Check = () => true;

/** The keywords of JSON Schema without schemas of their own that every provider takes, and what each must hold. */
const checks: ReadonlyMap<string, Check> = new Map([
  ['type', (value) => (Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value))],
  ['title', isText],
  ['description', isText],
  ['format', isText],
  ['pattern', isPattern],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['const', isAnything],
  ['default', isAnything],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['multipleOf', (value) => isNumber(value) && (value as number) > 0],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['uniqueItems', (value) => typeof value === 'boolean'],
  ['additionalProperties', (value) => typeof value === 'boolean'],
] satisfies [string, Check][]);

/** Whether every provider takes a keyword with this value as it stands. */
export function isUsable(keyword: string, value: unknown): boolean {
  return checks.get(keyword)?.(value) ?? false;
}

function isType(value: unknown): boolean {
  return typeof value === 'string' && types.has(value);
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}
