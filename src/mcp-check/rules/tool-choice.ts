import { grouped } from '../../shared/format.ts';
import { definitionTokens } from '../context-cost/context-cost.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import type { Rule } from '../definitions/rule.ts';
import { ambiguousPairs } from './ambiguous-pairs.ts';

/** In the order of the report. */
export const toolChoiceRules: readonly Rule[] = [
  {
    id: 'tools-ambiguous',
    severity: 'warning',
    summary: 'Two tools are hard to distinguish',
    why: 'A model picks between them by chance, since their descriptions and arguments are nearly the same.',
    fix: 'Say in each description when to use it rather than the other, naming the other; or make one tool of both.',
    check: ({ tools }) =>
      ambiguousPairs(tools).map(([a, b]) => ({
        message: `\`${a.name}\` and \`${b.name}\` have nearly the same description and the same required arguments.`,
        tools: [a.name, b.name],
      })),
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

const recommendedTools = 40;

const mostServerTokens = 10_000;
const mostToolTokens = 1_000;
const heaviestNamed = 3;

function byWeight(tools: readonly ListedTool[]): { readonly name: string; readonly tokens: number }[] {
  return tools
    .map((tool) => ({ name: tool.name, tokens: definitionTokens([tool]) }))
    .sort((a, b) => b.tokens - a.tokens);
}
