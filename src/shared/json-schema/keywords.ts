import { isRecord } from '../json.ts';
import { suggestion } from '../suggest.ts';

/**
 * The keywords that mean something, by the required form of their values, which also says where further schemas stand in
 * them; drafts 4 to 7, 2019-09 and 2020-12 together.
 */
const keywordsByShape = {
  types: 'type',
  list: 'enum',
  anything: 'const',
  schemas: 'allOf anyOf oneOf prefixItems',
  schema:
    'not if then else additionalProperties propertyNames additionalItems contains unevaluatedItems unevaluatedProperties',
  'schemas by name': 'properties dependentSchemas $defs definitions',
  'schemas by pattern': 'patternProperties',
  names: 'required',
  count: 'minProperties maxProperties minContains maxContains minItems maxItems minLength maxLength',
  'names by name': 'dependentRequired',
  'schemas or names by name': 'dependencies',
  'schema or schemas': 'items',
  boolean: 'uniqueItems',
  pattern: 'pattern',
  text: 'format',
  number: 'minimum maximum',
  'number or boolean': 'exclusiveMinimum exclusiveMaximum',
  'positive number': 'multipleOf',
  reference: '$ref $dynamicRef $recursiveRef',
  anchor: '$anchor $dynamicAnchor',
  'nothing that is supported': 'nullable',
} as const;

export type KeywordShape = keyof typeof keywordsByShape;

export const keywordShapes: ReadonlyMap<string, KeywordShape> = new Map(
  Object.entries(keywordsByShape).flatMap(([shape, keywords]) =>
    keywords.split(' ').map((keyword) => [keyword, shape as KeywordShape] as const),
  ),
);

/** Keywords that say something to people or other programs and decide nothing. */
export const annotations: ReadonlySet<string> = new Set(
  (
    '$schema $id $comment $vocabulary $recursiveAnchor id title description default example examples ' +
    'deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema'
  ).split(' '),
);

/** Keywords whose schemas look at the same value as the schema that they stand in. */
export const inPlaceKeywords: readonly string[] =
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' ');

/** The names of types that a schema may ask for. */
const typeNames: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** Says what is wrong with the value of a keyword, whatever schemas stand in it; undefined when nothing is. */
export function problemOfKeyword(keyword: string, shape: KeywordShape, value: unknown): string | undefined {
  if (shape === 'types') return problemOfTypes(value);
  if (shape === 'nothing that is supported') return `\`${keyword}\` is not supported${insteadOf[keyword] ?? ''}`;
  const { isRight, words } = rules[shape];
  return isRight(value) ? undefined : `\`${keyword}\` must be ${words}`;
}

const insteadOf: Readonly<Record<string, string>> = {
  nullable: '; write `type: ["string", "null"]` instead',
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
