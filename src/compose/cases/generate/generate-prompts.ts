import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { meaningfulWords, nameWords } from '../../../mcp-check/definitions/words.ts';
import { ambiguousPairs } from '../../../mcp-check/rules/ambiguous-pairs.ts';
import { capitalized } from '../../../shared/format.ts';
import { printable, shorten } from '../../../shared/text.ts';
import { generateCalls } from './generate-calls.ts';
import { type Arguments, type GeneratedPrompt, type ToolSurface, usableTools } from './generated-case.ts';

/** Requests for each tool in several wordings, for pairs that are hard to distinguish, and for no tool at all. */
export function generatePrompts(surface: ToolSurface): GeneratedPrompt[] {
  const tools = usableTools(surface);
  const pairs = ambiguousPairs(tools);
  // A description that fits two tools does not say which of them should be used.
  const distinct = tools.filter((tool) => !pairs.some((pair) => pair.includes(tool)));
  return [
    ...distinct.flatMap(promptsFor),
    ...pairs.flatMap(([a, b]) => [apart(a, b), apart(b, a)]),
    ...negativePrompts(surface.tools),
  ];
}

function promptsFor(tool: ListedTool): GeneratedPrompt[] {
  const args = usualArguments(tool);
  if (args === undefined) return [];
  const task = taskOf(tool);
  const given = givenText(args);
  const plain = { tool: tool.name, args: plainArguments(args) };
  const wordings = [`Could you ${lowerFirst(task)}${given}?`, `I need help with this: ${lowerFirst(task)}${given}.`];
  return [
    { ...plain, label: 'use', title: 'in plain words', text: `${task}${given}.` },
    ...wordings.map((text, index) => ({ ...plain, label: 'paraphrase' as const, title: `wording ${index + 2}`, text })),
  ];
}

function usualArguments(tool: ListedTool): Arguments | undefined {
  return generateCalls(tool).find(({ label }) => label === 'usual')?.args;
}

const longestTask = 200;

/** The first sentence of a description as a request: `Adds two numbers.` is `Add two numbers`. */
function taskOf({ name, description }: ListedTool): string {
  const [sentence = ''] = printable(description)
    .trim()
    .split(/(?<=[.!?])\s/);
  const [verb = '', ...rest] = sentence.replace(/[.!?:]+$/, '').split(' ');
  const bare = bareVerb(verb);
  if (bare === undefined || rest.length === 0) return capitalized(nameWords(name).join(' '));
  return shorten([capitalized(bare), ...rest].join(' ').replace(/ and returns? .*$/i, ''), longestTask);
}

/** `Searches` is `search`; undefined for a word that does not end like a verb in the third person. */
function bareVerb(word: string): string | undefined {
  if (!/^[A-Za-z]+$/.test(word)) return undefined;
  const lower = word.toLowerCase();
  if (
    /^(?:get|list|find|show|add|create|read|search|fetch|look|count|check|convert|calculate|return|set|send)$/.test(
      lower,
    )
  )
    return lower;
  if (/ies$/.test(lower)) return lower.replace(/ies$/, 'y');
  if (/(?:ch|sh|x|ss|zz)es$/.test(lower)) return lower.slice(0, -2);
  return /[^s]s$/.test(lower) && lower !== 'this' ? lower.slice(0, -1) : undefined;
}

const longestValue = 80;

/** Values that a request can name in a sentence. */
function plainArguments(args: Arguments): Arguments | undefined {
  const plain = Object.entries(args).filter(([, value]) => isSayable(value));
  return plain.length === 0 ? undefined : Object.fromEntries(plain);
}

function isSayable(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value.length <= longestValue;
  return typeof value === 'number' || typeof value === 'boolean';
}

function givenText(args: Arguments): string {
  const parts = Object.entries(plainArguments(args) ?? {}).map(
    ([name, value]) => `${nameWords(name).join(' ')} ${JSON.stringify(value)}`,
  );
  const [last] = parts.slice(-1);
  if (last === undefined) return '';
  return `, with ${parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`}`;
}

/** A request in the words of one name, which the other tool must not be used for. */
function apart(tool: ListedTool, other: ListedTool): GeneratedPrompt {
  const args = usualArguments(tool) ?? {};
  const words = capitalized(nameWords(tool.name).join(' '));
  return {
    label: 'ambiguous',
    title: `rather than ${other.name}`,
    text: `${words}${givenText(args)}.`,
    tool: tool.name,
    avoids: other.name,
  };
}

const unrelated = [
  'Say hello to me in one short sentence.',
  'Thank you, that was all for today.',
  'Which colour do you get from blue and yellow paint?',
  'Write a haiku about autumn leaves.',
  'Explain in one sentence why the sky is blue.',
  'Give me a synonym of "quick".',
];
const negatives = 3;

/** Requests that none of the tools is for; those are left out that share a word with one of them. */
function negativePrompts(tools: readonly ListedTool[]): GeneratedPrompt[] {
  const words = new Set(tools.flatMap(({ name, description }) => meaningfulWords(`${name} ${description}`)));
  const foreign = unrelated.filter((text) => !meaningfulWords(text).some((word) => words.has(word)));
  return foreign.slice(0, negatives).map((text, index) => ({
    label: 'negative',
    title: `no tool should be used ${index + 1}`,
    text,
    tool: undefined,
  }));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
