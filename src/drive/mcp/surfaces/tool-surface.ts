import { AssayError } from '../../../domain/errors.ts';
import { suggestion } from '../../../shared/suggest.ts';

/** Ways to offer the tools of a server that every server has; further names are those of subsets. */
export const surfaceNames = ['all', 'search', 'code'] as const;

/** Named sets of tools, by the server's own names; where there are several servers, as `server/tool`. */
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

/** The server that a name of the form `server/tool` means, and its tool; both may have a slash in their names. */
export function toolOfServer(name: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  const possible = servers.filter((server) => name.startsWith(`${server}/`) && name.length > server.length + 1);
  const [server] = possible.sort((one, other) => other.length - one.length);
  return server === undefined ? undefined : { server, tool: name.slice(server.length + 1) };
}

/** The surface as it applies to one of several servers: of a subset, the tools of that server. */
export function surfaceOfServer(surface: ChosenSurface, server: string, servers: readonly string[]): ChosenSurface {
  if (surface.kind !== 'subset') return surface;
  const meant = surface.tools.map((name) => toolOfServer(name, servers));
  return { ...surface, tools: meant.flatMap((one) => (one?.server === server ? [one.tool] : [])) };
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
