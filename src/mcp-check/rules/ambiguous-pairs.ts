import type { ListedTool } from '../definitions/listed-server.ts';
import { argumentsOf } from '../definitions/tool-arguments.ts';
import { meaningfulWords, nameWords } from '../definitions/words.ts';

const alikeFrom = 0.8;
/** Pairs grow with the square; a server with more tools has other problems first. */
const maxComparedTools = 400;
const fewestWords = 3;
const mostCharacters = 4_000;

/** Pairs of tools that a model can hardly distinguish by what the server says of them. */
export function ambiguousPairs(tools: readonly ListedTool[]): (readonly [ListedTool, ListedTool])[] {
  const compared = tools.slice(0, maxComparedTools).map(lookAt);
  const weightOf = weights(compared);
  return compared.flatMap((a, index) =>
    compared
      .slice(index + 1)
      .filter((b) => areComparable(a, b) && overlap(a.words, b.words, weightOf) >= alikeFrom)
      .map((b) => [a.tool, b.tool] as const),
  );
}

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
