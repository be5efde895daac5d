import { canonicalJson } from '../../shared/json.ts';
import type { ModelMessage, ModelRequest } from './model.ts';
import type { Recording } from './recording.ts';

/** What differs between a request and a recorded one. */
export interface RequestChanges {
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
  const asked = withoutFenceNames(canonicalJson(request));
  const compared = recordings.map((recording) => ({
    recording,
    changes: changesOf(recording, model, request),
    sameCharacters: commonStart(asked, withoutFenceNames(canonicalJson(recording.request))),
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

function changeOf(what: string, before: unknown, after: unknown): string | undefined {
  const [was, is] = [shown(before), shown(after)];
  if (was === is) return undefined;
  const start = Math.max(0, commonStart(was, is) - 20);
  return `${what} (${excerpt(was, start)} became ${excerpt(is, start)})`;
}

/** As JSON, in which a line break that was added can be seen. */
function shown(value: unknown): string {
  return value === undefined ? 'nothing' : withoutFenceNames(canonicalJson(value));
}

/** The name of a fence follows from the data behind it: it always changes with the data and says nothing of its own. */
function withoutFenceNames(text: string): string {
  return text.replace(/\bdata-[0-9a-f]{32}\b/g, 'data-…');
}

/** The surroundings of the first difference. */
function excerpt(text: string, start: number): string {
  const end = start + 60;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
