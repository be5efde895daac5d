import { type ActionKind, actionKindSchema } from '../capability.ts';
import type { ObservedCall } from './tool-calls.ts';

/** A tool, or a call of one, as far as names are about it. */
export type NamedTool = Pick<ObservedCall, 'tool'> & Partial<Pick<ObservedCall, 'server' | 'serverTitle' | 'kind'>>;

const kindPrefix = 'kind:';

/**
 * Whether a call is of the tool that a name means. In a name, `*` stands for any text and `?` for one character; the
 * tool of an MCP server is meant by its own name, by `server/tool` and by `mcp__server__tool`, where the server may be
 * named as its user or as it itself does. Where an agent put the server before the tool in its own way (`server_tool`,
 * `server.tool`, `mcp_server_tool`), that is the tool of that server. `kind:read` means every tool of that kind, whatever the agent calls it.
 */
export function isNamed({ tool, server, serverTitle, kind }: NamedTool, name: string): boolean {
  if (name.startsWith(kindPrefix)) return kind !== undefined && name === `${kindPrefix}${kind}`;
  if (isMatch(tool, name)) return true;
  if (server === undefined) return prefixedForms(name).some((form) => isMatch(plain(tool), form));
  return [server, serverTitle].some(
    (owner) => owner !== undefined && (isMatch(`${owner}/${tool}`, name) || isMatch(`mcp__${owner}__${tool}`, name)),
  );
}

/** The server and the tool of a name that mentions both; undefined for other names. */
export function partsOf(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** A name with a server as agents write it that have one word for both. */
function prefixedForms(name: string): string[] {
  const parts = partsOf(name);
  if (!parts) return [];
  const [server, tool] = [plain(parts.server), plain(parts.tool)];
  return ['_', '__'].flatMap((separator) => {
    const form = `${server}${separator}${tool}`;
    return [form, `mcp${separator}${form}`];
  });
}

/** With `_` for whatever agents do not allow in a name; the signs of patterns stay. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9*?]/g, '_');
}

/** Whether a call may be of the tool that a name means: its own name is right, and its server is unknown. */
export function mayBeNamed({ tool, server }: NamedTool, name: string): boolean {
  const parts = partsOf(name);
  return server === undefined && parts !== undefined && isMatch(tool, parts.tool);
}

/** Whether a name means a kind of action; undefined where it does not, null where there is no such kind. */
export function kindInName(name: string): ActionKind | null | undefined {
  if (!name.startsWith(kindPrefix)) return undefined;
  return actionKindSchema.safeParse(name.slice(kindPrefix.length)).data ?? null;
}

/** Whether a name means more than one tool. */
export function isPatternOrKind(name: string): boolean {
  return /[*?]/.test(name) || name.startsWith(kindPrefix);
}

/** In time that grows with the text and the name only: a star is tried again where the rest did not fit. */
function isMatch(text: string, name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let retryAt = 0;
  while (at < text.length) {
    if (name[inName] === '*') {
      star = inName++;
      retryAt = at;
    } else if (name[inName] === '?' || name[inName] === text[at]) {
      inName++;
      at++;
    } else if (star >= 0) {
      inName = star + 1;
      at = ++retryAt;
    } else return false;
  }
  while (name[inName] === '*') inName++;
  return inName === name.length;
}
