import type { Pace } from '../pacing/pace.ts';
import { interruption } from './deadline.ts';
import type { Model } from './model.ts';

/** A call waits for its turn at the server; its retries are part of the turn. */
export function withPace(inner: Model, pace: Pace): Model {
  return {
    name: inner.name,
    async generate(request, signal, unanswered, clock) {
      const leave = await pace.enter(signal, clock).catch((reason: unknown) => {
        throw interruption(inner.name, reason);
      });
      try {
        return await inner.generate(request, signal, unanswered);
      } finally {
        leave();
      }
    },
  };
}
