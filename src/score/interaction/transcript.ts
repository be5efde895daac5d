import type { Trace } from '../../domain/trace.ts';
import { oneLine } from '../../shared/text.ts';
import { asksForHelp, programName } from './command-line.ts';
import { type CommandPattern, compileCommandPattern, type PatternFind, subcommandOf } from './command-pattern.ts';
import type { ToolCommand, TrackedTool } from './tool-command.ts';

/** A line of the transcript, and the event of the trace that it comes from. */
interface TranscriptLine {
  readonly text: string;
  readonly eventIndex: number;
}

const exitCodeWindow = 20;
const exitCode = /exit\s+(?:code|status):?\s*(\d{1,9})/i;
const failure = /error|failed|exit code|non-zero/i;
const lineEnd = /\r?\n/;
const colour = /\u001B\[[\d;?]*[A-Za-z]/g;
const notCommands = new Set(['exit', 'error', 'failed']);

/** Output and messages of the agent; messages to the agent do not contain its commands. */
export function transcriptOf(trace: Trace): TranscriptLine[] {
  return trace.flatMap((event, eventIndex) => {
    const isFromAgent = event.type === 'output' || (event.type === 'message' && event.role === 'assistant');
    if (!isFromAgent || event.text === '') return [];
    const text = event.text.replace(colour, '').replace(/\r?\n$/, '');
    return text.split(lineEnd).map((line) => ({ text: line, eventIndex }));
  });
}

/**
 * The commands in a text, found line by line with the tool's pattern; exit codes are what the text says nearby. None
 * when the pattern cannot be used.
 */
export function readTranscript(lines: readonly TranscriptLine[], tool: TrackedTool): ToolCommand[] {
  const compiled = compileCommandPattern(tool);
  if ('problem' in compiled) return [];
  const { pattern } = compiled;
  const found = lines.flatMap((line, lineIndex) => {
    const find = pattern.find(line.text);
    return find && !notCommands.has((find.firstGroup ?? '').toLowerCase()) ? [{ line, lineIndex, find }] : [];
  });
  return found.map(({ line, lineIndex, find }, index) => {
    const nextCommand = found[index + 1]?.lineIndex ?? lines.length;
    const window = lines.slice(lineIndex + 1, Math.min(nextCommand, lineIndex + 1 + exitCodeWindow));
    return { index, eventIndex: line.eventIndex, ...describe(line.text, find, pattern, window) };
  });
}

type Description = Pick<ToolCommand, 'line' | 'subcommand' | 'exitCode' | 'result' | 'isHelp'>;

function describe(
  text: string,
  { start, captured }: PatternFind,
  pattern: CommandPattern,
  window: readonly TranscriptLine[],
): Description {
  const [program = '', ...args] = oneLine(text.slice(start)).split(' ');
  const line = [programName(program), ...args].join(' ');
  const subcommand = pattern.hasGroup ? subcommandOf(captured ?? args[0] ?? 'command') : undefined;
  if (text.includes('--help') || subcommand === 'help' || asksForHelp(args)) {
    return { line, subcommand, exitCode: 0, result: 'succeeded', isHelp: true };
  }
  const code = exitCodeIn(window);
  return { line, subcommand, exitCode: code, result: code === 0 ? 'succeeded' : 'failed', isHelp: false };
}

/** A code that is written out wins over words that sound like a failure. The window ends before the next command. */
function exitCodeIn(window: readonly TranscriptLine[]): number {
  for (const { text } of window) {
    const code = exitCode.exec(text)?.[1];
    if (code !== undefined) return Number(code);
  }
  return window.some(({ text }) => failure.test(text)) ? 1 : 0;
}
