import type { Problem } from '../../../domain/problem.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Template, TemplateValues } from '../../../shared/templates.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';

/** The values of a case by name: the fields of its input, and its other keys where a template uses them. */
export function caseValues(
  { input, ...others }: { readonly input?: unknown },
  templates: readonly Template[],
): TemplateValues {
  const own: TemplateValues = isRecord(input) ? input : { input };
  const used = Object.entries(others).filter(
    ([key, value]) => value !== undefined && !Object.hasOwn(own, key) && templates.some(({ name }) => name === key),
  );
  return { ...Object.fromEntries(used), ...own };
}

/** Templates that the values of a case do not fill: their names would be taken for words. `whose` begins a sentence. */
export function unfilledTemplates(
  templates: readonly Template[],
  values: TemplateValues,
  whose: string,
  source: ParsedSource,
): Problem[] {
  return templates
    .filter(({ name }) => name !== undefined && values[name] === undefined)
    .map(({ path, column, written, name }) => ({
      at: source.locateInString(path, column),
      message: `\`${written}\` cannot be filled in: ${whose} has no \`${name}\``,
    }));
}
