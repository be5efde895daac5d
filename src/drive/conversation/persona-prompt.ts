import { type Message, messageText } from '../../domain/message.ts';
import { cutText, encodeData, redactData } from '../models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../models/prompting/fence.ts';
import { templateOf } from '../models/prompting/template.ts';
import type { ConversationConfig, Persona } from './conversation-config.ts';
import rulesText from './prompts/persona.v2.md?raw';
import turnText from './prompts/persona-turn.v2.md?raw';
import type { SoFar } from './speaker.ts';

/** The author's texts for the model that plays the user. */
export interface Part {
  /** Undefined for a user of no particular kind. */
  readonly persona: Persona | undefined;
  readonly instructions: readonly string[];
  readonly redact: (text: string) => string;
}

/** Changes with every change of the wording. */
export const promptVersion = 'persona.v2+persona-turn.v2';

const rules = templateOf(rulesText);
const turnPrompt = templateOf(turnText);

const tokenBudget = 24_000;
const leastTokensOfMessage = 200;

const requests = {
  opening: 'Nothing has been said yet. Begin the conversation; "isDone" must be false.',
  early: 'Go on with the conversation; it has only begun, so "isDone" must be false.',
  reply: 'Reply to what the assistant said last.',
};

/** System messages among the first ones of a conversation are for the one who plays the user. */
export function partOf(
  persona: Persona | undefined,
  { instructions, messages }: Pick<ConversationConfig, 'instructions' | 'messages'>,
  redact: Part['redact'],
): Part {
  const system = messages.filter(({ role }) => role === 'system').map(messageText);
  return { persona, instructions: [...(instructions === undefined ? [] : [instructions]), ...system], redact };
}

/** All texts of the author, as written. */
export function authorTexts({ persona, instructions }: Part): string[] {
  const { name, description, systemPrompt, goal, stopWhen, messages = [], facts = {} } = persona ?? {};
  const texts = [name, description, systemPrompt, goal, stopWhen].filter((text) => text !== undefined);
  return [...texts, ...Object.values(facts), ...messages, ...instructions];
}

/** A call of the user to one of its tools, and after how many messages it was made. */
export interface RememberedCall {
  readonly after: number;
  readonly tool: string;
  readonly input: unknown;
  readonly answer: { readonly result: unknown } | { readonly error: unknown };
}

/** The question to the model: its part outside of the fence, and inside of it all that was said and done. */
export function personaPrompt(
  part: Part,
  { messages, seenCount }: SoFar,
  calls: readonly RememberedCall[] = [],
): { system: string; user: string } {
  const { persona, instructions, redact } = part;
  const lines = spokenLines(messages, calls, redact);
  // Derived from the data: a recorded reply is found by the same prompt.
  const fence = raiseFence(lines, contentNonce);
  const authorText = (text: string | undefined, otherwise: string): string => encodeData(redact(text ?? otherwise));
  const request = seenCount > 0 ? requests.reply : lines.length > 0 ? requests.early : requests.opening;
  return {
    system: rules({ fence: fence.name }),
    user: turnPrompt({
      name: authorText(persona?.name, 'a user'),
      description: authorText(persona?.description, 'an ordinary user of the assistant'),
      systemPrompt: authorText(persona?.systemPrompt, 'naturally'),
      goal: authorText(persona?.goal, 'what the conversation is about'),
      stopWhen: authorText(persona?.stopWhen, 'it has what it wants, or clearly cannot get it'),
      facts: listed(
        Object.entries(persona?.facts ?? {}).map(([name, fact]) => encodeData({ [redact(name)]: redact(fact) })),
      ),
      instructions: listed(instructions.map((text) => authorText(text, ''))),
      conversation: fence.wrap(lines),
      request,
    }),
  };
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? '(none)' : lines.map((line) => `- ${line}`).join('\n');
}

interface SpokenLine {
  /** How many messages of the conversation stand before it. */
  readonly before: number;
  readonly from: 'you' | 'assistant';
  readonly text: string;
}

/** The visible part of the conversation: messages without tool calls of the agent, and the user's own calls. */
function spokenLines(messages: readonly Message[], calls: readonly RememberedCall[], redact: Part['redact']): string[] {
  const spoken = messages.flatMap((message, before): SpokenLine[] => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    return [{ before, from: message.role === 'user' ? 'you' : 'assistant', text: redact(messageText(message)) }];
  });
  const withWords = spoken.filter(({ text }) => text.trim() !== '');
  const isAnswered = spoken.at(-1)?.from === 'assistant';
  if (isAnswered && withWords.at(-1)?.from === 'you')
    withWords.push({ before: messages.length - 1, from: 'assistant', text: '' });
  const share = Math.max(leastTokensOfMessage, tokenBudget / Math.max(1, withWords.length + calls.length));
  const lines = [
    ...withWords.map(({ before, from, text }) => ({ before, line: { from, says: cutText(text, share) ?? text } })),
    ...calls.map((call) => ({ before: call.after - 0.5, line: callLine(call, share, redact) })),
  ];
  return lines.sort((one, other) => one.before - other.before).map(({ line }) => encodeData(line));
}

function callLine({ tool, input, answer }: RememberedCall, share: number, redact: Part['redact']): object {
  const cut = (value: unknown): unknown => {
    const redacted = redactData(value, redact);
    const text = typeof redacted === 'string' ? redacted : (JSON.stringify(redacted) ?? 'null');
    return cutText(text, share / 2) ?? redacted;
  };
  const answered = 'error' in answer ? { error: cut(answer.error) } : { result: cut(answer.result) };
  return { from: 'your tool', tool, input: cut(input), ...answered };
}
