import { perTool, type Rule } from '../rule.ts';
import { argumentsOf, flattened, placeOf, type ToolArgument, textOf } from '../tool-arguments.ts';
import { quoted } from '../words.ts';

const typing = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'properties', 'items'];

/** Arguments whose schema does not say what they are. */
export const argumentUntyped: Rule = {
  id: 'argument-untyped',
  severity: 'warning',
  summary: 'Arguments of the tool have no type',
  why: 'Models send texts where you want numbers or objects; some providers refuse arrays that do not say of what.',
  fix: 'Give each argument a `type`, and each array its `items`.',
  check: (server) =>
    perTool(server, (tool) => {
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
    }),
};

/** Who says that anything may be there means it. */
function isUntyped(argument: ToolArgument): boolean {
  if (/\b(?:any|anything|whatever|JSON)\b/i.test(textOf(argument, 'description') ?? '')) return false;
  return !argument.schemas.some((schema) => typing.some((keyword) => keyword in schema));
}

function isArrayOfAnything({ schemas }: ToolArgument): boolean {
  return schemas.some((schema) => {
    if (schema.type !== 'array' || 'prefixItems' in schema || 'contains' in schema) return false;
    return schema.items === undefined || schema.items === true || isEmpty(schema.items);
  });
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) && Object.keys(schema).length === 0;
}
