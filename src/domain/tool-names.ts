import type { ObservedCall } from './tool-calls.ts';

type NamedCall = Pick<ObservedCall, 'tool' | 'server'>;

/**
 * Whether a call is of the tool that a name means. In a name, `*` stands for any text and `?` for one character; the
 * tool of an MCP server is meant by its own name, by `server/tool` and by `mcp__server__tool`.
 */
export function isNamed({ tool, server }: NamedCall, name: string): boolean {
  if (isMatch(tool, name)) return true;
  return server !== undefined && (isMatch(`${server}/${tool}`, name) || isMatch(`mcp__${server}__${tool}`, name));
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
