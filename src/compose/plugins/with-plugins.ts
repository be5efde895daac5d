import type { Plugins } from './load-plugins.ts';
import { type Family, families, type PluginParts } from './plugin-parts.ts';
import { type PluginProblem, pluginsError } from './plugin-problem.ts';

/** Lists of the program's own parts; those that are not given are not merged. */
type BuiltIn = { readonly [Name in Family]?: readonly Named<Name>[] };

/** Anything that has the name by which parts of the family are told apart. */
type Named<Name extends Family> = Name extends 'agents' | 'reporters'
  ? { readonly name: string }
  : { readonly type: string };

/** The program's own parts and those of plug-ins behind them. Throws when a name is there twice. */
export function withPlugins<Lists extends BuiltIn & Partial<PluginParts>>(builtIn: Lists, plugins: Plugins): Lists {
  const problems: PluginProblem[] = [];
  const merged: Record<string, unknown> = { ...builtIn };
  for (const family of Object.keys(families) as Family[]) {
    const own = builtIn[family];
    if (!own) continue;
    problems.push(...repeatedNames(family, own, plugins));
    merged[family] = [...own, ...plugins[family]];
  }
  if (problems.length > 0) throw pluginsError(problems);
  return merged as Lists;
}

function repeatedNames(family: Family, own: readonly object[], plugins: Plugins): PluginProblem[] {
  const { word } = families[family];
  const nameOf = families[family].nameOf as (part: object) => string;
  const known = new Map(own.map((part) => [nameOf(part), 'built-in']));
  return plugins[family].flatMap((part) => {
    const name = nameOf(part);
    const whose = known.get(name);
    known.set(name, whose ?? 'custom');
    if (whose === undefined) return [];
    const message = `${word} "${name}" is already registered (${whose}). Custom ${family} cannot override existing ${endings[family]}.`;
    return [{ entry: plugins.entryOf(part) ?? { specifier: name }, message }];
  });
}

const endings: Readonly<Record<Family, string>> = {
  evaluators: 'types',
  connectors: 'types',
  agents: 'names',
  reporters: 'names',
};
