import { isRecord } from './json.ts';
import { type KeywordShape, typeNames } from './json-schema-keywords.ts';
import { suggestion } from './suggest.ts';

/** Says what is wrong with the value of a keyword, whatever schemas stand in it; undefined when nothing is. */
export function problemOfKeyword(keyword: string, shape: KeywordShape, value: unknown): string | undefined {
  if (shape === 'types') return problemOfTypes(value);
  if (shape === 'nothing that is supported') return `\`${keyword}\` is not supported${insteadOf[keyword] ?? ''}`;
  const { isRight, words } = rules[shape];
  return isRight(value) ? undefined : `\`${keyword}\` must be ${words}`;
}

const insteadOf: Readonly<Record<string, string>> = {
  nullable: '; write `type: ["string", "null"]` instead',
  unevaluatedItems: '; say with `items` what else may follow',
  unevaluatedProperties: '; say with `additionalProperties` what else may be there',
};

interface Rule {
  readonly words: string;
  isRight(value: unknown): boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isSchemaLike = (value: unknown): boolean => isRecord(value) || typeof value === 'boolean';
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isSchemaList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const isFiniteNumber = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
const holdsOnly = (value: unknown, isRight: (part: unknown) => boolean): boolean =>
  isRecord(value) && Object.values(value).every(isRight);

const schema: Rule = { words: 'a schema: an object, `true` or `false`', isRight: isSchemaLike };
const text: Rule = { words: 'a text', isRight: isText };
const schemasByName: Rule = {
  words: 'an object whose values are schemas',
  isRight: (value) => holdsOnly(value, isSchemaLike),
};

const rules: Readonly<Record<Exclude<KeywordShape, 'types' | 'nothing that is supported'>, Rule>> = {
  schema,
  schemas: { words: 'a list of schemas that is not empty', isRight: isSchemaList },
  'schema or schemas': {
    words: 'a schema or a list of schemas',
    isRight: (value) => isSchemaLike(value) || Array.isArray(value),
  },
  'schemas by name': schemasByName,
  'schemas by pattern': schemasByName,
  'schemas or names by name': {
    words: 'an object whose values are schemas or lists of names',
    isRight: (value) => holdsOnly(value, (part) => isSchemaLike(part) || isTextList(part)),
  },
  'names by name': {
    words: 'an object whose values are lists of names',
    isRight: (value) => holdsOnly(value, isTextList),
  },
  names: { words: 'a list of names', isRight: isTextList },
  list: { words: 'a list', isRight: Array.isArray },
  number: { words: 'a number', isRight: isFiniteNumber },
  'number or boolean': {
    words: 'a number',
    isRight: (value) => typeof value === 'boolean' || isFiniteNumber(value),
  },
  'positive number': {
    words: 'a number above 0',
    isRight: (value) => isFiniteNumber(value) && Number(value) > 0,
  },
  count: {
    words: 'a whole number that is not negative',
    isRight: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
  },
  boolean: { words: '`true` or `false`', isRight: (value) => typeof value === 'boolean' },
  pattern: { words: 'a regular expression', isRight: isText },
  reference: { words: 'a reference such as `#/$defs/name`', isRight: isText },
  anchor: text,
  text,
  anything: { words: 'a value', isRight: () => true },
};

function problemOfTypes(value: unknown): string | undefined {
  const names = [value].flat();
  const wrong = names.find((name) => typeof name !== 'string' || !typeNames.includes(name));
  if (wrong === undefined && names.length > 0) return undefined;
  if (typeof wrong !== 'string') return '`type` must be the name of a type, or a list of them';
  return `there is no type "${wrong}". ${suggestion(wrong, typeNames)}`;
}
