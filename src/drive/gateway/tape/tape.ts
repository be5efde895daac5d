import * as z from 'zod';
import { modelApiSchema } from '../../../domain/trace-schema.ts';
import { variantSchema } from '../../../domain/variant.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';

const pieceSchema = z.strictObject({ event: z.string().optional(), data: z.unknown() });

/** A reply as it was recorded, with the folders of the trial by their names. */
export const tapedReplySchema = z.strictObject({
  /** Null: there was none. */
  status: z.int().nullable(),
  headers: z.record(z.string(), z.string()),
  /** `cut`: the provider broke it off, or never answered; `left`: the agent did not wait for its end. */
  ending: z.enum(['whole', 'cut', 'left']),
  /** Why there is not a whole reply. */
  error: z.string().optional(),
  /** Of a stream, in order, without their times. */
  pieces: z.array(pieceSchema).optional(),
  /** Otherwise: its JSON value, or its text. */
  body: z.unknown().optional(),
});
export type TapedReply = z.output<typeof tapedReplySchema>;

/** A normalised request, by its differences to that of an earlier call. */
export const tapedRequestSchema = z.strictObject({
  /** Fields that are not given are those of this call. */
  like: z.int().min(1).optional(),
  /** How many of its first messages are the same. */
  sameMessages: z.int().min(0).optional(),
  /** Its fields that this request does not have. */
  without: z.array(z.string()).optional(),
  fields: z.record(z.string(), z.unknown()),
  messages: z.array(z.unknown()),
});

const tapedCallSchema = z.strictObject({
  number: z.int().min(1),
  api: modelApiSchema,
  request: tapedRequestSchema,
  reply: tapedReplySchema,
});

const exchangeRequestSchema = z.strictObject({ method: z.string(), path: z.string(), body: z.unknown() });

/** A request other than a call for a reply, such as one for the list of models. */
const tapedExchangeSchema = z.strictObject({ request: exchangeRequestSchema, reply: tapedReplySchema });
export type TapedExchange = z.output<typeof tapedExchangeSchema>;

/** Every part of the variant belongs to it: two arms never share a recording. */
const tapedTrialSchema = z.strictObject({
  ...variantSchema.shape,
  scenario: z.string(),
  case: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  guidance: z.string().nullable(),
  repeat: z.int(),
});
/** The trial that a recording belongs to: the same one in every run. */
export type TapedTrial = z.output<typeof tapedTrialSchema>;

/** Everything that an agent and its providers sent each other in one trial, as it is kept in a file. */
export const tapeSchema = z
  .strictObject({
    version: z.literal(1),
    trial: tapedTrialSchema,
    agentVersion: z.string().nullable(),
    recordedAt: z.iso.datetime(),
    /** Long texts of requests and definitions of tools are digests. */
    hasDigests: z.boolean().optional(),
    callCount: z.int().min(0),
    calls: z.array(tapedCallSchema),
    exchanges: z.array(tapedExchangeSchema),
  })
  .refine(({ calls, callCount }) => calls.length === callCount, {
    path: ['calls'],
    message: 'it does not have as many calls as `callCount` says',
  })
  .refine(
    ({ calls }) => calls.every(({ number, request: { like = 0 } }, index) => number > like && number === index + 1),
    {
      path: ['calls'],
      message: 'a call is missing, or its request is like that of a later one',
    },
  );
export type TapeFile = z.output<typeof tapeSchema>;

/** One call with its whole request. */
export interface TapedCall extends Omit<TapeFile['calls'][number], 'request'> {
  readonly request: ComparedRequest;
}

type NumberedRequest = Pick<TapedCall, 'number' | 'api' | 'request'>;
export type TapedRequest = z.output<typeof tapedRequestSchema>;

/** Calls as they are kept: a conversation repeats everything before it, and a file holds each part once. */
export function packCalls(calls: readonly TapedCall[]): TapeFile['calls'] {
  return calls.map((call, index) => ({ ...call, request: packedAfter(calls.slice(0, index), call) }));
}

/** A request by its differences to that of the call before it that begins like it for longest. */
export function packedAfter(earlier: readonly NumberedRequest[], { api, request }: NumberedRequest): TapedRequest {
  const texts = request.messages.map((message) => JSON.stringify(message));
  let best: { readonly like: NumberedRequest; readonly same: number } | undefined;
  for (const like of earlier) {
    if (like.api !== api) continue;
    const same = sameStart(like.request.messages, texts);
    if (same > 0 && same >= (best?.same ?? 1)) best = { like, same };
  }
  return best ? packed(request, best.like, best.same) : { ...request, messages: [...request.messages] };
}

function packed({ fields, messages }: ComparedRequest, { number, request }: NumberedRequest, same: number) {
  const without = Object.keys(request.fields).filter((name) => !(name in fields));
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(request.fields[name]),
  );
  return {
    like: number,
    sameMessages: same,
    ...(without.length === 0 ? {} : { without }),
    fields: Object.fromEntries(changed),
    messages: messages.slice(same),
  };
}

function sameStart(before: readonly unknown[], texts: readonly string[]): number {
  const shorter = Math.min(before.length, texts.length);
  let same = 0;
  while (same < shorter && JSON.stringify(before[same]) === texts[same]) same++;
  return same;
}

/** Calls with their whole requests. */
export function unpackCalls(calls: TapeFile['calls']): TapedCall[] {
  const unpacked: TapedCall[] = [];
  for (const call of calls) unpacked.push({ ...call, request: wholeRequest(call.request, unpacked) });
  return unpacked;
}

/** `earlier`: the calls before it, from the first. */
export function wholeRequest(
  { like, sameMessages = 0, without = [], fields, messages }: TapedRequest,
  earlier: readonly Pick<TapedCall, 'request'>[],
): ComparedRequest {
  const before = like === undefined ? undefined : earlier[like - 1]?.request;
  const kept = Object.entries(before?.fields ?? {}).filter(([name]) => !without.includes(name));
  return {
    fields: { ...Object.fromEntries(kept), ...fields },
    messages: [...(before?.messages.slice(0, sameMessages) ?? []), ...messages],
  };
}
