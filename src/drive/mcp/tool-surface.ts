import { AssayError } from '../../domain/errors.ts';
import { suggestion } from '../../shared/suggest.ts';

/** Ways to offer the tools of a server that every server has; further names are those of subsets. */
export const surfaceNames = ['all', 'search', 'code'] as const;

/** Named sets of tools, by the server's own names. */
export type ToolSubsets = Readonly<Record<string, readonly string[]>>;

/** How the tools are offered: one of the ways above, or only the tools of a subset. */
export type ChosenSurface =
  | { readonly kind: (typeof surfaceNames)[number] }
  | { readonly kind: 'subset'; readonly name: string; readonly tools: readonly string[] };

/** The surface that a variant names; without one all tools are offered. */
export function chosenSurface(name: string | undefined, subsets: ToolSubsets = {}): ChosenSurface {
  if (name === undefined) return { kind: 'all' };
  const tools = Object.hasOwn(subsets, name) ? subsets[name] : undefined;
  if (tools) return { kind: 'subset', name, tools };
  const kind = surfaceNames.find((known) => known === name);
  if (kind) return { kind };
  throw new AssayError('FILE_INVALID', `There is no surface "${name}".`, {
    hint: suggestion(name, [...surfaceNames, ...Object.keys(subsets)]),
  });
}

/** The name by which a variant chooses it. */
export function surfaceName(surface: ChosenSurface): string {
  return surface.kind === 'subset' ? surface.name : surface.kind;
}

/** Throws, with a suggestion, when a subset names a tool that the server does not have. */
export function assertSubsetFits(names: readonly string[], surface: ChosenSurface): void {
  if (surface.kind !== 'subset') return;
  const missing = surface.tools.find((tool) => !names.includes(tool));
  if (missing === undefined) return;
  const message = `The subset "${surface.name}" names the tool "${missing}", which the server does not have.`;
  throw new AssayError('FILE_INVALID', message, {
    hint: names.length === 0 ? 'Remove the subset: the server has no tools.' : suggestion(missing, names),
  });
}
