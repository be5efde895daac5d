import * as z from 'zod';
import { toolErrorSchema } from './tool-error.ts';
import { variantSchema } from './variant.ts';

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
  /** Recorded where no agent worked, to see which gates hold without it. */
  untouched: z.literal(true).optional(),
  /** The tool as it was: its settings and the digests of its files in the project, by name. */
  subject: z.record(z.string(), z.string()),
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

/** Keys of everything that happened in a trial. */
const eventKeys = {
  /** A secret was masked in the line, so it is not exactly what happened. */
  masked: z.literal(true).optional(),
  /** When it began and ended, by a clock that ticks with every begin and end: what overlaps has no order. */
  span: z.tuple([z.int().min(0), z.int().min(0)]).optional(),
};

const notificationsSchema = z.array(z.strictObject({ method: z.string(), params: z.unknown().optional() }));

/** How a request ended: with one of these. */
const mcpEndKeys = {
  result: data.optional(),
  error: data.optional(),
  unanswered: z.strictObject({ code: z.string(), what: z.string() }).optional(),
  /** Sent by the server before the answer. */
  notifications: notificationsSchema.optional(),
  ...eventKeys,
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

/** Why a call cannot be replayed: it is in the recording, and answers nothing. */
const unrecorded = z.string().optional();

/** A call of a tool that is called directly: a function, a command or an endpoint. */
const directLineSchema = z.strictObject({
  kind: z.literal('direct'),
  tool: z.string(),
  input: z.unknown().optional(),
  /** Absent where there is an error or a fault, and for a tool that returned nothing. */
  result: z.unknown().optional(),
  error: toolErrorSchema.optional(),
  /** HTTP status of a result. */
  status: z.int().optional(),
  /** The tool did not answer. */
  fault: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  printed: z
    .array(z.strictObject({ channel: z.enum(['stdout', 'stderr']), text: z.string(), truncatedBytes: z.int().min(0) }))
    .optional(),
  unrecorded,
  ...eventKeys,
  sum,
});

/** Bytes as text, or in base64 where they are not UTF-8. */
const bytes = z.union([z.string(), z.strictObject({ base64: z.base64() })]);
export type TapedBytes = z.output<typeof bytes>;

/** Inside the work directory, or `<assay:home>/…` and `<assay:tmp>/…`. */
const trialPath = z
  .string()
  .min(1)
  .refine(
    (path) => /^(?:<assay:(?:home|tmp)>\/)?(?!\/|<assay:)/.test(path) && !path.split('/').includes('..'),
    'expected a path inside the work directory, or the home or temporary folder of the trial',
  );

const fileMode = z.string().regex(/^[0-7]{3,4}$/, 'expected the mode of a file, such as 644');

/** State in which a program left a path. */
const changedFileSchema = z.union([
  z.strictObject({ path: trialPath, is: z.literal('file'), mode: fileMode, content: bytes }),
  z.strictObject({ path: trialPath, is: z.literal('folder'), mode: fileMode }),
  z.strictObject({ path: trialPath, is: z.literal('link'), to: z.string() }),
  z.strictObject({ path: trialPath, is: z.literal('removed') }),
]);
export type TapedFile = z.output<typeof changedFileSchema>;

/** Who a program under test is: a recording of another one is not mixed with its answers. */
const programLineSchema = z.strictObject({
  kind: z.literal('program'),
  tool: z.string(),
  /** Of its file; absent where it has none that can be read. */
  digest: digest.optional(),
  sum,
});

/** A call of a program. */
const runLineSchema = z.strictObject({
  kind: z.literal('run'),
  tool: z.string(),
  /** Made by a script or a gate of the scenario, and not by the agent. */
  by: z.literal('script').optional(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** The standard input that the answer depends on; absent where it depends on none. */
  stdin: z
    .strictObject({
      content: bytes,
      /** Bytes of it that were read; all without it. */
      taken: z.int().min(0).optional(),
      /** Whether the input ended there. */
      ended: z.boolean(),
    })
    .optional(),
  /** Pieces in the order in which they were printed; stdout and stderr that went to one place are stdout. */
  output: z.array(z.union([z.strictObject({ stdout: bytes }), z.strictObject({ stderr: bytes })])).optional(),
  isMerged: z.literal(true).optional(),
  /** One of these; neither for a program that ran until it was killed. */
  exitCode: z.int().min(0).max(255).optional(),
  signal: z.int().min(1).max(64).optional(),
  files: z.array(changedFileSchema).optional(),
  /** Digests of the files that its arguments name, as they were before it. */
  given: z.record(z.string(), digest).optional(),
  /** Reasons why others may have had a part in it. */
  doubts: z.array(z.string()).optional(),
  unrecorded,
  ...eventKeys,
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
  directLineSchema,
  programLineSchema,
  runLineSchema,
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
  readonly untouched?: true | undefined;
}

/** A tool as it was when it was recorded: its settings and the digests of its files in the project, by name. */
export type TapedSubject = Readonly<Record<string, string>>;

/** The recording of one trial. */
export interface Take extends TakeOf {
  readonly subject: TapedSubject;
  /** Of its first line. */
  readonly place: string;
  readonly lines: readonly Placed<TapeLine>[];
}
