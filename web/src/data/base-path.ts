/** The path below which a project of a workspace has its pages and its API; empty for a server's first project. */
export function basePathOf(pathname: string): string {
  return /^\/projects\/[^/]+/.exec(pathname)?.[0] ?? '';
}

/** That of the project that this page belongs to; a report has its pages behind the `#`. */
export const basePath = isReport ? '' : basePathOf(globalThis.location?.pathname ?? '/');
