import { actionKindSchema } from '../../../../domain/capability.ts';
import { toolErrorSchema } from '../../../../domain/tool-error.ts';
import type { UnstampedEvent } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import { shellCommandOf } from '../../chat-trace.ts';
import { figureOf, type JsonObject, nameOf, objectOf, parseJson, wordsOf } from '../../coerce.ts';

/** The sub-agent whose trajectory is read; undefined for the main agent. */
export interface Caller {
  readonly actor: string | undefined;
  readonly parentCallId: string | undefined;
}

/** The text of a message or an observation: of its text parts, and the places of images and sounds. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts
    .map(({ type, text, source }) => {
      if (typeof text === 'string') return text;
      return `[${nameOf(type) ?? 'part'} ${nameOf(objectOf(source).path) ?? ''}]`;
    })
    .join('\n');
}

/** Whether the text of a message is all that it has, beside images and sounds. */
export function isContent(content: unknown): boolean {
  if (content === undefined || content === null || typeof content === 'string') return true;
  const isPart = (part: unknown): boolean =>
    isRecord(part) &&
    (part.type === 'text' ? typeof part.text === 'string' : /^(?:image|audio)$/.test(String(part.type)));
  return Array.isArray(content) && content.every(isPart);
}

/** A call of a step; its kind is known only where the file says so. */
export function callEvent(call: JsonObject, callId: string, caller: Caller | undefined): UnstampedEvent {
  const ours = objectOf(objectOf(call.extra).assay);
  const tool = wordsOf(call.function_name) ?? 'unknown';
  const written = call.arguments ?? {};
  const input = ours.isWrapped === true ? objectOf(written).value : written;
  const kind = actionKindSchema.safeParse(ours.kind).data;
  const server = nameOf(ours.server);
  const shellCommand = nameOf(ours.shellCommand);
  return {
    type: 'tool-call',
    callId,
    tool,
    ...(server !== undefined && { server }),
    input,
    ...(shellCommand === undefined ? shellCommandOf(tool, input) : { shellCommand }),
    ...(kind !== undefined && { kind }),
    ...(ours.isUnlistedTool === true && { isUnlistedTool: true }),
    ...(ours.isRefused === true && { isRefused: true }),
    ...(caller?.actor !== undefined && { actor: caller.actor }),
    ...(caller?.parentCallId !== undefined && { parentCallId: caller.parentCallId }),
  };
}

/** The answer to a call; undefined for an entry that only refers to the trajectory of a sub-agent. */
export function resultEvent(result: JsonObject, callId: string): UnstampedEvent | undefined {
  const ours = objectOf(objectOf(result.extra).assay);
  const hasContent = result.content !== undefined && result.content !== null;
  const isReference = !hasContent && Array.isArray(result.subagent_trajectory_ref);
  if (ours.isAnswered === false || (isReference && ours.isAnswered !== true)) return undefined;
  const error = toolErrorSchema.safeParse(ours.error).data;
  const exitCode = figureOf(ours.exitCode);
  const text = textOf(result.content);
  const value = ours.isJson === true ? parseJson(text) : text;
  return {
    type: 'tool-result',
    callId,
    durationMs: figureOf(ours.durationMs),
    ...(error ? { error } : hasContent && { result: value }),
    ...(exitCode !== undefined && { exitCode }),
  };
}
