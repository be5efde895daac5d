import { Readable } from 'node:stream';
import type { Fault, PlacedFault } from '../../domain/tool-control/faults.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { sha256 } from '../../shared/ids.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { Control } from '../tool-control/control.ts';
import { type FaultyBorder, faultRules } from '../tool-control/faults/fault-rule.ts';
import { failureText } from '../tool-control/faults/text-faults.ts';
import type { UpstreamReply } from './upstream.ts';

/** How a request to a model ends. */
type ModelAnswer =
  | { readonly kind: 'reply'; readonly reply: UpstreamReply }
  /** Nothing is sent until the agent or the trial ends it. */
  | { readonly kind: 'unanswered' }
  /** The connection is closed. */
  | { readonly kind: 'dropped' };

/** A request to a model on its way. */
interface ModelRequest {
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Sends it to the provider, or finds it in a recording. */
  send(): Promise<UpstreamReply>;
  /** Called when it is broken; `wasSent` is false where the provider does not see it. */
  onBroken(wasSent: boolean): void;
}

/** Breaks requests of an agent to its model on purpose, in front of the provider. */
export class ModelFaults {
  readonly #control: Control<ModelAnswer>;

  constructor(faults: readonly PlacedFault[], seed: string, emit: EmitTrace) {
    const rules = faultRules(faults, seed, modelFaults);
    this.#control = new Control('model', rules, (action) => emit({ type: 'tool-control', ...action }));
  }

  async forward({ body, signal, send, onBroken }: ModelRequest): Promise<UpstreamReply> {
    const decision = this.#control.decide({ tool: modelIn(body), args: { request: sha256(body.toString('utf8')) } });
    if (decision.reply) onBroken(false);
    if (decision.delayMs > 0) await waited(decision.delayMs, signal);
    const given = decision.reply ?? ({ kind: 'reply', reply: await send() } as const);
    const { reply, answeredBy } = decision.alter(given);
    if (answeredBy && !decision.reply) onBroken(true);
    if (reply.kind === 'unanswered') await aborted(signal);
    if (reply.kind !== 'reply') throw new Error('the connection was closed on purpose');
    return reply.reply;
  }
}

const modelFaults: FaultyBorder<ModelAnswer> = {
  hasArguments: () => true,
  failure: (fault) => ({ kind: 'reply', reply: failedReply(fault) }),
  unanswered: { kind: 'unanswered' },
  dropped: { kind: 'dropped' },
  emptied: (answer) => changed(answer, async function* () {}),
  withTexts: (answer) => changed(answer, firstHalf),
};

function failedReply(fault: Fault): UpstreamReply {
  const isLimit = fault.fault === 'rate-limit';
  const status = isLimit ? 429 : (fault.status ?? 500);
  const type = isLimit ? 'rate_limit_error' : status === 529 ? 'overloaded_error' : 'api_error';
  const body = Buffer.from(
    JSON.stringify({ type: 'error', error: { type, code: status, message: failureText(fault) } }),
  );
  const { retryAfterSecs } = fault;
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...(retryAfterSecs !== undefined && { 'retry-after': String(retryAfterSecs) }),
  };
  return { status, headers, body: Readable.from([body]), isReplayed: false };
}

/** A reply with another body, whose length is not known beforehand. */
function changed(answer: ModelAnswer, change: (body: Readable) => AsyncIterable<Buffer>): ModelAnswer {
  if (answer.kind !== 'reply') return answer;
  const { 'content-length': _length, ...headers } = answer.reply.headers;
  return { kind: 'reply', reply: { ...answer.reply, headers, body: Readable.from(change(answer.reply.body)) } };
}

/** Half of the bytes, and then the end of the connection. */
async function* firstHalf(body: Readable): AsyncGenerator<Buffer, void> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece as Buffer);
  const whole = Buffer.concat(pieces);
  yield whole.subarray(0, Math.floor(whole.length / 2));
  throw new Error('the connection was closed on purpose');
}

function modelIn(body: Buffer): string {
  const request = parseJson(body.toString('utf8'));
  return isRecord(request) && typeof request.model === 'string' ? request.model : 'model';
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
