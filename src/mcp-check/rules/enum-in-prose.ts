import { perTool, type Rule } from '../rule.ts';
import { argumentsOf, flattened, placeOf, type ToolArgument, textOf } from '../tool-arguments.ts';
import { quoted } from '../words.ts';

const value = String.raw`(?:"[^"\s]{1,40}"|'[^'\s]{1,40}'|\x60[^\x60\s]{1,40}\x60|“[^”\s]{1,40}”)`;
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

/** Closed lists of values that only the description tells. */
export const enumInProse: Rule = {
  id: 'enum-in-prose',
  severity: 'warning',
  summary: 'Allowed values are told in prose instead of an `enum`',
  why: 'Nothing keeps the model from sending another value, and no client can offer the right ones.',
  fix: 'Put the values into `enum` of the argument.',
  check: (server) =>
    perTool(server, (tool) => {
      const found = flattened(argumentsOf(tool)).filter(hasValuesInProse);
      const [first] = found;
      if (!first) return undefined;
      return {
        message: `The description lists the values of ${quoted(found.map(({ name }) => name))}: "${textOf(first, 'description')}"`,
        place: placeOf(first.name),
      };
    }),
};

function hasValuesInProse(argument: ToolArgument): boolean {
  const { schemas } = argument;
  const isOpenText = schemas.some(({ type }) => type === 'string');
  if (!isOpenText || schemas.some((schema) => closing.some((keyword) => keyword in schema))) return false;
  // Runs of spaces would make the patterns slow.
  const text = (textOf(argument, 'description') ?? '').slice(0, mostCharacters).replace(/\s+/g, ' ');
  return [quotedValues, onlyValues, barred, bareValues].some((pattern) => {
    const match = pattern.exec(text);
    return (
      match !== null && !example.test(text.slice(0, match.index)) && !/\b(?:e\.g|such as|for example)\b/i.test(match[0])
    );
  });
}
