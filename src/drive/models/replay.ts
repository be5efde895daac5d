import { AssayError } from '../../domain/errors.ts';
import { untilAborted } from '../../shared/async.ts';
import type { Model, ModelRequest } from './model.ts';
import { type ReplayableCall, recordingFileName, recordingKey, type WrittenParts } from './recording.ts';
import type { Recordings } from './recordings.ts';
import { nearestRecording } from './request-changes.ts';

/** `off` asks; `auto` replays what there is and records the rest; `strict` only replays; `record` records anew. */
export type ReplayMode = 'off' | 'auto' | 'strict' | 'record';

/** Finding the nearest recording looks at all of them, which is not worth it for every miss of a run. */
const explainedMisses = 20;

export interface Replaying {
  readonly mode: Exclude<ReplayMode, 'off'>;
  readonly recordings: Recordings;
  readonly nowMs: () => number;
  /** When the recording began: in the mode `record`, what is older is recorded again. */
  readonly beganMs: number;
}

type Rest<Parts extends unknown[]> = Parts extends [unknown, ...infer Others] ? Others : never;

/** Answers from recordings where the mode allows it, and records what was asked. */
export function withReplay(inner: Model, replaying: Replaying): Model {
  const { mode, recordings, nowMs, beganMs } = replaying;
  const { name } = inner;
  const inFlight = new Map<string, Promise<ReplayableCall>>();
  const written: WrittenParts = new WeakMap();
  let misses = 0;

  const findRecording = (key: string): ReplayableCall | undefined => {
    const found = recordings.find(name, key);
    const isOutdated = mode === 'record' && found && Date.parse(found.recordedAt) < beganMs;
    return isOutdated ? undefined : found;
  };

  const askAndRecord = async (
    key: string,
    request: ModelRequest,
    ...rest: Rest<Parameters<Model['generate']>>
  ): Promise<ReplayableCall> => {
    const { isReplayed: _, ...reply } = await inner.generate(request, ...rest);
    const recordedAt = new Date(nowMs()).toISOString();
    return recordings.write({ version: 1, key, model: name, recordedAt, request, reply });
  };

  const generate: Model['generate'] = async (request, signal, unanswered) => {
    const key = recordingKey(name, request, written);
    for (;;) {
      const found = findRecording(key);
      if (found) return { ...found.reply, isReplayed: true };
      if (mode === 'strict') {
        throw ++misses > explainedMisses ? bareMiss(name, key) : await missOf(name, key, request, recordings);
      }
      const asking = inFlight.get(key);
      if (!asking) break;
      // Asked twice at once: the second waits for the recording of the first, or asks itself when that fails.
      await untilAborted(
        asking.catch(() => undefined),
        signal,
      );
    }
    const asking = askAndRecord(key, request, signal, unanswered).finally(() => inFlight.delete(key));
    inFlight.set(key, asking);
    return { ...(await asking).reply, isReplayed: false };
  };
  return { name, generate };
}

function bareMiss(name: string, key: string): AssayError {
  const message = `${name} was not recorded with this request (${key.slice(0, 12)}); the first misses say what changed.`;
  return new AssayError('REPLAY_MISS', message);
}

async function missOf(name: string, key: string, request: ModelRequest, recordings: Recordings): Promise<AssayError> {
  const nearest = nearestRecording(name, request, await recordings.near(name));
  if (!nearest) return new AssayError('REPLAY_MISS', `There are no recordings of ${name} in ${recordings.folder}.`);
  const { recording, changes } = nearest;
  const file = recordingFileName(recording.model, recording.key);
  const message = `${name} was not recorded with this request (${key.slice(0, 12)}). The nearest recording, ${file}, differs in ${changes.join(', ') || 'nothing but its key'}.`;
  return new AssayError('REPLAY_MISS', recordings.redact(message));
}
