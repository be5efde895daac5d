import { readFile, stat } from 'node:fs/promises';
import type { Report } from '../../domain/capability.ts';
import type { TraceEventOf } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';
import { type JsonObject, nameOf, objectOf, parseJson, timeOf } from './coerce.ts';

/** An agent that is not running any more: what its file says of it. */
interface RecordedAgent {
  readonly agent: string;
  readonly version: string | undefined;
  readonly model: string | undefined;
  /** Undefined where those of its format hold. */
  readonly reports?: readonly Report[] | undefined;
}

/** How an agent started whose session is read from a file. */
export function agentStarted({ agent, version, model, reports }: RecordedAgent): TraceEventOf<'agent-started'> {
  const named = { agent, version: version ?? null, model: model ?? null };
  const how = { isolation: 'none', isScripted: false, ...(reports && { reports: [...reports] }) } as const;
  return { type: 'agent-started', at: 0, seenBy: 'engine', ...named, ...how };
}

/** How such an agent ended: its exit code is in no file. */
export function agentEnded(
  reason: string | null,
  at: number,
  completed = reason === null,
): TraceEventOf<'agent-ended'> {
  const how = { exitCode: null, signal: null, timedOut: false, completed, reason };
  return { at, seenBy: 'engine', type: 'agent-ended', ...how };
}

/** The id of the session that a line begins; undefined for other lines. */
export function startsSession(line: JsonObject): string | undefined {
  const { type } = line;
  if (type === 'system' && line.subtype === 'init') return nameOf(line.session_id);
  if (type === 'thread.started') return nameOf(line.thread_id);
  if (type === 'init') return nameOf(line.session_id);
  if (type === 'session') return nameOf(line.id);
  if (type === 'session.start') return nameOf(objectOf(line.data).sessionId);
  if (type === 'hook_event' && line.hookEventName === 'agent_start' && !line.parentAgentId) return nameOf(line.agentId);
  return undefined;
}

/** The model that a line names. */
export function modelIn(line: JsonObject): string | undefined {
  const places = [line, objectOf(line.message), objectOf(line.data), objectOf(line.params), currentModel(line)];
  return places.map(({ model }) => realModel(model)).find((model) => model !== undefined);
}

function currentModel({ result }: JsonObject): JsonObject {
  const models = isRecord(result) ? objectOf(result.models) : {};
  return { model: models.currentModelId };
}

/** Synthetic messages of an agent have a placeholder as model. */
function realModel(model: unknown): string | undefined {
  return typeof model === 'string' && model !== '' && !model.startsWith('<') ? model : undefined;
}

/** The version of the agent that a line names. */
export function versionIn(line: JsonObject): string | undefined {
  const info = isRecord(line.result) ? objectOf(line.result.agentInfo) : {};
  const versions = [line.claude_code_version, line.qwen_code_version, info.version, objectOf(line.data).copilotVersion];
  return versions.find((version) => typeof version === 'string');
}

/** A line of a file that is read along with another one. */
interface SideLine {
  readonly object: JsonObject;
  readonly timeMs: number;
}

/** Memory limit: files of sub-agents are kept while that of their agent is read. */
const mostBytes = 64 * 1_048_576;

/** The lines of a file of a sub-agent with their times; undefined where it cannot be read. */
export async function readSideLines(path: string): Promise<SideLine[] | undefined> {
  try {
    if ((await stat(path)).size > mostBytes) return undefined;
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
    // One that cannot be read is a line of an unknown kind.
    const objects = lines.map(parseJson).map((line) => (isRecord(line) ? line : { type: 'not JSON' }));
    let timeMs = 0;
    return objects.map((object) => {
      timeMs = timeOf(object.timestamp) ?? timeMs;
      return { object, timeMs };
    });
  } catch {
    return undefined;
  }
}

/** Lines of several files in the order of their times. */
export class SideFiles<Side> {
  readonly #lines: (SideLine & { readonly side: Side })[] = [];

  add(lines: readonly SideLine[], side: Side): void {
    this.#lines.push(...lines.map((line) => ({ ...line, side })));
    this.#lines.sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Takes the lines until a time; all that are left without one. */
  take(untilMs = Number.POSITIVE_INFINITY): readonly (SideLine & { readonly side: Side })[] {
    const end = this.#lines.findIndex(({ timeMs }) => timeMs > untilMs);
    return this.#lines.splice(0, end === -1 ? this.#lines.length : end);
  }
}
