import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { HttpFailure, socketErrorText } from './exchange.ts';

/** Receives a body while it arrives; after `fail` or `end` nothing more is called. */
export interface BodyReceiver {
  data(chunk: Buffer): void;
  end(): void;
  fail(failure: HttpFailure): void;
}

type Decoder = (firstByte: number) => Transform;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // The standard means the zlib format, and some servers leave its head out.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};

/** Hands over a body as it was before it was compressed, and no more than `limitBytes` of it. */
export function receiveBody(incoming: IncomingMessage, limitBytes: number, to: BodyReceiver): void {
  const receiver = bounded(incoming, limitBytes, to);
  const coding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  const isPlain = coding === '' || coding === 'identity';
  const decoder = isPlain ? undefined : decoders[coding];
  if (!isPlain && !decoder) {
    receiver.fail(new HttpFailure('unreadable', `a body in the encoding "${coding}", which is not supported`, true));
    return;
  }
  const body = decoder ? decoded(decoder, coding, receiver) : receiver;
  // By events: iterating over a response takes several times as long, and most responses are one piece.
  incoming.on('data', (chunk: Buffer) => body.data(chunk));
  incoming.on('end', () => body.end());
  const breakOff = (reason: string): void => receiver.fail(new HttpFailure('broken-off', reason, true));
  incoming.on('error', (error) => breakOff(socketErrorText(error)));
  // A connection that is closed in the middle may end without an error.
  incoming.on('close', () => {
    if (!incoming.complete) breakOff('the connection was closed');
  });
}

function bounded(incoming: IncomingMessage, limitBytes: number, to: BodyReceiver): BodyReceiver {
  let isOver = false;
  let size = 0;
  const fail = (failure: HttpFailure): void => {
    if (isOver) return;
    isOver = true;
    to.fail(failure);
    incoming.destroy();
  };
  return {
    data(chunk) {
      size += chunk.length;
      if (size > limitBytes) fail(new HttpFailure('too-large', `more than ${sizeText(limitBytes)}`, true));
      if (!isOver) to.data(chunk);
    },
    end() {
      if (isOver) return;
      isOver = true;
      to.end();
    },
    fail,
  };
}

/** A response without a body may name an encoding all the same, so nothing is decoded before the first byte. */
function decoded(make: Decoder, coding: string, to: BodyReceiver): Pick<BodyReceiver, 'data' | 'end'> {
  let decoder: Transform | undefined;
  const start = (firstByte: number): Transform => {
    const started = make(firstByte);
    started.on('data', (chunk: Buffer) => to.data(chunk));
    started.on('end', () => to.end());
    started.on('error', ({ message }) => {
      to.fail(new HttpFailure('unreadable', `a body that is not valid ${coding}: ${message}`, true));
    });
    return started;
  };
  return {
    data(chunk) {
      decoder ??= start(chunk[0] ?? 0);
      decoder.write(chunk);
    },
    end() {
      if (decoder) decoder.end();
      else to.end();
    },
  };
}

function sizeText(bytes: number): string {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes} bytes`;
}
