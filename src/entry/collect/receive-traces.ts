import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Collector } from '../../compose/collect/collector.ts';
import type { PartialSuccess, Signal } from '../../load/collect/otlp-protobuf.ts';
import { OtlpRefusal, refusalOf } from './otlp-refusal.ts';
import { announcedBytes, decodeBody, PendingBytes, readBody } from './request-body.ts';

/** The parts that a receiver needs to answer requests. */
interface ReceiverOptions {
  /** The collector that a request is for. */
  collectorOf(request: IncomingMessage): Promise<Pick<Collector, 'receive'>>;
  /** Throws a refusal for a request that may not send spans. */
  authorise(request: IncomingMessage): void;
  /** Receives errors that clients only see as 503. */
  warn(message: string): void;
}

const protobufType = 'application/x-protobuf';
const jsonType = 'application/json';

/** The path of traces and of logs, below that of a project or not. */
export const signalPath = /^(?:\/projects\/[^/]+)?\/v1\/(traces|logs)\/?(?:\?|$)/;

/** The id of the project that a path names, as it is written there. */
export function projectIn(path: string): string | undefined {
  return /^\/projects\/([^/]+)\//.exec(path)?.[1];
}

function signalOf({ url = '' }: IncomingMessage): Signal {
  return signalPath.exec(url)?.[1] === 'logs' ? 'logs' : 'traces';
}

/** Answers `POST /v1/traces` and `/v1/logs` as the OTLP specification says; 200 means that the spans are durable. */
export function traceReceiver(
  options: ReceiverOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const pending = new PendingBytes();
  return async (request, response) => {
    const type = mediaType(request);
    try {
      const partialSuccess = await receive(request, type, pending, options);
      await answer(response, type, signalOf(request), partialSuccess);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== error && refusal.status === 503) options.warn(messageOf(error));
      await refuse(response, type, refusal);
    }
  };
}

async function receive(
  request: IncomingMessage,
  type: string,
  pending: PendingBytes,
  { authorise, collectorOf }: ReceiverOptions,
): Promise<PartialSuccess | undefined> {
  if (request.method !== 'POST') throw new OtlpRefusal(405, 'Only POST is supported.');
  authorise(request);
  if (type !== protobufType && type !== jsonType) {
    throw new OtlpRefusal(415, `The content type must be ${protobufType} or ${jsonType}.`);
  }
  const free = pending.take(announcedBytes(request));
  try {
    const body = await readBody(request);
    const collector = await collectorOf(request);
    const signal = signalOf(request);
    return await collector.receive(await decodeBody(body, type === protobufType, signal), signal);
  } finally {
    free();
  }
}

function mediaType({ headers }: IncomingMessage): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

async function answer(
  response: ServerResponse,
  type: string,
  signal: Signal,
  partialSuccess: PartialSuccess | undefined,
): Promise<void> {
  if (type !== protobufType) {
    // Wide integers are text in the JSON of protobuf.
    const name = signal === 'logs' ? 'rejectedLogRecords' : 'rejectedSpans';
    const partial = partialSuccess && {
      [name]: String(partialSuccess.rejectedSpans),
      errorMessage: partialSuccess.errorMessage,
    };
    send(response, 200, jsonType, JSON.stringify(partial ? { partialSuccess: partial } : {}));
    return;
  }
  const { encodeResponse } = await import('../../load/collect/otlp-protobuf.ts');
  send(response, 200, protobufType, encodeResponse(partialSuccess));
}

async function refuse(response: ServerResponse, type: string, refusal: OtlpRefusal): Promise<void> {
  const { status, message, rpcCode: code, retryAfterSecs } = refusal;
  if (retryAfterSecs !== undefined) response.setHeader('retry-after', String(retryAfterSecs));
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (status === 405) response.setHeader('allow', 'POST');
  if (type !== protobufType) {
    send(response, status, jsonType, JSON.stringify({ code, message }));
    return;
  }
  const { encodeStatus } = await import('../../load/collect/otlp-protobuf.ts');
  send(response, status, protobufType, encodeStatus(code, message));
}

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(body);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
