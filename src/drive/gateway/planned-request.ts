import { isRecord, parseJson } from '../../shared/json.ts';
import type { Codec, JsonObject, ReceivedRequest } from '../wire/codec.ts';
import type { CallPermit, ReplyOrigin } from './allowance.ts';
import { decodedRequest } from './captured-reply.ts';
import { type BegunCall, type GatewaySession, priceNames } from './gateway-session.ts';
import { RefusedRequest } from './route.ts';

/** A call as it is passed on, and the parts of it that are known before it is. */
export interface PlannedRequest {
  readonly pathname: string;
  readonly body: Buffer;
  /** Undefined where the body need not be read before it is sent. */
  readonly read: ReadRequest | undefined;
  readonly sentAs: string | undefined;
  /** Whether the body differs from the agent's, which then must not claim the agent's encoding. */
  readonly isChanged: boolean;
  readonly assertCovers: CallPermit['assertCovers'];
  readonly settle: CallPermit['settle'];
}

/** A request that was understood. */
export interface ReadRequest {
  readonly request: ReceivedRequest;
  readonly thread: number;
}

interface ReceivedCall {
  readonly session: GatewaySession;
  readonly call: BegunCall;
  readonly pathname: string;
  readonly body: Buffer;
  readonly encoding: string;
  readonly signal: AbortSignal;
  readonly origin: ReplyOrigin;
}

/** Pins the model and keeps the limits of a call; without either, it is passed on as it is, and read later. */
export async function planRequest(received: ReceivedCall): Promise<PlannedRequest> {
  const { session, call, pathname, body } = received;
  const { pinnedModel, maxTurns } = session.options;
  const asIs = { pathname, body, read: undefined, sentAs: undefined, isChanged: false, ...unlimited };
  const mustRead = pinnedModel !== undefined || maxTurns !== undefined || session.allowance.isLimited;
  if (!mustRead) return asIs;
  const parsed = parseCall(body, received.encoding);
  if (!parsed) throw new RefusedRequest(400, 'The body of the request is not a JSON object that can be read.');
  const read = readRequest(session, call.api, parsed, pathname);
  session.assertTurnLeft(read.thread);
  const sentAs = pinnedModel === read.request.model ? undefined : pinnedModel;
  const pinned = sentAs === undefined ? { body: parsed, pathname } : call.api.withModel(parsed, pathname, sentAs);
  const models = priceNames(sentAs ?? read.request.model, call.api);
  const planned = { models, body, ...read };
  const permit = await session.allowance.reserve(planned, received.signal, received.origin);
  const { maxOutputTokens, assertCovers, settle } = permit;
  const wanted = read.request.maxOutputTokens;
  if (maxOutputTokens !== undefined && wanted !== undefined) session.noteShorterReply(wanted, maxOutputTokens);
  const limited =
    maxOutputTokens === undefined ? pinned.body : call.api.withMaxOutputTokens(pinned.body, maxOutputTokens);
  const isChanged = limited !== parsed;
  const sent = isChanged ? Buffer.from(JSON.stringify(limited)) : body;
  return { pathname: pinned.pathname, body: sent, read, sentAs, isChanged, assertCovers, settle };
}

const unlimited = { assertCovers: undefined, settle: () => undefined };

/** Reads a request that was passed on as it was; undefined where it cannot be understood. */
export function readLater(session: GatewaySession, api: Codec, body: Buffer, encoding: string, pathname: string) {
  const parsed = parseCall(body, encoding);
  return parsed && readRequest(session, api, parsed, pathname);
}

function readRequest(session: GatewaySession, api: Codec, body: JsonObject, pathname: string): ReadRequest {
  const request = api.readRequest(body, pathname);
  return { request, thread: session.place(request) };
}

function parseCall(body: Buffer, encoding: string): JsonObject | undefined {
  const value = parseJson(decodedRequest(body, encoding)?.toString('utf8') ?? '');
  return isRecord(value) ? value : undefined;
}
