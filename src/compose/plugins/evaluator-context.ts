import type { Message } from '../../domain/message.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { type Turn, turnsOf } from '../../domain/turn.ts';
import { caseFiller } from '../../drive/targets/conversation/case-filler.ts';
import type { ConversationConfig } from '../../drive/targets/conversation/conversation-config.ts';
import type { EvaluationContext } from '../../score/evaluators/evaluator.ts';
import type { EvaluatorContext, LastInvocation } from './evaluator-plugin.ts';

/** What a plug-in is shown of a trial: copies, so that nothing it does to them reaches the record. */
export function evaluatorContext(shown: EvaluationContext, config: unknown): EvaluatorContext<unknown> {
  const { trial, trace, turn, isFinal, signal } = shown;
  const conversation = conversationOf(trial);
  const persona = conversation?.personas[trial.variant.persona ?? ''];
  return {
    messages: structuredClone(messagesOf(trial, trace)),
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

function conversationOf({ scenario: { target }, case: { input } }: Trial): ConversationConfig | undefined {
  return target.type === 'conversation' ? caseFiller(target.config as ConversationConfig)(input) : undefined;
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

/** Everything that was said, in order: ours is in events, what the agent said is in its turns. */
function messagesOf(trial: Trial, trace: Trace): Message[] {
  if (eventsOf(trace, 'turn').length === 0) return [asked(trial, trace), ...turnsOf(trace).flatMap(saidIn)];
  return trace.flatMap((event): readonly Message[] => {
    if (event.type === 'turn') return event.messages;
    const isOurs = event.type === 'message' && event.seenBy === 'engine';
    return isOurs ? [{ role: event.role, content: event.text }] : [];
  });
}

/** A tool is asked with its input, an agent with words. */
function asked({ case: { input } }: Trial, trace: Trace): Message {
  const prompt = eventsOf(trace, 'message').find(({ role }) => role === 'user')?.text;
  return { role: 'user', content: prompt ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? '')) };
}

function saidIn({ messages }: Turn): readonly Message[] {
  return messages;
}
