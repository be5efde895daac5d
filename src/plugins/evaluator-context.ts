import type { Message } from '../domain/message.ts';
import { messageText } from '../domain/message.ts';
import { eventsOf, type Trace } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { type Turn, turnsOf } from '../domain/turn.ts';
import type { EvaluationContext } from '../evaluators/evaluator.ts';
import type { ConversationConfig } from '../targets/conversation/conversation-config.ts';
import type { EvaluatorContext, LastInvocation } from './evaluator-plugin.ts';

/** What a plug-in is shown of a trial: copies, so that nothing it does to them reaches the record. */
export function evaluatorContext(shown: EvaluationContext, config: unknown): EvaluatorContext<unknown> {
  const { trial, trace, turn, isFinal, signal } = shown;
  const conversation = conversationOf(trial);
  const persona = conversation?.personas?.[trial.variant.persona ?? ''];
  return {
    messages: structuredClone(messagesOf(trial, trace, conversation)),
    config,
    scenario: {
      name: trial.scenario.name,
      instructions: conversation?.instructions,
      maxMessages: conversation?.maxMessages,
    },
    persona: persona && { name: persona.name, description: persona.description },
    lastInvocation: lastInvocation(turn),
    turn: turn?.number ?? 1,
    isFinal,
    input: structuredClone(trial.case.input),
    expected: structuredClone(trial.case.expected),
    signal,
  };
}

function conversationOf({ scenario: { target } }: Trial): Partial<ConversationConfig> | undefined {
  return target.type === 'conversation' ? (target.config as Partial<ConversationConfig>) : undefined;
}

function lastInvocation(turn: Turn | undefined): LastInvocation {
  if (!turn) return { latencyMs: undefined, messages: [] };
  const { latencyMs, tokenUsage } = turn;
  const answer = { latencyMs, messages: structuredClone([...turn.messages]) };
  if (!tokenUsage) return answer;
  const { input, output, total } = tokenUsage;
  return {
    ...answer,
    tokenUsage: { input, output, total },
    tokensUsage: { input_tokens: input, output_tokens: output, total_tokens: total },
  };
}

/** Everything that was said, in order: what the user said is in events, what the agent said is in its turns. */
function messagesOf(trial: Trial, trace: Trace, conversation: Partial<ConversationConfig> | undefined): Message[] {
  if (eventsOf(trace, 'turn').length === 0) return [asked(trial, trace), ...turnsOf(trace).flatMap(answersOf)];
  const seeds = conversation?.messages ?? [];
  const said = trace.flatMap((event): Message[] => {
    if (event.type === 'turn') return event.messages;
    return event.type === 'message' && event.role === 'user' ? [{ role: 'user', content: event.text }] : [];
  });
  return [...seeds, ...withoutSeeds(said, seeds)];
}

/** A tool is asked with its input, an agent with words. */
function asked({ case: { input } }: Trial, trace: Trace): Message {
  const prompt = eventsOf(trace, 'message').find(({ role }) => role === 'user')?.text;
  return { role: 'user', content: prompt ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')) };
}

function answersOf({ messages }: Turn): readonly Message[] {
  return messages;
}

/** What the user said in the given beginning may have been told as events too. */
function withoutSeeds(said: readonly Message[], seeds: readonly Message[]): readonly Message[] {
  const given = seeds.filter(({ role }) => role === 'user').map(messageText);
  const isTold = given.every((text, index) => said[index]?.role === 'user' && messageText(said[index]) === text);
  return isTold ? said.slice(given.length) : said;
}
