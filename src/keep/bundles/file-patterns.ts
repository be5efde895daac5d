/** Whether a path, relative and with `/`, is meant. */
export type IsMeant = (path: string) => boolean;

/**
 * Patterns as users write them: `*`, `?`, `**` and `{a,b}`; the name of a folder means all that is in it, and a
 * pattern without `/` is looked for at every depth.
 */
export function matcherOf(patterns: readonly string[]): IsMeant {
  if (patterns.length === 0) return () => false;
  const expression = new RegExp(`^(?:${patterns.map(expressionOf).join('|')})(?:/.*)?$`, 's');
  return (path) => expression.test(path);
}

/** The folder that all paths of a pattern lie in, as far as the pattern itself shows. */
export function folderOf(pattern: string): string {
  if (isAtEveryDepth(pattern)) return '';
  const steps = trimmed(pattern).split('/');
  const firstOpen = steps.findIndex((step) => /[*?{]/.test(step));
  return steps.slice(0, firstOpen === -1 ? undefined : firstOpen).join('/');
}

function expressionOf(pattern: string): string {
  return (isAtEveryDepth(pattern) ? '(?:.*/)?' : '') + translated(trimmed(pattern));
}

function isAtEveryDepth(pattern: string): boolean {
  return !trimmed(pattern).includes('/') && !pattern.startsWith('/') && !pattern.startsWith('./');
}

function trimmed(pattern: string): string {
  return pattern.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
}

function translated(pattern: string): string {
  const hasGroups = areBracesClosed(pattern);
  let depth = 0;
  // `**/**/` means the same as `**/`, and would be tried in every combination.
  return pattern.replace(/(?:\*\*\/)+|\*\*+|[\s\S]/gu, (part) => {
    if (part.endsWith('**/')) return '(?:.*/)?';
    if (part.startsWith('**')) return '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (hasGroups && part === '{') depth++;
    else if (depth > 0 && part === '}') depth--;
    else return hasGroups && depth > 0 && part === ',' ? '|' : escaped(part);
    return part === '{' ? '(?:' : ')';
  });
}

/** A brace that is not closed is part of a name. */
function areBracesClosed(pattern: string): boolean {
  let depth = 0;
  for (const character of pattern) {
    if (character === '{') depth++;
    else if (character === '}' && depth > 0) depth--;
  }
  return depth === 0;
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
}
