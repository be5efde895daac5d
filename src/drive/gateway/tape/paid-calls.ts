import { sumOf } from '../../../domain/cost-sum.ts';
import { readReply } from '../captured-reply.ts';
import { gatewayApis } from '../gateway-apis.ts';
import { priceNames } from '../gateway-session.ts';
import { type CallLimits, costOfCall } from '../purses.ts';
import { isGood } from '../reply-passage.ts';
import { streamOf } from './reply-pieces.ts';
import type { AnsweredCall } from './trial-tape-lines.ts';

/** The cost of calls on the tape of a trial; null where it is not known. `sentAs`: the model that all of them went to. */
export function costOfCalls(
  calls: readonly AnsweredCall[],
  costOf: CallLimits['costOf'],
  sentAs: string | undefined,
): number | null {
  return sumOf(calls.map((call) => costOfOne(call, costOf, sentAs)));
}

function costOfOne(
  { api, request, reply: { status, headers, pieces, body } }: AnsweredCall,
  costOf: CallLimits['costOf'],
  sentAs: string | undefined,
): number | null {
  const codec = gatewayApis.find(({ name }) => name === api);
  if (!codec || status === null) return null;
  if (!isGood(status)) return 0;
  const text = pieces ? pieces.map(streamOf).join('') : JSON.stringify(body);
  const reply = readReply(codec, headers['content-type'] ?? '', text);
  const models = priceNames(sentAs ?? String(request.fields.model), codec, reply);
  return (reply.usage && costOfCall(costOf, models, reply.usage)) ?? null;
}
