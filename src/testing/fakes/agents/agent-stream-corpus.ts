import { readdirSync } from 'node:fs';
import type { Trace, TraceEvent } from '../../../domain/trace.ts';
import { reportsOfFormat, type StreamFormat, streamFormats } from '../../../drive/agents/stream-formats.ts';
import { fixtureLines, playLines } from './testing-stream.ts';

/** The output of a real agent in one session, and how it is read. */
export interface RecordedStream {
  /** Such as `codex/ok`. */
  readonly name: string;
  readonly format: Exclude<StreamFormat, 'text'>;
  readonly lines: readonly string[];
  /** The trace of a trial in which the agent prints these lines and ends by itself. */
  traceOf(lines: readonly string[]): Trace;
}

const folders: Readonly<Record<RecordedStream['format'], string>> = {
  claude: 'claude-code',
  qwen: 'qwen',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini',
  pi: 'pi',
  copilot: 'copilot',
  kimi: 'kimi',
  cline: 'cline',
  continue: 'continue',
  acp: 'acp',
};

/** Streams that hold the agent's tokens; others write them into files of their session. */
const withTokens: ReadonlySet<StreamFormat> = new Set([
  'claude',
  'qwen',
  'codex',
  'opencode',
  'gemini',
  'pi',
  'cline',
  'acp',
]);

/** Every stream that was recorded from a real agent, frames of the Agent Client Protocol included. */
export const agentStreamCorpus: readonly RecordedStream[] = Object.entries(folders).flatMap(([format, folder]) =>
  streamsIn(format as RecordedStream['format'], folder),
);

function streamsIn(format: RecordedStream['format'], folder: string): RecordedStream[] {
  const fixtures = new URL(`../../../drive/agents/${folder}/fixtures/`, import.meta.url);
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((file) => {
    const name = `${format}/${file.replace('.jsonl', '')}`;
    const exitCode = file.startsWith('error401.') ? 1 : 0;
    return {
      name,
      format,
      lines: fixtureLines(new URL(file, fixtures)),
      traceOf: (lines) => traceOf(format, lines, exitCode),
    };
  });
}

function traceOf(format: RecordedStream['format'], lines: readonly string[], exitCode: number): Trace {
  const { events, report } = playLines(streamFormats[format], lines, { exitCode });
  const { completed, reason, turns } = report;
  const usage = withTokens.has(format) ? (['usage'] as const) : [];
  const started = {
    type: 'agent-started',
    agent: format,
    version: null,
    model: null,
    isolation: 'none',
    isScripted: false,
    reports: [...reportsOfFormat(format), ...usage],
  } as const;
  const ended = { type: 'agent-ended', exitCode, signal: null, timedOut: false, completed, reason } as const;
  const all = [started, ...events, turns === undefined ? ended : { ...ended, turns }];
  return all.map((event, at) => ({ seenBy: 'engine', ...event, at }) as TraceEvent);
}
