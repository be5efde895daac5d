import type { Readable, Writable } from 'node:stream';
import type { FrameRelay } from './frame-relay.ts';

/** Passes what comes on, no faster than it is taken; what nobody takes any more is read and dropped. */
export function relayStream(from: Readable, to: Writable, frames: FrameRelay): void {
  const goOn = (): void => void from.resume();
  // Whoever reads the other end may go away at any time; that it did shows elsewhere.
  to.on('error', goOn);
  to.on('close', goOn);
  to.on('drain', goOn);
  from.on('error', () => undefined);
  from.on('data', (chunk: Buffer) => {
    const sent = frames.push(chunk);
    if (sent.length > 0 && to.writable && !to.write(sent)) from.pause();
  });
}
