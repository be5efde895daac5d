import { UnansweredRequests, unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Model, ModelMessage } from '../models/model.ts';
import { readReply } from '../models/prompting/read-reply.ts';
import type { Part, PlayedCall } from './simulated-replies.ts';
import { repairPrompt, type SimulationPrompt, simulationPrompt } from './simulation-prompt.ts';

const maxOutputTokens = 8_000;

/** A call that a model is to answer, and all that it is to know. */
export interface PlayerRequest<Answer> extends Omit<SimulationPrompt, 'form'> {
  readonly part: Part<Answer>;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly emit: EmitTrace;
}

/** Prompts once, and once more with what was wrong when the reply cannot be used. */
export async function promptPlayer<Answer>(model: Model, request: PlayerRequest<Answer>): Promise<PlayedCall<Answer>> {
  const { part, call, emit, redact } = request;
  const { system, user } = simulationPrompt({ ...request, form: part });
  const opening: ModelMessage = { role: 'user', content: user };
  const first = await generate(model, { system, messages: [opening] }, request);
  if (first.played) return first.played;
  emit({ type: 'notice', message: `The model that plays ${call.tool} was prompted again: ${first.problem}` });
  // An empty reply is left out: providers refuse messages without content.
  const text = redact(first.text);
  const reply: ModelMessage[] = text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  const repair: ModelMessage = { role: 'user', content: repairPrompt(redact(first.problem)) };
  const second = await generate(model, { system, messages: [opening, ...reply, repair] }, request);
  if (second.played) return second.played;
  throw new AssayError('MODEL_BAD_REPLY', `${model.name} gave no usable answer: ${second.problem}`, {
    hint: 'Let a stronger model play the tool, or describe it more precisely in `instructions`.',
  });
}

type Generated<Answer> =
  | { readonly played: PlayedCall<Answer> }
  | { readonly played?: undefined; readonly text: string; readonly problem: string };

async function generate<Answer>(
  model: Model,
  given: { readonly system: string; readonly messages: readonly ModelMessage[] },
  { part, definition, signal, seed, emit }: PlayerRequest<Answer>,
): Promise<Generated<Answer>> {
  const unanswered = new UnansweredRequests();
  const prompt = { ...given, temperature: 0, maxOutputTokens, seed };
  const noteUnanswered = (): void => {
    for (const event of unansweredEvents(model.name, unanswered.count, 'simulation')) emit(event);
  };
  // At once: a trial that is stopped is over before the model lets go.
  signal.addEventListener('abort', noteUnanswered);
  try {
    const { text, usage, costUsd, isReplayed } = await model.generate(prompt, signal, unanswered);
    const { inputTokens, outputTokens } = usage;
    const cost = isReplayed ? { costUsd: 0 } : costUsd !== null && { costUsd };
    emit({ type: 'usage', purpose: 'simulation', model: model.name, inputTokens, outputTokens, ...cost });
    const reading = readReply(text, part.schema, ({ answer }) => part.problemOf(answer, definition));
    return reading.isReadable ? { played: reading.value } : { text, problem: reading.problem };
  } finally {
    signal.removeEventListener('abort', noteUnanswered);
    if (!signal.aborted) noteUnanswered();
  }
}
