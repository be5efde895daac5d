import { basename, dirname, join } from 'node:path';
import { faultOf } from '../../../domain/outcome.ts';
import { openClaudeSession } from '../../../drive/agents/claude-code/claude-code.ts';
import { reportsOfFormat } from '../../../drive/agents/stream-formats.ts';
import { readBlocks } from '../../../drive/wire/content-blocks.ts';
import { counted } from '../../../shared/format.ts';
import { type JsonObject, knownParts, nameOf, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { readSample, someObject } from '../sample.ts';
import { agentEnded, agentStarted, modelIn, readSideLines, SideFiles } from '../session-lines.ts';
import { TraceCollector } from '../trace-collector.ts';

/** Stored sessions of Claude Code, one message per line. */
export const claudeSession: ImportFormat = {
  name: 'claude-session',
  summary: 'stored sessions of Claude Code (~/.claude/projects)',
  reports: [...reportsOfFormat('claude'), 'usage'],
  recognises: (sample) => someObject(sample, isSessionLine),
  lacks: (sample) =>
    someObject(sample, ({ sessionId }) => typeof sessionId === 'string') ? 'messages with `parentUuid`' : undefined,
  readWith: async (path, others) => {
    const sample = await readSample(path, basename(path), firstBytes);
    const session = /^agent-.+\.jsonl$/.test(basename(path)) ? nameOf(sample.objects[0]?.sessionId) : undefined;
    return session === undefined ? undefined : others.find((other) => basename(other) === `${session}.jsonl`);
  },
  async *read(source) {
    const side = await subagentsOf(source);
    let session: StoredSession | undefined;
    for await (const { object, number } of source.objectLines()) {
      session ??= new StoredSession(number);
      const timeMs = timeOf(object.timestamp);
      if (timeMs !== undefined) for (const line of side.take(timeMs)) session.takeSide(line.object, line.side);
      session.take(object);
    }
    for (const line of side.take()) session?.takeSide(line.object, line.side);
    if (session?.isEmpty) source.problem(1, 'not a session: no line is a message of the user or the assistant');
    else if (session) yield session.finish(source, side.missing);
  },
};

const firstBytes = 262_144;

/** Sub-agents have files beside that of their session; the answers to the calls that started them name them. */
async function subagentsOf(source: ImportSource): Promise<SideFiles<string> & { missing: number }> {
  const side = Object.assign(new SideFiles<string>(), { missing: 0 });
  const folder = dirname(source.path);
  const started = new Map<string, string>();
  let isInline = false;
  for await (const { object } of source.silent().objectLines()) {
    isInline ||= object.isSidechain === true;
    const agent = nameOf(objectOf(object.toolUseResult).agentId);
    const parts = readBlocks(objectOf(object.message).content, 'content', []);
    const call = parts.find((part) => part.kind === 'result')?.result.callId;
    if (agent !== undefined && call !== undefined && !started.has(agent)) started.set(agent, call);
  }
  // Older versions write the lines of sub-agents into the session itself.
  if (isInline) return side;
  for (const [agent, call] of started) {
    const name = `agent-${agent}.jsonl`;
    const places = [join(folder, basename(source.path, '.jsonl'), 'subagents', name), join(folder, name)];
    const found = (await Promise.all(places.map(readSideLines))).find((lines) => lines !== undefined);
    if (found) side.add(found, call);
    else side.missing++;
  }
  return side;
}

function isSessionLine(line: JsonObject): boolean {
  const isMessage = (line.type === 'user' || line.type === 'assistant') && typeof line.sessionId === 'string';
  return (isMessage && 'parentUuid' in line) || (line.type === 'summary' && 'leafUuid' in line);
}

const reportsWithoutSubagents = [
  ...reportsOfFormat('claude').filter((report) => report !== 'subagent-calls'),
  'usage' as const,
];

/** Lines about the session, which hold nothing of its messages. */
const bookkept = new Set([
  'agent-name',
  'ai-title',
  'attachment',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'system',
  'tag',
]);

function isMessage({ type }: JsonObject): boolean {
  return type === 'user' || type === 'assistant';
}

class StoredSession {
  readonly #line: number;
  readonly #collector = new TraceCollector();
  readonly #stream = openClaudeSession(this.#collector.emit);
  readonly #openCalls = new Set<string>();
  #model: string | undefined;
  #version: string | undefined;
  #isAnswered = false;
  #isBegun = false;

  constructor(line: number) {
    this.#line = line;
  }

  get isEmpty(): boolean {
    return !this.#collector.isUnderstood;
  }

  take(line: JsonObject): void {
    this.#collector.setTime(line.timestamp);
    this.#begin(line);
    if (!isMessage(line) || line.isMeta === true) {
      this.#keep(line);
      return;
    }
    this.#version ??= nameOf(line.version);
    this.#model ??= modelIn(line);
    this.#follow(line);
    const { toolUseResult, isApiErrorMessage, ...rest } = line;
    this.#stream.line(
      JSON.stringify({ ...rest, tool_use_result: toolUseResult, is_api_error_message: isApiErrorMessage }),
    );
  }

  /** Every line names the one before it, and the first of a session names none. */
  #begin({ uuid, parentUuid }: JsonObject): void {
    if (uuid === undefined || this.#isBegun) return;
    this.#isBegun = true;
    if (parentUuid != null) this.#collector.lose(lost.everything, 'the beginning of the session is missing');
  }

  /** A line of the sub-agent that this call started. */
  takeSide(line: JsonObject, parentCallId: string): void {
    if (!isMessage(line)) {
      this.#keep(line);
      return;
    }
    this.#collector.setTime(line.timestamp);
    const { toolUseResult, isApiErrorMessage: _error, ...rest } = line;
    this.#stream.line(JSON.stringify({ ...rest, tool_use_result: toolUseResult, parent_tool_use_id: parentCallId }));
  }

  /** A line that is not a message: kept, and lost where its kind is not known. */
  #keep(line: JsonObject): void {
    const kind = nameOf(line.type) ?? 'unknown';
    this.#collector.emit({ type: 'other', kind, data: line });
    if (!isMessage(line) && !bookkept.has(kind))
      this.#collector.lose(lost.everything, `a line of the unknown kind ${kind}`);
  }

  /** A session has no closing line: it is complete when the agent spoke last and no call is open. */
  #follow(line: JsonObject): void {
    for (const part of readBlocks(objectOf(line.message).content, 'content', [], () => '')) {
      if (part.kind === 'call') this.#openCalls.add(part.call.callId);
      else if (part.kind === 'result') this.#openCalls.delete(part.result.callId);
    }
    this.#isAnswered = line.type === 'assistant' && line.isApiErrorMessage !== true;
  }

  finish(source: ImportSource, missingSubagents: number): ImportedTrial {
    if (missingSubagents > 0) {
      const files = counted(missingSubagents, 'sub-agent');
      source.warning(this.#line, `the calls of ${files} are not known: their files are not beside the session`);
    }
    source.lossesInto(this.#collector);
    const report = this.#stream.finish({ exitCode: 0, signal: null, timedOut: false });
    const completed = this.#isAnswered && this.#openCalls.size === 0;
    const reason = completed ? null : 'the session ends before the last answer';
    if (reason !== null) this.#collector.lose(lost.everything, reason);
    this.#collector.keep(agentEnded(reason, this.#collector.at));
    const { startedAt, durationMs } = this.#collector;
    const [agent, version, model] = ['claude-code', this.#version, this.#model];
    return {
      line: this.#line,
      caseId: 'task',
      variant: knownParts({ agent, model }),
      trace: [agentStarted({ agent, version, model }), ...this.#collector.finish()],
      verdict: undefined,
      ...(missingSubagents > 0 && { reports: reportsWithoutSubagents }),
      fault: completed || !report.fault ? undefined : faultOf(report.fault),
      startedAt,
      durationMs,
    };
  }
}
