import { capitalized } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
import { pick, type Random, seededRandom } from '../../shared/seeded-random.ts';
import { type Arguments, validArguments } from '../arguments/call-arguments.ts';
import { type CheckableSchema, checkableSchema, fits } from '../arguments/schema-parts.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import { nameWords } from '../definitions/words.ts';
import { wishFor } from './wish.ts';

/** A request of a user that one tool of a server is meant for. */
export interface ToolPrompt {
  readonly tool: string;
  readonly text: string;
  /** The values that the text mentions; they fit the schema of the tool. */
  readonly arguments: Arguments;
}

interface PromptRequest {
  /** How many are wanted; there are fewer where the tool does not have as many different ones. */
  readonly count: number;
  readonly seed: number;
  /** Names of all tools of the server, which no prompt mentions. */
  readonly toolNames: readonly string[];
  /** What users want, where it is more than the first sentence of the description. */
  readonly wishes?: readonly string[] | undefined;
  /** Arguments that are known to work. */
  readonly known?: readonly Arguments[] | undefined;
}

type Phrase = (wish: string, values: string) => string;

/** Ways in which users say what they want. */
const phrases: readonly Phrase[] = [
  (wish, values) => `Please ${wish}${values}.`,
  (wish, values) => `Can you ${wish}${values}?`,
  (wish, values) => `I need you to ${wish}${values}.`,
  (wish, values) => `${capitalized(wish)}${values}, and tell me the result.`,
  (wish, values) => `I want you to ${wish}${values}. Keep the answer short.`,
  (wish, values) => `Could you help me? You have to ${wish}${values}.`,
  (wish, values) => `${capitalized(wish)}${values}.`,
  (wish, values) => `What do you get if you ${wish}${values}?`,
];

/** Other values for those that the sampler makes for every argument of a kind. */
const otherValues: Readonly<Record<string, readonly string[]>> = {
  '.': ['notes.txt', 'report.md', 'data/input.csv', 'src'],
  Berlin: ['Oslo', 'Lima', 'Nairobi', 'Osaka'],
  Ada: ['Grace', 'Linus', 'Margaret', 'Alan'],
  weather: ['invoices', 'release notes', 'open orders', 'train times'],
  Hello: ['Good morning', 'See you at noon', 'The build is green', 'Thank you'],
  '1': ['17', '42', '108', '2043'],
  example: ['alpha', 'river', 'spring', 'north'],
};
const originalShare = 0.2;
const setsPerPhrase = 2;
const longestValue = 80;

/** Requests for one tool, made of its description and its schema; the same for the same seed. */
export function toolPrompts(tool: ListedTool, request: PromptRequest): ToolPrompt[] {
  const { count, seed, toolNames, known = [], wishes = [wishFor(tool, toolNames)] } = request;
  const random = seededRandom(seed);
  const schema = isRecord(tool.inputSchema) ? checkableSchema(tool.inputSchema) : undefined;
  const sets = schema ? validArguments(schema, Math.ceil(count / setsPerPhrase), random, known) : [];
  const prompts = new Map<string, ToolPrompt>();
  const tries = count * phrases.length * wishes.length;
  for (let index = 0; prompts.size < count && index < tries; index++) {
    const chosen = sets[index % Math.max(1, sets.length)] ?? {};
    const given = schema ? varied(chosen, schema, random) : chosen;
    const phrase = phrases[index % phrases.length] as Phrase;
    // Every wish comes with every phrase, also where one number divides the other.
    const wish = wishes[(index + Math.floor(index / phrases.length)) % wishes.length] ?? '';
    const text = phrase(wish, valuesText(given));
    if (!prompts.has(text)) prompts.set(text, { tool: tool.name, text, arguments: given });
  }
  return [...prompts.values()];
}

/** The same arguments with other texts, where the schema allows them. */
function varied(args: Arguments, schema: CheckableSchema, random: Random): Arguments {
  let result = args;
  for (const [name, value] of Object.entries(args)) {
    const others = typeof value === 'string' ? otherValues[value] : undefined;
    if (!others || random() < originalShare) continue;
    const candidate = { ...result, [name]: pick(others, random) };
    if (fits(schema, candidate)) result = candidate;
  }
  return result;
}

function valuesText(args: Arguments): string {
  const parts = Object.entries(args).map(([name, value]) => `${nameWords(name).join(' ')} ${shown(value)}`);
  if (parts.length === 0) return '';
  const last = parts.at(-1) ?? '';
  return ` with ${parts.length === 1 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)} …`;
}
