import { AssayError } from '../../domain/errors.ts';
import { untilAborted } from '../../shared/async.ts';
import { type ComparedRequest, nearestCall } from '../tape/nearest.ts';
import type { Model, ModelRequest } from './model.ts';
import { type Recording, type Recordings, recordingFileName, recordingKey } from './recordings.ts';

/** `off` sends; `auto` replays recorded calls and records the rest; `strict` only replays; `record` records again. */
export type ReplayMode = 'off' | 'auto' | 'strict' | 'record';

/** Finding the nearest recording looks at all of them, which is not worth it for every miss of a run. */
const explainedMisses = 20;

interface Replaying {
  readonly mode: Exclude<ReplayMode, 'off'>;
  readonly recordings: Recordings;
  readonly nowMs: () => number;
  /** When the recording began: in the mode `record`, what is older is recorded again. */
  readonly beganMs: number;
}

type Rest<Parts extends unknown[]> = Parts extends [unknown, ...infer Others] ? Others : never;

/** Answers from recordings where the mode allows it, and records other calls. */
export function withReplay(inner: Model, replaying: Replaying): Model {
  const { mode, recordings, nowMs, beganMs } = replaying;
  const { name } = inner;
  const inFlight = new Map<string, Promise<Recording>>();
  let misses = 0;

  const findRecording = (key: string): Recording | undefined => {
    const found = recordings.find(name, key);
    const isOutdated = mode === 'record' && found && Date.parse(found.recordedAt) < beganMs;
    return isOutdated ? undefined : found;
  };

  const sendAndRecord = async (
    key: string,
    request: ModelRequest,
    ...rest: Rest<Parameters<Model['generate']>>
  ): Promise<Recording> => {
    const { isReplayed: _, ...reply } = await inner.generate(request, ...rest);
    const recordedAt = new Date(nowMs()).toISOString();
    return recordings.write({ version: 1, key, model: name, recordedAt, request, reply });
  };

  const generate: Model['generate'] = async (request, signal, ...rest) => {
    const key = recordingKey(name, request);
    for (;;) {
      const found = findRecording(key);
      if (found) return { ...found.reply, isReplayed: true };
      if (mode === 'strict') {
        throw ++misses > explainedMisses ? bareMiss(name, key) : await missOf(name, key, request, recordings);
      }
      const asking = inFlight.get(key);
      if (!asking) break;
      // Two equal calls at once: the second waits for the recording of the first, or is sent when that fails.
      await untilAborted(
        asking.catch(() => undefined),
        signal,
      );
    }
    const asking = sendAndRecord(key, request, signal, ...rest).finally(() => inFlight.delete(key));
    inFlight.set(key, asking);
    return { ...(await asking).reply, isReplayed: false };
  };
  return { name, generate };
}

function bareMiss(name: string, key: string): AssayError {
  const message = `${name} has no recording for this request (${key.slice(0, 12)}); the first misses of this run say what changed.`;
  return new AssayError('REPLAY_MISS', message);
}

async function missOf(name: string, key: string, request: ModelRequest, recordings: Recordings): Promise<AssayError> {
  const recorded = (await recordings.near(name)).map(({ model, key: of, request: sent }) => ({
    file: recordingFileName(model, of),
    request: comparedRequest(model, sent),
  }));
  const nearest = nearestCall(recorded, comparedRequest(name, request));
  if (!nearest) return new AssayError('REPLAY_MISS', `There are no recordings of ${name} in ${recordings.folder}.`);
  const { call, changes } = nearest;
  const message = `${name} has no recording for this request (${key.slice(0, 12)}). The nearest recording, ${call.file}, differs in ${changes.join(', ') || 'nothing but its key'}.`;
  return new AssayError('REPLAY_MISS', recordings.redact(message));
}

/** A request in the form in which requests to models are compared. */
export function comparedRequest(
  model: string,
  { messages, ...settings }: Pick<ComparedRequest, 'messages'>,
): ComparedRequest {
  return { fields: { model, ...settings }, messages };
}
