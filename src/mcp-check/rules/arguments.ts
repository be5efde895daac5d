import { isRecord } from '../../shared/json.ts';
import { oncePerServer, type Rule } from '../definitions/rule.ts';
import {
  argumentsOf,
  flattened,
  isUntyped,
  placeOf,
  type ToolArgument,
  textOf,
} from '../definitions/tool-arguments.ts';
import { nameWords, quoted } from '../definitions/words.ts';

/** In the order of the report. */
export const argumentRules: readonly Rule[] = [
  {
    id: 'argument-untyped',
    severity: 'warning',
    summary: 'Arguments of the tool have no type',
    why: 'Models send texts where you want numbers or objects; some providers refuse arrays that do not say of what.',
    fix: 'Give each argument a `type`, and each array its `items`.',
    checkTool: (tool) => {
      const all = flattened(argumentsOf(tool));
      const untyped = all.filter(isUntyped).map(({ name }) => name);
      const arrays = all.filter(isArrayOfAnything).map(({ name }) => name);
      const parts = [
        untyped.length > 0 ? `${quoted(untyped)} may be anything` : '',
        arrays.length > 0 ? `${quoted(arrays)} may be an array of anything` : '',
      ].filter((part) => part !== '');
      if (parts.length === 0) return undefined;
      const [first = ''] = [...untyped, ...arrays];
      return { message: `${parts.join('; ')}.`, place: placeOf(first) };
    },
  },
  {
    id: 'arguments-open',
    severity: 'info',
    summary: 'Tools allow arguments that they do not name',
    why: 'A misspelt argument is dropped silently: the model believes that it counted.',
    fix: 'Write `additionalProperties: false` in `inputSchema`, and refuse what is not known.',
    check: (server) =>
      oncePerServer(server, 'leave `additionalProperties` open', ({ inputSchema }) => isOpen(inputSchema)),
  },
  {
    id: 'enum-in-prose',
    severity: 'warning',
    summary: 'Allowed values are in prose instead of an `enum`',
    why: 'Nothing keeps the model from sending another value, and no client can offer the right ones.',
    fix: 'Put the values into `enum` of the argument.',
    checkTool: (tool) => {
      const found = flattened(argumentsOf(tool)).filter(hasValuesInProse);
      const [first] = found;
      if (!first) return undefined;
      return {
        message: `The description lists the values of ${quoted(found.map(({ name }) => name))}: "${textOf(first, 'description')}"`,
        place: placeOf(first.name),
      };
    },
  },
  {
    id: 'output-unbounded',
    severity: 'info',
    summary: 'Nothing limits how much the tool returns',
    why: 'With enough data one result fills the context of the model, and pushes the request of the user out of it.',
    fix: 'Take a `limit` with a sensible default and a `cursor`, and say in the result that there is more.',
    checkTool: (tool) => {
      const words = nameWords(tool.name);
      // A look-up by what names one thing finds few.
      if (/ by (?:id|number|key|code|uuid|sku|isbn|email)$/.test(words.join(' '))) return undefined;
      const isListing = listing.has(words[0] ?? '') || /^(?:get|read|fetch) all\b/.test(words.join(' '));
      if (!isListing) return undefined;
      const args = argumentsOf(tool);
      if (args.some(isQuery) || statedLimit.test(tool.description)) return undefined;
      // Without arguments it is more often a short list of settings; if not, calling it shows how long it is.
      if (args.length === 0) return undefined;
      const isLimited = flattened(args).some(({ name }) => nameWords(name).some((word) => limiting.has(word)));
      return isLimited ? undefined : 'It lists or searches, and has no argument such as `limit` or `cursor`.';
    },
  },
];

function isArrayOfAnything({ schemas }: ToolArgument): boolean {
  return schemas.some((schema) => {
    if (schema.type !== 'array' || 'prefixItems' in schema || 'contains' in schema) return false;
    return schema.items === undefined || schema.items === true || isEmpty(schema.items);
  });
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) && Object.keys(schema).length === 0;
}

function isOpen(schema: unknown): boolean {
  if (!isRecord(schema) || !isRecord(schema.properties) || Object.keys(schema.properties).length === 0) return false;
  const { required } = schema;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  if (Object.keys(schema.properties).every(isRequired)) return false;
  // A schema that says what else may be there was left open on purpose.
  return (
    schema.additionalProperties === undefined &&
    !('patternProperties' in schema) &&
    !('unevaluatedProperties' in schema)
  );
}

const value = String.raw`(?:"[^"\s]{1,40}"|'[^'\s]{1,40}'|\x60[^\x60\s]{1,40}\x60|\u201c[^\u201d\s]{1,40}\u201d)`;
const between = String.raw`\s*(?:,\s*(?:or\s+|and\s+)?|\||/|\s+or\s+)\s*`;
const introduction =
  /\b(?:one of|either|(?:allowed|valid|possible|supported|accepted) (?:values|options)(?: are)?|options(?: are)?|must be|can be)\b:?\s*/i;
const quotedValues = new RegExp(
  String.raw`${introduction.source}(?:the following:?\s*)?[([]?\s*${value}(?:${between}${value})+`,
  'i',
);
const onlyValues = new RegExp(String.raw`[([]\s*${value}(?:${between}${value})+\s*[)\]]`);
const barred = /(?:^|[\s(["'`])[A-Za-z][\w-]{0,30}(?:\s?\|\s?[A-Za-z][\w-]{0,30}){1,20}(?=$|[\s)\]"'`.,])/;
const bareValues =
  /\b(?:one of|(?:allowed|valid|possible|supported|accepted) (?:values|options)(?: are)?)\s*:\s*[\w-]{1,30}(?:\s*,\s*(?:or\s+)?[\w-]{1,30})+\s*(?:$|[.)\]])/i;
const example = /\b(?:e\.?g\.?|for example|for instance|such as|like|examples?)\W{0,3}$/i;
const mostCharacters = 2_000;
const closing = ['enum', 'const', 'pattern', 'format', 'anyOf', 'oneOf', '$ref'];

function hasValuesInProse(argument: ToolArgument): boolean {
  const { schemas } = argument;
  const isOpenText = schemas.some(({ type }) => type === 'string');
  if (!isOpenText || schemas.some((schema) => closing.some((keyword) => keyword in schema))) return false;
  // Runs of spaces would make the patterns slow.
  const text = (textOf(argument, 'description') ?? '').slice(0, mostCharacters).replace(/\s+/g, ' ');
  return [quotedValues, onlyValues, barred, bareValues].some((pattern) => {
    const match = pattern.exec(text);
    return (
      match !== null && !isExample(text.slice(0, match.index)) && !/\b(?:e\.g|such as|for example)\b/i.test(match[0])
    );
  });
}

/** Whether what follows a text is an example: announced as one, or a part of a JSON object. */
function isExample(before: string): boolean {
  return example.test(before) || before.split('{').length > before.split('}').length;
}

/** A description that says how much comes back at most: "Returns up to 25 results". */
const statedLimit = /\b(?:up to|at most|no more than|limited to|maximum of|the (?:first|top|last)) \d+\b/i;

const listing = new Set('list search find browse scan fetchall getall listall'.split(' '));
/** An object that is a query has its own limit. */
function isQuery({ name, schemas }: ToolArgument): boolean {
  return nameWords(name)[0] === 'query' && schemas.some(({ type }) => type === 'object');
}

const limiting = new Set(
  'limit max maximum count page cursor offset size top first last head tail num number n k rows results depth per skip take from range start end'.split(
    ' ',
  ),
);
