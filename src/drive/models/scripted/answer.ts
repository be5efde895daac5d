import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A good answer that is ready to be sent. */
export interface Answer {
  readonly contentType: string;
  /** Streams do not say beforehand how long they are. */
  readonly isStreamed: boolean;
  /** Parts that make sense by themselves; a reply that is not streamed is one. */
  readonly frames: readonly string[];
  /** Between the frames. */
  readonly dripMs: number;
}

/** Sends the frames of an answer, in one go unless they are to drip. */
export async function sendAnswer(answer: Answer, response: ServerResponse): Promise<void> {
  const { frames, dripMs } = answer;
  sendHead(answer, response);
  if (dripMs === 0 || frames.length === 1) response.end(frames.join(''));
  else await sendSlowly(frames, dripMs, response);
}

/** Sends what comes before the frames. */
export function sendHead({ contentType, isStreamed, frames }: Answer, response: ServerResponse): void {
  const length = isStreamed ? {} : { 'content-length': Buffer.byteLength(frames.join('')) };
  response.writeHead(200, { ...headersOf(contentType), ...length });
}

/** Sends a body as a whole. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headersOf(contentType), ...length, ...headers }).end(body);
}

/** Sends a value as JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  send(response, status, 'application/json', JSON.stringify(value), headers);
}

/** Sends parts with a pause after each, at the pace of the client; ends early when it has gone. */
export async function sendSlowly(
  parts: Iterable<string | Uint8Array>,
  pauseMs: number,
  response: ServerResponse,
): Promise<void> {
  for (const part of parts) {
    if (response.closed) return;
    if (!response.write(part)) await drained(response);
    await pause(pauseMs, response);
  }
  response.end();
}

/** Waits; not any longer when the client has gone. */
export function pause(durationMs: number, response: ServerResponse): Promise<void> {
  if (durationMs === 0 || response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      response.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    response.on('close', end);
  });
}

/** Waits until the client has taken what it was sent, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}

function headersOf(contentType: string): OutgoingHttpHeaders {
  return { 'content-type': contentType, 'cache-control': 'no-cache' };
}
