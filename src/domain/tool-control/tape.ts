import * as z from 'zod';
import { variantSchema } from '../variant.ts';

const data = z.record(z.string(), z.unknown());

/** First characters of a SHA-256. */
const digest = z.string().regex(/^[0-9a-f]{16}$/, 'expected 16 hexadecimal digits');

/** Of the rest of the line: one that was edited by hand is found by it. */
const sum = digest;

const headLineSchema = z.strictObject({
  kind: z.literal('tape'),
  version: z.int().refine((version) => version === 1, 'only version 1 can be read'),
  scenario: z.string(),
  case: z.string(),
  sum,
});

/** Begins the recording of one trial; the lines that follow belong to it. */
const takeLineSchema = z.strictObject({
  kind: z.literal('take'),
  variant: variantSchema,
  repeat: z.int(),
  /** Of the sums of its lines: one that was removed, added or moved is found by it. */
  content: digest,
  sum,
});

const serverLineSchema = z.strictObject({
  kind: z.literal('server'),
  /** By the name that its user gave it. */
  server: z.string(),
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  /** Of the definitions of its tools. */
  schemas: digest,
  sum,
});

/** A tool of a server as it was listed; lists of tools name it. */
const toolLineSchema = z.strictObject({ kind: z.literal('tool'), server: z.string(), definition: data, sum });

/** A secret was masked in the line, so it is not exactly what happened. */
const maskedKey = { masked: z.literal(true).optional() };

const notificationsSchema = z.array(z.strictObject({ method: z.string(), params: z.unknown().optional() }));

/** How a request ended: with one of these. */
const mcpEndKeys = {
  result: data.optional(),
  error: data.optional(),
  unanswered: z.strictObject({ code: z.string(), what: z.string() }).optional(),
  /** Sent by the server before the answer. */
  notifications: notificationsSchema.optional(),
  ...maskedKey,
};

/** Another request to a server than a call of a tool, such as the handshake. */
const requestLineSchema = z.strictObject({
  kind: z.literal('request'),
  server: z.string(),
  method: z.string(),
  params: data.optional(),
  ...mcpEndKeys,
  sum,
});

const callLineSchema = z.strictObject({
  kind: z.literal('call'),
  server: z.string(),
  tool: z.string(),
  args: data,
  /** Of a call that was sent again with what the server needed: its answers and state. */
  input: data.optional(),
  ...mcpEndKeys,
  sum,
});

/** Something that happened and cannot be replayed, so the whole take cannot. */
const obstacleLineSchema = z.strictObject({ kind: z.literal('obstacle'), tool: z.string(), what: z.string(), sum });

/** A line of a recording of tool calls. */
export const tapeLineSchema = z.discriminatedUnion('kind', [
  headLineSchema,
  takeLineSchema,
  serverLineSchema,
  toolLineSchema,
  requestLineSchema,
  callLineSchema,
  obstacleLineSchema,
]);
export type SummedLine = z.output<typeof tapeLineSchema>;

type WithoutSum<Line> = Line extends SummedLine ? Omit<Line, 'sum'> : never;
export type TapeLine = WithoutSum<SummedLine>;

/** A line of a take, by the place where it is in its file. */
export type Placed<Line> = Line & { readonly place: string };

/** The trial that a take was recorded in. */
export interface TakeOf {
  readonly variant: z.output<typeof variantSchema>;
  readonly repeat: number;
}

/** The recording of one trial. */
export interface Take extends TakeOf {
  /** Of its first line. */
  readonly place: string;
  readonly lines: readonly Placed<TapeLine>[];
}
