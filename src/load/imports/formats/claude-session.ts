import { faultOf } from '../../../domain/outcome.ts';
import { openClaudeStream } from '../../../drive/agents/claude-code/claude-code.ts';
import { reportsOfFormat } from '../../../drive/agents/stream-formats.ts';
import { nameOf, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { someObject } from '../sample.ts';
import { modelIn } from '../session-lines.ts';
import { TraceCollector } from '../trace-collector.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Stored sessions of Claude Code, one message per line. */
export const claudeSession: ImportFormat = {
  name: 'claude-session',
  summary: 'stored sessions of Claude Code (~/.claude/projects)',
  // Sessions of sub-agents are stored in separate files.
  reports: [...reportsOfFormat('claude').filter((report) => report !== 'subagent-calls'), 'usage'],
  recognises: (sample) => someObject(sample, isSessionLine),
  async *read(source) {
    let session: StoredSession | undefined;
    for await (const { object, number } of source.objectLines()) {
      session ??= new StoredSession(number);
      session.take(object);
    }
    if (session) yield session.finish(source);
  },
};

function isSessionLine(line: JsonObject): boolean {
  const isMessage = (line.type === 'user' || line.type === 'assistant') && typeof line.sessionId === 'string';
  return (isMessage && 'parentUuid' in line) || (line.type === 'summary' && 'leafUuid' in line);
}

class StoredSession {
  readonly #line: number;
  readonly #collector = new TraceCollector();
  readonly #stream = openClaudeStream(this.#collector.emit);
  readonly #openCalls = new Set<string>();
  #model: string | undefined;
  #version: string | undefined;
  #isAnswered = false;

  constructor(line: number) {
    this.#line = line;
  }

  take(line: JsonObject): void {
    this.#collector.setTime(timeOf(line.timestamp));
    const isMessage = line.type === 'user' || line.type === 'assistant';
    if (!isMessage || line.isMeta === true) {
      this.#collector.emit({ type: 'other', kind: nameOf(line.type) ?? 'unknown', data: line });
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

  /** A session has no closing line: it is complete when the agent spoke last and no call is open. */
  #follow(line: JsonObject): void {
    const { content } = objectOf(line.message);
    for (const block of Array.isArray(content) ? content.map(objectOf) : []) {
      const id = nameOf(block.id) ?? nameOf(block.tool_use_id) ?? '';
      if (block.type === 'tool_use') this.#openCalls.add(id);
      else if (block.type === 'tool_result') this.#openCalls.delete(id);
    }
    this.#isAnswered = line.type === 'assistant' && line.isApiErrorMessage !== true;
  }

  finish(source: ImportSource): ImportedTrial {
    const report = this.#stream.finish({ exitCode: 0, signal: null, timedOut: false });
    const completed = this.#isAnswered && this.#openCalls.size === 0;
    const reason = completed ? null : 'the session ends before the last answer';
    const ended = { exitCode: null, signal: null, timedOut: false, completed, reason };
    this.#collector.emit({ type: 'agent-ended', seenBy: 'engine', ...ended });
    if (this.#collector.leftOut > 0) {
      source.warning(this.#line, `${this.#collector.leftOut} events of a long session were left out`);
    }
    const { startedAt, durationMs } = this.#collector;
    const model = this.#model;
    const agent = { agent: 'claude-code', version: this.#version ?? null, model: model ?? null } as const;
    const started = {
      type: 'agent-started',
      at: 0,
      seenBy: 'engine',
      ...agent,
      isolation: 'none',
      isScripted: false,
    } as const;
    return {
      line: this.#line,
      caseId: 'task',
      variant: { agent: 'claude-code', ...(model !== undefined && { model }) },
      trace: [started, ...this.#collector.finish()],
      verdict: undefined,
      fault: completed || !report.fault ? undefined : faultOf(report.fault),
      startedAt,
      durationMs: startedAt === undefined ? undefined : durationMs,
    };
  }
}
