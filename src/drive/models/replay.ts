import { AssayError } from '../../domain/errors.ts';
import { untilAborted } from '../../shared/async.ts';
import { canonicalJson } from '../../shared/json.ts';
import { changeOf, commonStart, withoutFenceNames } from './changes.ts';
import type { Model, ModelMessage, ModelRequest } from './model.ts';
import {
  type Recording,
  type ReplayableCall,
  recordingFileName,
  recordingKey,
  type WrittenParts,
} from './recording.ts';
import type { Recordings } from './recordings.ts';

/** The differences between a request and a recorded one. */
interface RequestChanges {
  readonly recording: Recording;
  /** For people: `temperature (0 became 0.7)`. */
  readonly changes: readonly string[];
  /** How much of both is the same before the first difference, in characters. */
  readonly sameCharacters: number;
}

/** The recording with the fewest changes, and among those the one that is the same for longest. */
export function nearestRecording(
  model: string,
  request: ModelRequest,
  recordings: readonly Recording[],
): RequestChanges | undefined {
  const requested = withoutFenceNames(canonicalJson(request));
  const compared = recordings.map((recording) => ({
    recording,
    changes: changesOf(recording, model, request),
    sameCharacters: commonStart(requested, withoutFenceNames(canonicalJson(recording.request))),
  }));
  compared.sort((a, b) => a.changes.length - b.changes.length || b.sameCharacters - a.sameCharacters);
  return compared[0];
}

function changesOf({ model: recordedModel, request: recorded }: Recording, model: string, request: ModelRequest) {
  return [
    changeOf('the model', recordedModel, model),
    changeOf('the system prompt', recorded.system, request.system),
    ...messageChanges(recorded.messages, request.messages),
    changeOf('the tools', recorded.tools, request.tools),
    changeOf('the output schema', recorded.output, request.output),
    changeOf('temperature', recorded.temperature, request.temperature),
    changeOf('maxOutputTokens', recorded.maxOutputTokens, request.maxOutputTokens),
    changeOf('seed', recorded.seed, request.seed),
    changeOf('the texts to embed', recorded.embed, request.embed),
  ].filter((change) => change !== undefined);
}

function messageChanges(before: readonly ModelMessage[], after: readonly ModelMessage[]): (string | undefined)[] {
  const both = Math.min(before.length, after.length);
  const changed = Array.from({ length: both }, (_, index) => {
    const [was, is] = [before[index], after[index]];
    const what = `message ${index + 1} (${is?.role})`;
    const isSameKind = was?.role === is?.role && was?.content !== is?.content;
    return isSameKind ? changeOf(what, was?.content, is?.content) : changeOf(what, was, is);
  });
  return [...changed, changeOf('the number of messages', before.length, after.length)];
}

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
  const inFlight = new Map<string, Promise<ReplayableCall>>();
  const written: WrittenParts = new WeakMap();
  let misses = 0;

  const findRecording = (key: string): ReplayableCall | undefined => {
    const found = recordings.find(name, key);
    const isOutdated = mode === 'record' && found && Date.parse(found.recordedAt) < beganMs;
    return isOutdated ? undefined : found;
  };

  const sendAndRecord = async (
    key: string,
    request: ModelRequest,
    ...rest: Rest<Parameters<Model['generate']>>
  ): Promise<ReplayableCall> => {
    const { isReplayed: _, ...reply } = await inner.generate(request, ...rest);
    const recordedAt = new Date(nowMs()).toISOString();
    return recordings.write({ version: 1, key, model: name, recordedAt, request, reply });
  };

  const generate: Model['generate'] = async (request, signal, ...rest) => {
    const key = recordingKey(name, request, written);
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
  const nearest = nearestRecording(name, request, await recordings.near(name));
  if (!nearest) return new AssayError('REPLAY_MISS', `There are no recordings of ${name} in ${recordings.folder}.`);
  const { recording, changes } = nearest;
  const file = recordingFileName(recording.model, recording.key);
  const message = `${name} has no recording for this request (${key.slice(0, 12)}). The nearest recording, ${file}, differs in ${changes.join(', ') || 'nothing but its key'}.`;
  return new AssayError('REPLAY_MISS', recordings.redact(message));
}
