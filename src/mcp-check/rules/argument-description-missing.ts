import { perTool, type Rule } from '../rule.ts';
import { argumentsOf, placeOf, type ToolArgument, textOf } from '../tool-arguments.ts';
import { quoted } from '../words.ts';

/** Arguments that nothing is said about. */
export const argumentDescriptionMissing: Rule = {
  id: 'argument-description-missing',
  severity: 'warning',
  summary: 'Arguments of the tool have no description',
  why: 'A model has to guess what to put there: which format, which unit, relative to what.',
  fix: 'Give each argument a `description`, with an example where the form is not plain.',
  check: (server) =>
    perTool(server, (tool) => {
      const silent = argumentsOf(tool).flatMap(undescribed);
      if (silent.length === 0) return undefined;
      const [first] = silent;
      return {
        message: `Nothing is said about ${quoted(silent)}.`,
        ...(first !== undefined && { place: placeOf(first) }),
      };
    }),
};

function undescribed(argument: ToolArgument): string[] {
  const below = argument.parts.flatMap(undescribed);
  const isExplainedByParts = argument.parts.length > 0 && below.length === 0;
  const isSaid = textOf(argument, 'description') !== undefined;
  return isSaid || isExplainedByParts || namesItsValues(argument) ? below : [argument.name, ...below];
}

/** A closed list of values speaks for itself. */
function namesItsValues({ schemas }: ToolArgument): boolean {
  return schemas.some((schema) => Array.isArray(schema.enum) || 'const' in schema);
}
