import { access, readFile } from 'node:fs/promises';
import { faultOf } from '../../../domain/outcome.ts';
import type { AgentStream } from '../../../drive/agents/agent.ts';
import {
  detectFormat,
  reportsOfFormat,
  type StreamFormat,
  streamFormats,
} from '../../../drive/agents/stream-formats.ts';
import { isRecord } from '../../../shared/json.ts';
import { type JsonObject, knownParts, objectOf, parseJson } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource, SourceLine } from '../import-source.ts';
import type { Sample } from '../sample.ts';
import { agentEnded, agentStarted, modelIn, startsSession, versionIn } from '../session-lines.ts';
import { TraceCollector } from '../trace-collector.ts';

type AgentFormat = Exclude<StreamFormat, 'text'>;

const agents: Readonly<Record<AgentFormat, { readonly agent: string | undefined; readonly summary: string }>> = {
  claude: { agent: 'claude-code', summary: 'output of Claude Code (stream-json)' },
  qwen: { agent: 'qwen', summary: 'output of Qwen Code (stream-json)' },
  codex: { agent: 'codex', summary: 'output of Codex (exec --json)' },
  opencode: { agent: 'opencode', summary: 'output of OpenCode (run --format json)' },
  gemini: { agent: 'gemini', summary: 'output of Gemini CLI (stream-json)' },
  pi: { agent: 'pi', summary: 'output of pi (--mode json)' },
  copilot: { agent: 'copilot', summary: 'output of Copilot CLI (--output-format json)' },
  kimi: { agent: 'kimi', summary: 'output of Kimi Code (stream-json)' },
  cline: { agent: 'cline', summary: 'output of Cline (--json)' },
  continue: { agent: 'continue', summary: 'output of Continue (--format json)' },
  acp: { agent: undefined, summary: 'frames of the Agent Client Protocol' },
};

/** One format for the output of each agent. */
export const agentStreams: readonly ImportFormat[] = (Object.keys(agents) as AgentFormat[]).map((name) => ({
  name,
  summary: agents[name].summary,
  reports: reportsOfFormat(name),
  recognises: (sample) => agentFormatOf(sample) === name,
  read: (source) => readSessions(source, name),
}));

/** Kimi's messages look like any chat; only its metadata distinguishes them. */
function agentFormatOf({ lines, objects }: Sample): StreamFormat | undefined {
  const format = detectFormat(lines);
  return format === 'kimi' && !objects.some(({ role }) => role === 'meta') ? undefined : format;
}

/** A file may hold one session after the other, of different agents as well. */
async function* readSessions(source: ImportSource, first: AgentFormat): AsyncGenerator<ImportedTrial, void> {
  let session: Session | undefined;
  for await (const line of source.lines()) {
    if (line.text.trim() === '') continue;
    const object = parseJson(line.text);
    if (!isRecord(object)) source.unreadable(line, 'not a JSON object; kept as output');
    const format = isRecord(object)
      ? (formatOfStart(object, line.text, session?.format ?? first) ?? undefined)
      : undefined;
    if (session && format !== undefined && isRecord(object) && session.isEndedBy(object, format)) {
      yield session.finish(source);
      session = undefined;
    }
    session ??= new Session(format ?? first, line.number);
    session.take(line, isRecord(object) ? object : undefined);
  }
  if (!session) return;
  const stderr = await stderrBeside(source.path);
  if (session.isOfItsFormat || stderr !== '') yield session.finish(source, stderr);
  else source.problem(1, `not ${agents[session.format].summary}: no line has an event of it`);
}

function formatOfStart(object: JsonObject, text: string, current: AgentFormat): AgentFormat | undefined {
  const format = detectFormat([text]);
  if (format === undefined || format === 'text') return undefined;
  return startsSession(object) ? format : format === current ? current : undefined;
}

/** Content of the `.stderr` file beside the output. */
async function stderrBeside(path: string): Promise<string> {
  const file = path.replace(/\.[^./]+$/, '.stderr');
  if (file === path) return '';
  return access(file).then(
    () => readFile(file, 'utf8').catch(() => ''),
    () => '',
  );
}

class Session {
  readonly format: AgentFormat;
  readonly #line: number;
  readonly #collector = new TraceCollector();
  readonly #stream: AgentStream;
  #model: string | undefined;
  #version: string | undefined;
  #agent: string | undefined;
  #startId: string | undefined;
  #hasContent = false;
  #isKnown = false;

  constructor(format: AgentFormat, line: number) {
    this.format = format;
    this.#line = line;
    this.#agent = agents[format].agent;
    this.#stream = streamFormats[format](this.#collector.emit);
  }

  get isOfItsFormat(): boolean {
    return this.#isKnown || this.#collector.isUnderstood;
  }

  /** Whether a line begins another session: a start of another kind, or a second one of the same. */
  isEndedBy(object: JsonObject, format: AgentFormat): boolean {
    const id = startsSession(object);
    if (id === undefined) return false;
    return format !== this.format || (this.#hasContent && this.#startId !== undefined && id !== this.#startId);
  }

  take({ text }: SourceLine, object: JsonObject | undefined): void {
    if (object) {
      this.#isKnown ||= detectFormat([text]) === this.format;
      this.#startId ??= startsSession(object);
      this.#model ??= modelIn(object);
      this.#version ??= versionIn(object);
      if (this.format === 'acp') this.#agent ??= acpAgentIn(object);
      this.#collector.setTime(object.timestamp ?? object.ts ?? objectOf(object.message).timestamp);
    }
    this.#hasContent = true;
    this.#stream.line(text);
  }

  finish(source: ImportSource, stderr = ''): ImportedTrial {
    source.lossesInto(this.#collector, this.#line);
    for (const line of stderr.split('\n')) if (line !== '') this.#stream.errorLine(line);
    // The exit code is not in the file, but the error output is.
    const exitCode = /^error\b/im.test(stderr) ? 1 : 0;
    const report = this.#stream.finish({ exitCode, signal: null, timedOut: false });
    const { completed, reason, turns, fault } = report;
    // A lost line may have been the first or the last.
    if (this.#collector.hasGaps || this.#collector.lacksResults)
      this.#collector.lose(['times'], 'a part of the stream is missing');
    const ended = agentEnded(reason, this.#collector.at, completed);
    this.#collector.keep({ ...ended, ...(turns !== undefined && { turns }) });
    const { startedAt, durationMs } = this.#collector;
    const [agent, model, version] = [this.#agent, this.#model, this.#version];
    const named = { agent: agent ?? this.format, version, model, reports: reportsOfFormat(this.format) };
    return {
      line: this.#line,
      caseId: 'task',
      variant: knownParts({ agent, model }),
      trace: [agentStarted(named), ...this.#collector.finish()],
      verdict: undefined,
      fault: fault && faultOf(fault),
      startedAt,
      durationMs,
    };
  }
}

function acpAgentIn({ result }: JsonObject): string | undefined {
  const info = isRecord(result) ? result.agentInfo : undefined;
  return isRecord(info) && typeof info.name === 'string' ? info.name : undefined;
}
