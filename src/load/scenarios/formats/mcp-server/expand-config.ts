import type { Problem } from '../../../../domain/problem.ts';
import { expandVariables, unsetVariables } from '../../../../shared/variables.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where secrets may stand: they are expanded when they are used, so that none is kept with a run. */
const expandedWhenUsed = ['openaiKey', 'server.headers', 'server.env', 'server.args'];

/** A config with its variables, and what is to be said of those that are not set. */
export interface ExpandedConfig {
  readonly value: unknown;
  readonly warnings: readonly Problem[];
}

/** Every `${VAR}` of a config replaced, but where secrets stand; one that is not set stays as it is. */
export function expandConfig(source: ParsedSource, env: Environment): ExpandedConfig {
  const warnings: Problem[] = [];
  const expand = (part: unknown, path: DataPath): unknown => {
    if (typeof part === 'string') {
      if (path[0] !== 'openaiKey') warnings.push(...unsetIn(part, path, source, env));
      return isExpandedWhenUsed(path) ? part : expandVariables(part, env);
    }
    if (Array.isArray(part)) return part.map((item, index) => expand(item, [...path, index]));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inside]) => [key, expand(inside, [...path, key])]));
  };
  return { value: expand(source.value, []), warnings };
}

function isExpandedWhenUsed(path: DataPath): boolean {
  return expandedWhenUsed.includes(path.slice(0, 2).map(String).join('.'));
}

function unsetIn(text: string, path: DataPath, source: ParsedSource, env: Environment): Problem[] {
  return [...new Set(unsetVariables(text, env))].map((name) => ({
    at: source.locateInString(path, text.indexOf(`\${${name}}`) + 1),
    message: `the environment variable \`${name}\` is not set, so that its placeholder stays`,
  }));
}
