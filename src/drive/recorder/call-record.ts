import { constants } from 'node:os';
import { brokenPipeExitCode } from '../../domain/process-end.ts';
import type { TraceEventOf } from '../../domain/trace.ts';

/** The name of a signal; the number of one that has none. */
function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}

/** The format that the shims write: fields that end with NUL, the first of them this. */
const format = '1';

export interface CallStart {
  readonly argv: string[];
  readonly cwd: string;
  readonly isNested: boolean;
  /** Milliseconds since 1970; undefined where the shim has no clock. */
  readonly startedAt: number | undefined;
}

type Command = TraceEventOf<'command'>;

export interface CallEnd extends Pick<Command, 'exitCode' | 'signal' | 'stdout' | 'stderr'> {
  /** Undefined where the shim has no clock. */
  readonly durationMs: number | undefined;
  /** How long the shim waited for its server before it started the tool. */
  readonly waitedMs: number;
  /** Whether a reader of its output went away while it ran. */
  readonly lostReader: boolean;
}

/** The beginning of a file of a call, and how much of it was left out. */
export interface CallBytes {
  readonly bytes: Buffer;
  readonly bytesLeftOut: number;
}

/** Parses the file that a shim writes when the tool is called; undefined for an incomplete or foreign file. */
export function parseCallStart({ bytes, bytesLeftOut }: CallBytes): CallStart | undefined {
  const [version, nested = '', time = '', cwd = '', ...argv] = fieldsOf(bytes, bytesLeftOut > 0);
  if (version !== format || !/^[01]$/.test(nested) || !isNumberOrEmpty(time)) return undefined;
  if (!cwd.startsWith('/') || argv.length === 0) return undefined;
  const decoded = argv.map((argument) => binary(argument).toString('utf8'));
  if (bytesLeftOut > 0) decoded.push(`… ${bytesLeftOut} bytes left out …`);
  return {
    argv: decoded,
    cwd: binary(cwd).toString('utf8'),
    isNested: nested === '1',
    startedAt: time === '' ? undefined : Number(time),
  };
}

/** The report of a call, and what the server found out about its caller. */
interface ServedStart {
  readonly start: CallStart;
  readonly isCut: boolean;
  /** Whether the shim was under the influence of another process, so its report may be forged. */
  readonly isInfluenced: boolean;
}

/** Parses what the server hands on when the tool is called; undefined for a report that no shim makes. */
export function parseServedStart(bytes: Buffer): ServedStart | undefined {
  const [nested, influence, total] = bytes.toString('latin1', 0, 64).split('\0');
  if (nested === undefined || influence === undefined || total === undefined) return undefined;
  const content = bytes.subarray(nested.length + influence.length + total.length + 3);
  const bytesLeftOut = Math.max(0, Number(total) - content.length);
  const start = parseCallStart({ bytes: content, bytesLeftOut });
  if (start === undefined) return undefined;
  const isNested = nested === '' ? start.isNested : nested === '1';
  return { start: { ...start, isNested }, isCut: bytesLeftOut > 0, isInfluenced: influence !== '' };
}

/** Parses the file that a shim writes when the tool has ended; undefined for an incomplete or foreign file. */
export function parseCallEnd({ bytes, bytesLeftOut }: CallBytes): CallEnd | undefined {
  const fields = fieldsOf(bytes, false);
  const [version, kind = '', number = '', took = ''] = fields;
  const outputs = [fields.slice(4, 7), fields.slice(7, 10)];
  const waited = fields[11] ?? '';
  if (
    bytesLeftOut > 0 ||
    fields.length < 11 ||
    fields.length > 12 ||
    !isNumberOrEmpty(waited) ||
    version !== format ||
    !/^[.|]$/.test(fields[10] ?? '')
  )
    return undefined;
  if (!/^(exit|signal)$/.test(kind) || !/^\d{1,3}$/.test(number) || !isNumberOrEmpty(took)) return undefined;
  if (!outputs.every(([total = '']) => total === '-' || /^\d{1,15}$/.test(total))) return undefined;
  return {
    exitCode: kind === 'exit' ? Number(number) : null,
    signal: kind === 'signal' ? signalName(Number(number)) : null,
    durationMs: took === '' ? undefined : Number(took),
    waitedMs: Number(waited),
    lostReader: fields[10] === '|',
    stdout: parseOutput(outputs[0]),
    stderr: parseOutput(outputs[1]),
  };
}

function parseOutput([total = '-', head = '', tail = '']: string[] = []): Command['stdout'] {
  if (total === '-') return null;
  const [first, last] = [unescaped(head), unescaped(tail)];
  const truncatedBytes = Math.max(0, Number(total) - first.length - last.length);
  if (truncatedBytes === 0) return { text: Buffer.concat([first, last]).toString('utf8'), truncatedBytes };
  const text = `${first.toString('utf8')}\n… ${truncatedBytes} bytes left out …\n${last.toString('utf8')}`;
  return { text, truncatedBytes };
}

/** One character for each byte, to lose none; none where the last field has no end and should have one. */
function fieldsOf(bytes: Buffer, isCut: boolean): string[] {
  const fields = bytes.toString('latin1').split('\0');
  const rest = fields.pop();
  if (rest === '') return fields;
  return isCut && rest !== undefined ? [...fields, rest] : [];
}

function binary(field: string): Buffer {
  return Buffer.from(field, 'latin1');
}

function unescaped(field: string): Buffer {
  return binary(field.replace(/\\([\\0])/g, (_, character: string) => (character === '0' ? '\0' : '\\')));
}

function isNumberOrEmpty(text: string): boolean {
  return /^(\d{1,15}(\.\d{1,15})?)?$/.test(text);
}

/** How Python reports that its last output could not be written. */
const pythonFlushExitCode = 120;

const brokenPipeWords = /\bEPIPE\b|BrokenPipe|broken pipe/i;

/**
 * Whether a program ended because the reader of its output closed the pipe, as in `tool list | head -1`. Programs that
 * do not die of the signal report their own error, which counts only when the shim saw the reader leave.
 */
export function wasCutOff(
  { exitCode, signal, stderr }: Pick<TraceEventOf<'command'>, 'exitCode' | 'signal' | 'stderr'>,
  lostReader: boolean,
): boolean {
  if (signal === 'SIGPIPE' || exitCode === brokenPipeExitCode) return true;
  if (!lostReader || exitCode === 0) return false;
  return exitCode === pythonFlushExitCode || brokenPipeWords.test(stderr?.text ?? '');
}
