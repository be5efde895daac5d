import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import * as z from 'zod';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';
import { controlActionSchema, controlKindSchema } from '../../../domain/tool-control/control-event.ts';
import { parseJson } from '../../../shared/json.ts';
import { MessageLines } from '../wire/message-lines.ts';

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const originFields = {
  proxy: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .describe('id of the proxy; several may write to the same file'),
  at: z.number().describe('milliseconds since 1970'),
};
const direction = z.enum(['to-server', 'from-server']);

/** The records of a proxy, one per line; rewritten messages are logged as the server sent and received them. */
const logRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), ...originFields }),
  z.object({
    kind: z.literal('message'),
    ...originFields,
    direction,
    text: z.string().describe('the unchanged line, unless it was too long'),
    bytesLeftOut: z.number().optional(),
    byProxy: z.boolean().optional().describe('a request that the proxy did not pass on, or its answer to it'),
    answeredBy: controlKindSchema.optional().describe('what answered in place of the server, or changed its answer'),
  }),
  z.object({ kind: z.literal('control'), ...originFields, action: controlActionSchema }),
  z
    .object({
      kind: z.literal('tape'),
      ...originFields,
      direction,
      text: z.string(),
      bytesLeftOut: z.number().optional(),
    })
    .describe('a message to or from the real server, where calls are recorded'),
  z.object({
    kind: z.literal('tape-end'),
    ...originFields,
    id: z.union([z.string(), z.number()]).nullable().describe('of the request without an answer; null: all'),
    code: z.enum(errorCodes),
    what: z.string(),
  }),
  z.object({
    kind: z.literal('oversized'),
    ...originFields,
    direction,
    bytes: z.number().describe('size of a message that was passed on without being parsed'),
    id: z.union([z.string(), z.number()]).nullable(),
  }),
  z.object({
    kind: z.literal('surface-call'),
    ...originFields,
    tool: z.string().describe('tool that the proxy has in place of those of the server'),
    input: z.unknown(),
    durationMs: z.number(),
    output: z.string(),
    error: z.string().optional(),
  }),
  z.object({
    kind: z.literal('unanswered'),
    ...originFields,
    id: z.union([z.string(), z.number()]),
    code: z.enum(errorCodes).describe('error code for the missing answer'),
    what: z.string().describe('the rest of a sentence that begins with the server'),
    isInjected: z.boolean().optional().describe('whether Assay broke the call on purpose'),
  }),
  z.object({ kind: z.literal('full'), ...originFields }).describe('from here on only the end is recorded'),
  z.object({
    kind: z.literal('end'),
    ...originFields,
    endedBy: z.enum(['agent', 'server', 'signal']).describe('signal: the server was stopped by a signal'),
    code: z.enum(errorCodes).nullable().describe('error code; null if it is not a fault'),
    what: z.string().describe('the rest of a sentence that begins with the server'),
    stderr: z.string(),
    messagesLeftOut: z.number(),
  }),
]);
export type LogRecord = z.output<typeof logRecordSchema>;
export type MessageRecord = Extract<LogRecord, { kind: 'message' }>;
export type Direction = MessageRecord['direction'];

const chunkBytes = 262_144;
/** A text of one megabyte in which every character has to be escaped. */
const longestLineBytes = 8 * 1_048_576;
/** Of what all proxies of one server have written; who fills the file does not fill our memory. */
const mostBytes = 128 * 1_048_576;

/** Reads the records that proxies append to a file; lines that are not records are ignored and counted. */
export class LogReader implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #lines: MessageLines;
  #offset = 0;
  #strays = 0;

  /** Creates the file, which must not exist yet, and holds it open: another in its place is then noticed. */
  constructor(path: string, onRecord: (record: LogRecord) => void) {
    this.#path = path;
    const { O_RDWR, O_CREAT, O_EXCL } = constants;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    this.#lines = new MessageLines(longestLineBytes, {
      onLine: (line, isText) => this.#take(isText ? line : '?', onRecord),
      onTooLong: () => this.#strays++,
    });
  }

  /** Passes on every record that is written by now. */
  read(): void {
    const end = Math.min(this.bytes, mostBytes);
    while (this.#offset < end) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - this.#offset));
      const bytesRead = readSync(this.#file, chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      this.#lines.append(chunk.subarray(0, bytesRead));
    }
  }

  get bytes(): number {
    return fstatSync(this.#file).size;
  }

  /** Reasons why records may be missing. */
  get problems(): string[] {
    return [
      ...(this.#strays > 0 ? [`${this.#strays} lines of the log are not records of a proxy`] : []),
      ...(this.bytes > mostBytes ? ['the log was too long to read in full'] : []),
      ...(this.#isInPlace() ? [] : ['the log file was removed or replaced']),
    ];
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #take(line: string, onRecord: (record: LogRecord) => void): void {
    if (line === '') return;
    const record = logRecordSchema.safeParse(parseJson(line)).data;
    if (record) onRecord(record);
    else this.#strays++;
  }

  #isInPlace(): boolean {
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    return found?.ino === fstatSync(this.#file).ino;
  }
}
