import { grouped } from '../../shared/format.ts';
import { definitionTokens } from '../check-report.ts';
import type { ListedTool } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';
import { argumentsOf } from '../tool-arguments.ts';
import { meaningfulWords, nameWords } from '../words.ts';

const alikeFrom = 0.8;
/** Pairs grow with the square; a server with more tools has other problems first. */
const maxComparedTools = 400;
const fewestWords = 3;
const mostCharacters = 4_000;

/** Pairs of tools that a model can hardly distinguish. */
export const toolsAmbiguous: Rule = {
  id: 'tools-ambiguous',
  severity: 'warning',
  summary: 'Two tools are hard to distinguish',
  why: 'A model picks between them by chance, since their descriptions and arguments are nearly the same.',
  fix: 'Say in each description when to use it rather than the other, naming the other; or make one tool of both.',
  check({ tools }) {
    const compared = tools.slice(0, maxComparedTools).map(lookAt);
    const weightOf = weights(compared);
    return compared.flatMap((a, index) =>
      compared.slice(index + 1).flatMap((b): Finding[] => {
        const likeness = areComparable(a, b) ? overlap(a.words, b.words, weightOf) : 0;
        if (likeness < alikeFrom) return [];
        const message = `\`${a.tool.name}\` and \`${b.tool.name}\` have nearly the same description and the same required arguments.`;
        return [{ message, tools: [a.tool.name, b.tool.name] }];
      }),
    );
  },
};

interface Look {
  readonly tool: ListedTool;
  readonly words: ReadonlySet<string>;
  readonly required: string;
}

function lookAt(tool: ListedTool): Look {
  const required = argumentsOf(tool).filter(({ isRequired }) => isRequired);
  return {
    tool,
    words: new Set(meaningfulWords(tool.description.slice(0, mostCharacters))),
    required: required
      .map(({ name }) => name)
      .sort()
      .join(),
  };
}

function areComparable(a: Look, b: Look): boolean {
  if (a.tool.name === b.tool.name || a.required !== b.required) return false;
  if (a.words.size < fewestWords || b.words.size < fewestWords) return false;
  return !mentions(a.tool, b.tool) && !mentions(b.tool, a.tool) && !areNamedApart(a, b);
}

/** A description that names the other tool distinguishes them. */
function mentions(a: ListedTool, b: ListedTool): boolean {
  return new RegExp(`(?<![\\w-])${b.name.replace(/[^\w]/g, '\\$&')}(?![\\w-])`).test(
    a.description.slice(0, mostCharacters),
  );
}

/** Words that differ in the names differ in the descriptions as well: `create_user` creates and `delete_user` deletes. */
function areNamedApart(a: Look, b: Look): boolean {
  const own = (one: Look, other: Look): string[] => {
    const others = new Set(nameWords(other.tool.name));
    return meaningfulWords(
      nameWords(one.tool.name)
        .filter((word) => !others.has(word))
        .join(' '),
    );
  };
  const hasDistinguishingWord = (one: Look, other: Look): boolean =>
    own(one, other).some((word) => one.words.has(word) && !other.words.has(word));
  return hasDistinguishingWord(a, b) || hasDistinguishingWord(b, a);
}

/** Words that most descriptions of a server share say little about one tool. */
function weights(looks: readonly Look[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const { words } of looks) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + looks.length / (counts.get(word) ?? 1));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>, weightOf: (word: string) => number): number {
  const sum = (words: Iterable<string>): number => [...words].reduce((total, word) => total + weightOf(word), 0);
  const all = sum(new Set([...a, ...b]));
  return all === 0 ? 0 : sum([...a].filter((word) => b.has(word))) / all;
}

const recommendedTools = 40;

/** Servers with more tools than a model can choose among. */
export const toolsTooMany: Rule = {
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
};

const mostServerTokens = 10_000;
const mostToolTokens = 1_000;
const heaviestNamed = 3;

/** Servers whose definitions take a large part of every request. */
export const definitionsHeavy: Rule = {
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
};

/** Single tools whose definition is out of proportion. */
export const toolDefinitionHeavy: Rule = {
  id: 'tool-definition-heavy',
  severity: 'info',
  summary: 'The definition of the tool takes very many tokens',
  why: 'Every request to a model pays for it, whether the tool is used or not.',
  fix: 'Move rarely used arguments to another tool, and long explanations to a resource or to the instructions.',
  check: ({ tools }) =>
    byWeight(tools)
      .filter(({ tokens }) => tokens > mostToolTokens)
      .map(({ name, tokens }) => ({ message: `About ${grouped(tokens)} tokens of every request.`, tools: [name] })),
};

function byWeight(tools: readonly ListedTool[]): { readonly name: string; readonly tokens: number }[] {
  return tools
    .map((tool) => ({ name: tool.name, tokens: definitionTokens([tool]) }))
    .sort((a, b) => b.tokens - a.tokens);
}
