import { open } from 'node:fs/promises';
import { isRecord } from '../../shared/json.ts';
import { JsonScanner } from '../sources/json-scanner.ts';
import { parseJson } from './coerce.ts';

/** Large, because agents begin with long lists of their tools. */
const sampleBytes = 1_048_576;
const mostLines = 60;

/** Members that hold the records of a document. */
const recordKeys = new Set(['trials', 'simulations', 'resourceSpans', 'messages']);

/** The beginning of a file, by which its format is recognised. */
export interface Sample {
  /** Name of the file without its folder. */
  readonly fileName: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** The JSON objects that begin it: of its lines, or the records of its document. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly isEmpty: boolean;
  readonly isBinary: boolean;
}

/** Reads the beginning of a file. */
export async function readSample(path: string, fileName: string, bytes: number): Promise<Sample> {
  const file = await open(path);
  try {
    const length = Math.min(bytes, sampleBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return sampleOf(buffer.subarray(0, bytesRead), fileName);
  } finally {
    await file.close();
  }
}

/** The sample of a file's first bytes. */
function sampleOf(bytes: Buffer, fileName: string): Sample {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/).slice(0, mostLines);
  const ofLines = lines.map((line) => (line.startsWith('{') ? parseJson(line) : undefined)).filter(isRecord);
  return {
    fileName,
    text,
    lines,
    objects: ofLines.length > 0 && !hasRecords(ofLines[0]) ? ofLines : recordsIn(text),
    isEmpty: text.trim() === '',
    isBinary: bytes.includes(0),
  };
}

/** Whether one of the first objects matches. */
export function someObject(
  { objects }: Sample,
  isWanted: (object: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  return objects.some(isWanted);
}

function hasRecords(object: Readonly<Record<string, unknown>> | undefined): boolean {
  return object !== undefined && [...recordKeys].some((key) => key !== 'messages' && Array.isArray(object[key]));
}

/** The records of the document's beginning, followed by its other members. */
function recordsIn(text: string): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  const head: Record<string, unknown> = {};
  const scanner = new JsonScanner(recordKeys, ({ text: part, key, isElement }) => {
    if (found.length === mostLines) return;
    const value = parseJson(part);
    if (!isElement && key !== undefined) head[key] = value;
    else if (isRecord(value)) found.push(value);
  });
  if (/^\s*[[{]/.test(text)) scanner.push(text);
  return [...found, head];
}
