import { isRecord } from '../../shared/json.ts';
import { nameOf, objectOf } from './coerce.ts';

type JsonObject = Readonly<Record<string, unknown>>;

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
