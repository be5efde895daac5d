/** What the value of a keyword has to be, and where in it further schemas stand. */
export type KeywordShape =
  | 'schema'
  | 'schemas'
  | 'schema or schemas'
  | 'schemas by name'
  | 'schemas by pattern'
  | 'schemas or names by name'
  | 'names by name'
  | 'names'
  | 'types'
  | 'list'
  | 'number'
  | 'number or boolean'
  | 'positive number'
  | 'count'
  | 'boolean'
  | 'pattern'
  | 'reference'
  | 'anchor'
  | 'text'
  | 'anything'
  | 'nothing that is supported';

/** The keywords that mean something; drafts 4 to 7, 2019-09 and 2020-12 together. */
export const keywordShapes: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['type', 'types'],
  ['enum', 'list'],
  ['const', 'anything'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['properties', 'schemas by name'],
  ['patternProperties', 'schemas by pattern'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['required', 'names'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['dependentRequired', 'names by name'],
  ['dependentSchemas', 'schemas by name'],
  ['dependencies', 'schemas or names by name'],
  ['prefixItems', 'schemas'],
  ['items', 'schema or schemas'],
  ['additionalItems', 'schema'],
  ['contains', 'schema'],
  ['minContains', 'count'],
  ['maxContains', 'count'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['uniqueItems', 'boolean'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'pattern'],
  ['format', 'text'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number or boolean'],
  ['exclusiveMaximum', 'number or boolean'],
  ['multipleOf', 'positive number'],
  ['$ref', 'reference'],
  ['$dynamicRef', 'reference'],
  ['$recursiveRef', 'reference'],
  ['$anchor', 'anchor'],
  ['$dynamicAnchor', 'anchor'],
  ['$defs', 'schemas by name'],
  ['definitions', 'schemas by name'],
  ['unevaluatedItems', 'nothing that is supported'],
  ['unevaluatedProperties', 'nothing that is supported'],
  ['nullable', 'nothing that is supported'],
]);

/** Keywords that say something to people or other programs and decide nothing. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$vocabulary',
  '$recursiveAnchor',
  'id',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

/** Keywords whose schemas look at the same value as the schema that they stand in. */
export const inPlaceKeywords: readonly string[] = [
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
];

/** The names of types that a schema may ask for. */
export const typeNames: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
