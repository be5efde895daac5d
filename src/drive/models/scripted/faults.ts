import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Answer, send, sendHead, sendJson, sendSlowly } from './answer.ts';
import type { Dialect } from './dialect.ts';

/** An answer that something happens to. */
interface SpoiltAnswer extends Answer {
  /** True when the script gives an answer, a part of which can arrive before the fault. */
  readonly hasContent: boolean;
}

type Fault = (answer: SpoiltAnswer, response: ServerResponse) => Promise<void> | void;

const defaultDripMs = 1_000;

/** Everything that can happen to an answer, by its name in scripts. */
export const faults = {
  async reset(answer, response) {
    if (!answer.hasContent) response.socket?.resetAndDestroy();
    else {
      await begin(answer, response);
      // A reset could overtake what was sent before it; a connection that closes too early cannot.
      response.socket?.destroy();
    }
  },
  async stall(answer, response) {
    if (answer.hasContent) await begin(answer, response);
    if (!response.closed) await once(response, 'close');
  },
  junk({ contentType }, response) {
    send(response, 200, contentType, Buffer.from('\u0000\u0007}{ not json \ufffd'.repeat(8), 'latin1'));
  },
  halfJson(answer, response) {
    send(response, 200, answer.contentType, beginningOf(answer));
  },
  html(_, response) {
    send(response, 200, 'text/html; charset=utf-8', '<!doctype html><title>Sign in</title><h1>Sign in</h1>\n');
  },
  empty({ contentType }, response) {
    send(response, 200, contentType, '');
  },
  async drip(answer, response) {
    sendHead(answer, response);
    await sendSlowly(eachByte(answer.frames.join('')), answer.dripMs || defaultDripMs, response);
  },
} as const satisfies Record<string, Fault>;

/** The name of a fault. */
export type FaultWord = keyof typeof faults;

/** An error of the provider that the script asks for. */
export interface StatusFault {
  readonly status: number;
  /** In seconds. */
  readonly retryAfter?: number | undefined;
  readonly body?: unknown;
}

/** An error in the provider's own shape, unless the script gives a body. */
export function bodyOfStatus({ status, body }: StatusFault, dialect: Dialect): unknown {
  return body ?? dialect.renderError(status, `The script answers with ${status}.`);
}

export function sendStatus(fault: StatusFault, dialect: Dialect, response: ServerResponse): void {
  const { status, retryAfter } = fault;
  const body = bodyOfStatus(fault, dialect);
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (typeof body === 'string') send(response, status, 'text/plain; charset=utf-8', body, headers);
  else sendJson(response, status, body, headers);
}

/** Sends the first half of an answer, and leaves it unfinished. */
function begin(answer: Answer, response: ServerResponse): Promise<void> {
  sendHead(answer, response);
  return new Promise((resolve) => {
    response.write(beginningOf(answer), () => resolve());
  });
}

/** The first half of the frames; the last of them stops within its JSON, just before the last quote. */
function beginningOf({ frames }: Answer): string {
  const middle = Math.floor(frames.length / 2);
  const broken = frames[middle] ?? '';
  return frames.slice(0, middle).join('') + broken.slice(0, broken.lastIndexOf('"'));
}

function* eachByte(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}
