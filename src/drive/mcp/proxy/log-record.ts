import * as z from 'zod';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const seen = {
  proxy: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .describe('one of several that may write to the same file'),
  at: z.number().describe('milliseconds since 1970'),
};
const direction = z.enum(['to-server', 'from-server']);

/** What a proxy writes down, one record a line; what was rewritten is told as the server saw it and said it. */
export const logRecordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), ...seen }),
  z.object({
    kind: z.literal('message'),
    ...seen,
    direction,
    text: z.string().describe('the line as it was, unless it was too long'),
    bytesLeftOut: z.number().optional(),
    byProxy: z.boolean().optional().describe('a request that the proxy kept from the server, or its answer to it'),
  }),
  z.object({
    kind: z.literal('oversized'),
    ...seen,
    direction,
    bytes: z.number().describe('of a message that went by without being looked at'),
    id: z.union([z.string(), z.number()]).nullable(),
  }),
  z.object({
    kind: z.literal('unanswered'),
    ...seen,
    id: z.union([z.string(), z.number()]),
    code: z.enum(errorCodes).describe('what kind of fault keeps the answer from coming'),
    what: z.string().describe('the rest of a sentence that begins with the server'),
  }),
  z.object({ kind: z.literal('full'), ...seen }).describe('nothing but the end is written down from here on'),
  z.object({
    kind: z.literal('end'),
    ...seen,
    endedBy: z.enum(['agent', 'server', 'signal']).describe('signal: somebody told the server to end'),
    code: z.enum(errorCodes).nullable().describe('what kind of fault that is; null where it is none'),
    what: z.string().describe('the rest of a sentence that begins with the server'),
    stderr: z.string(),
    messagesLeftOut: z.number(),
  }),
]);
export type LogRecord = z.output<typeof logRecordSchema>;
export type MessageRecord = Extract<LogRecord, { kind: 'message' }>;
export type Direction = MessageRecord['direction'];
