import * as z from 'zod';
import { UnansweredRequests, unansweredEvents } from '../../domain/costs.ts';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { EmitTrace, UnstampedEvent } from '../../domain/trace.ts';
import type { Model, ModelMessage, ModelReply, ModelRequest, ModelToolCall } from '../models/model.ts';
import { spentOnPersona } from '../models/persona-usage.ts';
import { encodeData } from '../models/prompting/encode-data.ts';
import { readReply, replyJsonSchema } from '../models/prompting/read-reply.ts';
import { templateOf } from '../models/prompting/template.ts';
import { authorTexts, type Part, partOf, personaPrompt, promptVersion } from './persona-prompt.ts';
import repairText from './prompts/persona-repair.v1.md?raw';
import { findBrokenRole, findSuspicions } from './role-check.ts';
import type { NextWords, SoFar, Speaker, SpeakerOptions } from './speaker.ts';
import { UserTools } from './user-tools.ts';

const repairPrompt = templateOf(repairText);

const longestMessage = 20_000;
const maxOutputTokens = 2_000;

const requestedSchema = z.object({
  reason: z.string(),
  message: z.string().max(longestMessage),
  isDone: z.boolean(),
  ending: z.enum(['none', 'goal-reached', 'gave-up']),
});
/** A user that does not say how it leaves is done, and nothing more is known. */
const acceptedSchema = requestedSchema.partial({ ending: true });
type Reply = z.output<typeof acceptedSchema>;

const output = { name: 'persona_message', schema: replyJsonSchema(requestedSchema) };

/** A model that plays the user. What keeps it from doing so is never the fault of the agent that it talks to. */
export function personaPlayer(options: SpeakerOptions): Pick<Speaker, 'next'> {
  const { config, persona, repeat, signal, clock, context } = options;
  const redact = context.redact ?? ((text: string) => text);
  const part = partOf(persona, config, redact);
  const name = persona?.name ?? 'the user';
  let opened: Promise<UserTools | undefined> | undefined;
  let isIntroduced = false;
  let events: UnstampedEvent[] = [];
  return {
    async next(soFar) {
      events = [];
      try {
        const model = await findModel(persona?.model ?? context.personaModel, context.models);
        opened ??= openTools(options, (event) => events.push(event));
        const tools = await opened;
        if (!isIntroduced) events.push(introduction(name, part, model, tools));
        isIntroduced = true;
        const asking = { model, part, soFar, signal, clock, seed: repeat, events, tools, redact };
        const reply = await askPersona(asking);
        await tools?.assertUnchanged(signal);
        return wordsOf(reply, asking, name);
      } catch (error) {
        return { kind: 'failure', error: cannotPlay(persona?.name, error, signal), events };
      }
    },
  };
}

async function openTools(
  { toolbox, standIn, persona, signal }: SpeakerOptions,
  emit: EmitTrace,
): Promise<UserTools | undefined> {
  if (!toolbox || !persona?.toolLoop) return undefined;
  const tools = await (await toolbox()).begin(signal, 'user', emit, standIn);
  return new UserTools(tools, persona.toolLoop.maxRounds);
}

function introduction(
  name: string,
  { persona, instructions }: Part,
  model: Model,
  tools: UserTools | undefined,
): UnstampedEvent {
  const { description, systemPrompt, goal, stopWhen, facts } = persona ?? {};
  return {
    type: 'simulated-user',
    name,
    model: model.name,
    promptVersion,
    brief: { description, systemPrompt, goal, stopWhen, facts, instructions: [...instructions] },
    tools: tools?.offered.map((tool) => tool.name) ?? [],
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
  readonly tools: UserTools | undefined;
  redact(text: string): string;
}

async function findModel(name: string | undefined, models: SpeakerOptions['context']['models']): Promise<Model> {
  if (name !== undefined && models) return (await models()).find(name);
  throw new AssayError('MODEL_NOT_NAMED', 'The persona has no model.', {
    hint: 'Give the persona a `model`, set `models.persona` in the config, or write the messages of the user in `messages` or `userMessages`.',
  });
}

/** The next step of the user: it says something or leaves, or it uses its tools first. */
type Step = { readonly reply: Reply } | { readonly calls: readonly ModelToolCall[] };

/** Prompts the model, and again with the results of the tools that it called, until it says something. */
async function askPersona(asking: Asking): Promise<Reply> {
  const { tools, soFar, signal, events, model } = asking;
  const maxRounds = tools?.maxRounds ?? 1;
  for (let round = 1; round <= maxRounds; round++) {
    const step = await askOnce(asking);
    if ('reply' in step) return step.reply;
    if (tools && round < maxRounds) events.push(...(await tools.run(step.calls, soFar.messages.length, signal)));
  }
  const times = maxRounds === 1 ? 'once' : `${maxRounds} times`;
  throw new AssayError(
    'MODEL_BAD_REPLY',
    `${model.name} was prompted ${times} for one message and still called tools.`,
    {
      hint: 'Read the calls in the trace to see why the user says nothing, or raise `toolLoop.maxRounds` of the user.',
    },
  );
}

/** Asks once, and once more with what was wrong when the reply cannot be used. */
async function askOnce(asking: Asking): Promise<Step> {
  const { part, soFar, tools, model, events } = asking;
  const { system, user } = personaPrompt(part, soFar, tools?.calls);
  const opening: ModelMessage = { role: 'user', content: user };
  const first = await generate({ system, messages: [opening] }, asking);
  if (first.step) return first.step;
  events.push({ type: 'notice', message: `The model of the persona was prompted again: ${first.problem}` });
  // An empty reply is left out: providers refuse messages without content.
  const text = asking.redact(first.text);
  const firstReply: ModelMessage[] = text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  const problem = encodeData(asking.redact(first.problem));
  const repair: ModelMessage = { role: 'user', content: repairPrompt({ problem }) };
  const second = await generate({ system, messages: [opening, ...firstReply, repair] }, asking);
  if (second.step) return second.step;
  throw new AssayError('MODEL_BAD_REPLY', `${model.name} gave no usable reply: ${second.problem}`, {
    hint: 'Let a stronger model play the persona, or describe it more precisely.',
  });
}

type Generated =
  | { readonly step: Step }
  | { readonly step?: undefined; readonly text: string; readonly problem: string };

async function generate(
  request: Pick<ModelRequest, 'system' | 'messages'>,
  { model, part, soFar, signal, clock, seed, events, tools }: Asking,
): Promise<Generated> {
  const unanswered = new UnansweredRequests();
  // Some providers cannot offer tools and enforce the form of the answer at the same time.
  const form = tools ? { tools: tools.offered } : { output };
  const prompt = { ...request, ...form, temperature: 0, maxOutputTokens, seed };
  const reply = await model
    .generate(prompt, signal, unanswered, clock)
    .finally(() => events.push(...unansweredEvents(model.name, unanswered.count, 'persona')));
  events.push(keptReply(model, reply), spentOnPersona(model, reply));
  if (tools && reply.toolCalls.length > 0) return { step: { calls: reply.toolCalls } };
  const reading = readReply(reply.text, acceptedSchema, (value) => problemOf(value, soFar, part));
  return reading.isReadable ? { step: { reply: reading.value } } : { text: reply.text, problem: reading.problem };
}

function problemOf(reply: Reply, { messages, seenCount }: SoFar, part: Part): string | undefined {
  const { message, isDone, ending } = reply;
  if (isDone && seenCount === 0) return '"isDone" must be false: the assistant has not answered yet';
  if (isDone && part.persona?.persists && ending !== 'goal-reached')
    return '"isDone" must be false: the user has not got what it wants';
  if (isDone) return undefined;
  if (message.trim() === '') return '"message" is empty and "isDone" is false';
  return findBrokenRole(message, messages, authorTexts(part));
}

function wordsOf(reply: Reply, { part, soFar, events }: Asking, name: string): NextWords {
  const { message, isDone, reason, ending = 'none' } = reply;
  if (isDone) {
    const end = { why: ending === 'none' ? 'user-done' : ending, reason: `${name} is done: ${reason}` } as const;
    return { kind: 'silence', end, events };
  }
  const suspicions = findSuspicions(message, soFar.messages, authorTexts(part));
  const notices = suspicions.map(
    (suspicion): UnstampedEvent => ({ type: 'notice', message: `${name} may have left its role: ${suspicion}` }),
  );
  return { kind: 'words', text: message, events: [...events, ...notices] };
}

function keptReply(model: Model, { text, toolCalls, usage, costUsd, latencyMs }: ModelReply): UnstampedEvent {
  const calls = toolCalls.length > 0 ? { toolCalls } : {};
  return {
    type: 'other',
    kind: 'persona',
    data: { model: model.name, reply: text, ...calls, usage, costUsd, latencyMs },
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
