import { AssayError } from '../../../../domain/errors.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { ToolRewrites } from '../../../mcp/rewrites.ts';

/** The wording that a variant names; without one the tools stay as the server words them. */
export function chosenWording(
  name: string | undefined,
  wordings: Readonly<Record<string, ToolRewrites>> = {},
): ToolRewrites {
  if (name === undefined) return {};
  const wording = Object.hasOwn(wordings, name) ? wordings[name] : undefined;
  if (wording) return wording;
  const known = Object.keys(wordings);
  throw new AssayError('FILE_INVALID', `There is no wording "${name}".`, {
    hint: known.length === 0 ? 'There are none.' : suggestion(name, known),
  });
}
