import { grouped } from '../../shared/format.ts';
import { definitionTokens } from '../context-cost/context-cost.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import type { Finding, Rule } from '../definitions/rule.ts';
import { quoted } from '../definitions/words.ts';
import { ambiguousPairs } from './ambiguous-pairs.ts';

/** In the order of the report. */
export const toolChoiceRules: readonly Rule[] = [
  {
    id: 'tools-ambiguous',
    severity: 'warning',
    summary: 'Two tools are hard to distinguish',
    why: 'A model picks between them by chance, since their descriptions and arguments are nearly the same.',
    fix: 'Say in each description when to use it rather than the other, naming the other; or make one tool of both.',
    check: ({ tools }) => alikeGroups(ambiguousPairs(tools)).map(ambiguity),
  },
  {
    id: 'tools-too-many',
    severity: 'warning',
    summary: 'The server has very many tools',
    why: 'Every request carries all definitions: models choose worse among many, and some clients take no more than 40 tools.',
    fix: 'Merge tools that differ in one argument, or split the server.',
    check({ tools }) {
      if (tools.length <= recommendedTools) return [];
      return [
        { message: `${tools.length} tools take about ${grouped(definitionTokens(tools))} tokens of every request.` },
      ];
    },
  },
  {
    id: 'definitions-heavy',
    severity: 'warning',
    summary: 'The definitions of the server take very many tokens',
    why: 'Every request to a model pays for them, and they leave less room for the conversation.',
    fix: 'Shorten the heaviest definitions first: descriptions, repeated parts of schemas, rarely used arguments.',
    check({ tools }) {
      const tokens = definitionTokens(tools);
      if (tokens <= mostServerTokens) return [];
      const heaviest = byWeight(tools).slice(0, heaviestNamed);
      const named = heaviest.map(({ name, tokens }) => `\`${name}\` ${grouped(tokens)}`).join(', ');
      return [{ message: `About ${grouped(tokens)} tokens of every request; the heaviest are ${named}.` }];
    },
  },
  {
    id: 'tool-definition-heavy',
    severity: 'info',
    summary: 'The definition of the tool takes very many tokens',
    why: 'Every request to a model pays for it, whether the tool is used or not.',
    fix: 'Move rarely used arguments to another tool, and long explanations to a resource or to the instructions.',
    check: ({ tools }) =>
      byWeight(tools)
        .filter(({ tokens }) => tokens > mostToolTokens)
        .map(({ name, tokens }) => ({ message: `About ${grouped(tokens)} tokens of every request.`, tools: [name] })),
  },
];

/** More tools that are alike are one problem, and not one for each pair. */
const mostInPairs = 3;

function ambiguity(names: readonly string[]): Finding {
  const who = names.length === 2 ? names.map((name) => `\`${name}\``).join(' and ') : quoted(names);
  return { message: `${who} have nearly the same description and the same required arguments.`, tools: names };
}

/** Pairs, and in place of the pairs among more tools all of these together. */
function alikeGroups(pairs: readonly (readonly [ListedTool, ListedTool])[]): (readonly string[])[] {
  const groupOf = new Map<string, Set<string>>();
  for (const [a, b] of pairs) {
    if (groupOf.has(a.name) && groupOf.get(a.name) === groupOf.get(b.name)) continue;
    const joined = new Set([a.name, b.name, ...(groupOf.get(a.name) ?? []), ...(groupOf.get(b.name) ?? [])]);
    for (const name of joined) groupOf.set(name, joined);
  }
  const isLarge = (name: string): boolean => (groupOf.get(name)?.size ?? 0) > mostInPairs;
  const large = [...new Set(groupOf.values())].filter(({ size }) => size > mostInPairs).map((group) => [...group]);
  return [...large, ...pairs.filter(([a]) => !isLarge(a.name)).map(([a, b]) => [a.name, b.name])];
}

const recommendedTools = 40;

const mostServerTokens = 10_000;
const mostToolTokens = 1_000;
const heaviestNamed = 3;

function byWeight(tools: readonly ListedTool[]): { readonly name: string; readonly tokens: number }[] {
  return tools
    .map((tool) => ({ name: tool.name, tokens: definitionTokens([tool]) }))
    .sort((a, b) => b.tokens - a.tokens);
}
