import { AssayError } from '../../domain/errors.ts';
import type { ImprovableText } from '../../domain/improvement.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import { suggestion } from '../../shared/suggest.ts';

/** The variant that is improved: the one that was named, or the only one. */
export function chooseReference(
  scenarios: readonly Scenario[],
  part: keyof Variant,
  what: ImprovableText,
  from: string | undefined,
): string {
  const names = [...new Set(scenarios.flatMap(({ variants }) => variants.flatMap((variant) => variant[part] ?? [])))];
  const [first, ...others] = names;
  if (first === undefined) {
    throw new AssayError('USAGE', `No scenario has ${what === 'skill' ? 'skills' : what} that could be improved.`, {
      hint: missingHints[what],
    });
  }
  if (from !== undefined) {
    if (names.includes(from)) return from;
    throw new AssayError('NOT_FOUND', `There is no ${part} "${from}".`, { hint: suggestion(from, names) });
  }
  if (others.length === 0) return first;
  throw new AssayError('USAGE', `The scenarios have several variants of ${part}: ${names.join(', ')}.`, {
    hint: `Name the one to improve: --from ${first}.`,
  });
}

const missingHints: Readonly<Record<ImprovableText, string>> = {
  guidance: 'Name the file under `guidance:` in scenarios with a task for an agent.',
  skill: 'Name the folder under `skills:` in scenarios with a task for an agent.',
  descriptions: 'Name files about an MCP server that have `workflows`.',
};
