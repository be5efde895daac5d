import { type Message, messageText } from '../../../domain/message.ts';
import { cutText, encodeData } from '../../models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../../models/prompting/fence.ts';
import { templateOf } from '../../models/prompting/template.ts';
import type { ConversationConfig, Persona } from './conversation-config.ts';
import rulesText from './prompts/persona.v1.md?raw';
import turnText from './prompts/persona-turn.v1.md?raw';
import type { SoFar } from './speaker.ts';

/** The author's texts for the model that plays the user. */
export interface Part {
  /** Undefined for a user of no particular kind. */
  readonly persona: Persona | undefined;
  readonly instructions: readonly string[];
  readonly redact: (text: string) => string;
}

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
  const { name, description, systemPrompt, goal, stopWhen, messages = [] } = persona ?? {};
  const texts = [name, description, systemPrompt, goal, stopWhen].filter((text) => text !== undefined);
  return [...texts, ...messages, ...instructions];
}

/** The question to the model: its part outside of the fence, and inside of it all that was said. */
export function personaPrompt(part: Part, { messages, seenCount }: SoFar): { system: string; user: string } {
  const { persona, instructions, redact } = part;
  const lines = spokenLines(messages, redact);
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
      instructions:
        instructions.length === 0 ? '(none)' : instructions.map((text) => `- ${authorText(text, '')}`).join('\n'),
      conversation: fence.wrap(lines),
      request,
    }),
  };
}

/** The visible part of the conversation: messages, without tool calls and their results. */
function spokenLines(messages: readonly Message[], redact: Part['redact']): string[] {
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const redacted = spoken.map((message) => ({ role: message.role, text: redact(messageText(message)) }));
  const withWords = redacted.filter(({ text }) => text.trim() !== '');
  const isAnswered = redacted.at(-1)?.role === 'assistant';
  if (isAnswered && withWords.at(-1)?.role === 'user') withWords.push({ role: 'assistant', text: '' });
  const share = Math.max(leastTokensOfMessage, tokenBudget / Math.max(1, withWords.length));
  return withWords.map(({ role, text }) =>
    encodeData({ from: role === 'user' ? 'you' : 'assistant', says: cutText(text, share) ?? text }),
  );
}
