import * as z from 'zod';
import { UnansweredRequests, unansweredEvents } from '../../../domain/costs.ts';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import type { Model, ModelMessage, ModelReply, ModelRequest } from '../../models/model.ts';
import { encodeData } from '../../models/prompting/encode-data.ts';
import { type Reading, readReply, replyJsonSchema } from '../../models/prompting/read-reply.ts';
import { templateOf } from '../../models/prompting/template.ts';
import { authorTexts, type Part, partOf, personaPrompt } from './persona-prompt.ts';
import repairText from './prompts/persona-repair.v1.md?raw';
import { findBrokenRole, findSuspicions } from './role-check.ts';
import type { NextWords, SoFar, Speaker, SpeakerOptions } from './speaker.ts';

const repairPrompt = templateOf(repairText);

const longestMessage = 20_000;
const maxOutputTokens = 2_000;

const replySchema = z.strictObject({
  reason: z.string(),
  message: z.string().max(longestMessage),
  isDone: z.boolean(),
});
type Reply = z.output<typeof replySchema>;

const output = { name: 'persona_message', schema: replyJsonSchema(replySchema) };

/** A model that plays the user. What keeps it from doing so is never the fault of the agent that it talks to. */
export function personaPlayer({
  config,
  persona,
  repeat,
  signal,
  clock,
  context,
}: SpeakerOptions): Pick<Speaker, 'next'> {
  const part = partOf(persona, config, context.redact ?? ((text) => text));
  const name = persona?.name ?? 'the user';
  return {
    async next(soFar) {
      const events: UnstampedEvent[] = [];
      try {
        const model = await findModel(persona?.model ?? context.personaModel, context.models);
        const asking = { model, part, soFar, signal, clock, seed: repeat, events };
        return wordsOf(await askPersona(asking), asking, name);
      } catch (error) {
        return { kind: 'failure', error: cannotPlay(persona?.name, error, signal), events };
      }
    },
  };
}

interface Asking {
  readonly model: Model;
  readonly part: Part;
  readonly soFar: SoFar;
  readonly signal: AbortSignal;
  readonly clock: SpeakerOptions['clock'];
  readonly seed: number;
  readonly events: UnstampedEvent[];
}

async function findModel(name: string | undefined, models: SpeakerOptions['context']['models']): Promise<Model> {
  if (name !== undefined && models) return (await models()).find(name);
  throw new AssayError('MODEL_NOT_NAMED', 'The persona has no model.', {
    hint: 'Give the persona a `model`, set `models.persona` in the config, or write the messages of the user in `messages` or `userMessages`.',
  });
}

/** Asks once, and once more with what was wrong when the reply cannot be used. */
async function askPersona(asking: Asking): Promise<Reply> {
  const { system, user } = personaPrompt(asking.part, asking.soFar);
  const opening: ModelMessage = { role: 'user', content: user };
  const first = await generate({ system, messages: [opening] }, asking);
  if (first.reading.isReadable) return first.reading.value;
  const { problem } = first.reading;
  asking.events.push({ type: 'notice', message: `The model of the persona was prompted again: ${problem}` });
  // An empty reply is left out: providers refuse messages without content.
  const firstReply: ModelMessage[] = first.text.trim() === '' ? [] : [{ role: 'assistant', content: first.text }];
  const repair: ModelMessage = { role: 'user', content: repairPrompt({ problem: encodeData(problem) }) };
  const second = await generate({ system, messages: [opening, ...firstReply, repair] }, asking);
  if (second.reading.isReadable) return second.reading.value;
  throw new AssayError('MODEL_BAD_REPLY', `${asking.model.name} gave no usable reply: ${second.reading.problem}`, {
    hint: 'Let a stronger model play the persona, or describe it more precisely.',
  });
}

async function generate(
  request: Pick<ModelRequest, 'system' | 'messages'>,
  { model, part, soFar, signal, clock, seed, events }: Asking,
): Promise<{ readonly text: string; readonly reading: Reading<Reply> }> {
  const unanswered = new UnansweredRequests();
  const prompt = { ...request, output, temperature: 0, maxOutputTokens, seed };
  const reply = await model
    .generate(prompt, signal, unanswered, clock)
    .finally(() => events.push(...unansweredEvents(model.name, unanswered.count, 'persona')));
  events.push(keptReply(model, reply), spentOn(model, reply));
  const reading = readReply(reply.text, replySchema, (value) => problemOf(value, soFar, part));
  return { text: reply.text, reading };
}

function problemOf({ message, isDone }: Reply, { messages, seenCount }: SoFar, part: Part): string | undefined {
  if (isDone) return seenCount > 0 ? undefined : '"isDone" must be false: the assistant has not answered yet';
  if (message.trim() === '') return '"message" is empty and "isDone" is false';
  return findBrokenRole(message, messages, authorTexts(part));
}

function wordsOf({ message, isDone, reason }: Reply, { part, soFar, events }: Asking, name: string): NextWords {
  if (isDone) return { kind: 'silence', reason: `${name} is done: ${reason}`, events };
  const suspicions = findSuspicions(message, soFar.messages, authorTexts(part));
  const notices = suspicions.map(
    (suspicion): UnstampedEvent => ({ type: 'notice', message: `${name} may have left its role: ${suspicion}` }),
  );
  return { kind: 'words', text: message, events: [...events, ...notices] };
}

function keptReply(model: Model, { text, usage, costUsd, latencyMs }: ModelReply): UnstampedEvent {
  return { type: 'other', kind: 'persona', data: { model: model.name, reply: text, usage, costUsd, latencyMs } };
}

/** Counts for the trial, and not for the agent under test, whose usage stands in its turns. */
function spentOn({ name }: Model, { usage, costUsd, isReplayed }: ModelReply): UnstampedEvent {
  const { inputTokens, outputTokens } = usage;
  return {
    type: 'usage',
    purpose: 'persona',
    model: name,
    inputTokens,
    outputTokens,
    ...(isReplayed ? { costUsd: 0 } : costUsd !== null && { costUsd }),
  };
}

/** A model that is still thinking when the time of the trial is up is late itself. */
function cannotPlay(name: string | undefined, thrown: unknown, signal: AbortSignal): AssayError {
  const error = signal.aborted
    ? new AssayError('MODEL_TIMEOUT', 'The model did not answer within the time limit.', { cause: thrown })
    : asAssayError(thrown);
  const { code, hint } = error;
  const persona = name === undefined ? 'The simulated user' : `Persona "${name}"`;
  const message =
    code === 'MODEL_NOT_NAMED' ? `${persona} has no model.` : `${persona} could not be played: ${error.message}`;
  return new AssayError(code, message, { hint, cause: error });
}
