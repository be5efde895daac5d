import * as z from 'zod';

/** A server to connect to: one that a scenario file names, or one that is typed. */
export const openSessionSchema = z.union([
  z.strictObject({
    label: z.string().min(1).max(10_000).describe('of a server that a scenario file names'),
    file: z.string().max(1_000).optional().describe('the scenario file, where several name a server with this label'),
  }),
  z.strictObject({
    address: z.string().min(1).max(10_000).describe('URL, or command line; needs the role editor'),
    transport: z.enum(['stdio', 'shttp', 'sse']).optional(),
  }),
]);
export type OpenSession = z.infer<typeof openSessionSchema>;

const problemSchema = z.object({ message: z.string(), code: z.string(), hint: z.string() });
const definitionSchema = z.record(z.string(), z.unknown());

/** Definitions of one kind, as the server sent them. */
const offeredSchema = z.object({
  items: z.array(definitionSchema),
  problem: z.string().nullable().describe('why the list is not complete'),
});

const factsSchema = z.object({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  instructions: z.string().nullable(),
});

/** `connecting`, then `open` until it is `broken` by the server or `closed` by a user. */
const sessionStatusSchema = z.enum(['connecting', 'open', 'broken', 'closed']);

/** Whether the server is used with OAuth, and how far a login is. */
const loginSchema = z.object({
  state: z.enum(['not-needed', 'required', 'waiting', 'failed', 'logged-in']),
  page: z.string().nullable().describe('where the user logs in, while that is awaited'),
  message: z.string().nullable(),
});

/** A session with an MCP server that is used by hand. */
export const workbenchSessionSchema = z.object({
  id: z.string(),
  label: z.string(),
  file: z.string().nullable().describe('the scenario file that names the server'),
  transport: z.string(),
  openedAt: z.number(),
  status: sessionStatusSchema,
  problem: problemSchema.nullable().describe('why it could not be opened, or broke'),
  login: loginSchema,
  facts: factsSchema.nullable().describe('null until it is open'),
  tools: offeredSchema,
  prompts: offeredSchema,
  resources: offeredSchema,
  resourceTemplates: offeredSchema,
  notices: z.array(z.string()).describe('protocol errors that were ignored'),
  stderr: z.string().nullable(),
});
export type WorkbenchSessionDetail = z.infer<typeof workbenchSessionSchema>;

/** The open sessions. */
export const workbenchSessionsSchema = z.object({
  items: z.array(workbenchSessionSchema.pick({ id: true, label: true, file: true, openedAt: true, status: true })),
});
export type WorkbenchSessions = z.infer<typeof workbenchSessionsSchema>;

/** A request by hand. */
export const handRequestSchema = z.strictObject({
  method: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).default({}),
  by: z.enum(['user', 'app']).default('user').describe('`app`: a UI resource of the server sent it'),
  isAwaited: z.boolean().default(false).describe('answer when the server has answered'),
});
export type HandRequest = z.input<typeof handRequestSchema>;

const answerErrorSchema = z.object({ code: z.union([z.number(), z.string()]), message: z.string(), data: z.unknown() });

/** The part of a server that a call can become a test of. */
const testPartSchema = z.enum(['tool', 'resource', 'prompt', 'sampling', 'elicitation']);
export type TestPart = z.infer<typeof testPartSchema>;

/** A request by hand and its answer. */
export const handCallSchema = z.object({
  id: z.string(),
  sequence: z.number().describe('of its last change'),
  by: z.enum(['user', 'app']),
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
  startedAt: z.number(),
  durationMs: z.number().nullable(),
  state: z.enum(['open', 'result', 'error', 'failed', 'cancelled']),
  result: z.unknown(),
  error: answerErrorSchema.nullable(),
  testPart: testPartSchema.nullable().describe('what it can become a test of'),
  whyNoTest: z.string().nullable(),
});
export type HandCall = z.infer<typeof handCallSchema>;

/** A request of the server, which a user answers. */
const serverRequestSchema = z.object({
  id: z.string(),
  sequence: z.number().describe('of its last change'),
  method: z.string(),
  params: z.unknown(),
  at: z.number(),
  state: z.enum(['waiting', 'answered', 'refused', 'withdrawn']),
  answer: z.unknown(),
});
export type ServerRequestItem = z.infer<typeof serverRequestSchema>;

/** A message of the protocol, as text, because it may be cut. */
const frameSchema = z.object({
  sequence: z.number(),
  at: z.number(),
  direction: z.enum(['to-server', 'from-server']),
  summary: z.string().describe('the method, or what it answers'),
  text: z.string(),
  leftOut: z.number().describe('characters that are not shown'),
});
export type Frame = z.infer<typeof frameSchema>;

/** Everything of a session that changed after a point in its history. */
export const activitySchema = z.object({
  sequence: z.number().describe('the point to go on from'),
  status: sessionStatusSchema,
  detailSequence: z.number().describe('changes when the status, the login or the lists of the server do'),
  calls: z.array(handCallSchema),
  requests: z.array(serverRequestSchema),
  frames: z.array(frameSchema).describe('the newest ones, where there are too many'),
});
export type Activity = z.infer<typeof activitySchema>;

export const activityQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  waitMs: z.coerce.number().int().min(0).max(30_000).default(0).describe('how long to wait for a change'),
});

/** The answer of a user to a request of the server: a result, or a refusal. */
export const handAnswerSchema = z.union([
  z.strictObject({ result: z.record(z.string(), z.unknown()) }),
  z.strictObject({ error: z.strictObject({ code: z.int(), message: z.string().max(10_000) }) }),
]);
export type HandAnswer = z.infer<typeof handAnswerSchema>;

/** The address that the browser of the user ended at, where it runs on another machine. */
export const loginAnswerSchema = z.strictObject({ address: z.string().min(1).max(10_000) });

/** A UI resource to show. */
export const openAppSchema = z.strictObject({ uri: z.string().min(1).max(10_000) });

/** A UI resource of the server, and what it may do in its frame. */
export const appDetailSchema = z.object({
  id: z.string(),
  uri: z.string(),
  policy: z.string().describe('Content-Security-Policy of its frame'),
  domains: z
    .object({
      connectDomains: z.array(z.string()),
      resourceDomains: z.array(z.string()),
      frameDomains: z.array(z.string()),
      baseUriDomains: z.array(z.string()),
    })
    .describe('declared by the server, and allowed'),
  permissions: z.array(z.string()).describe('declared by the server; none is granted'),
  problems: z.array(z.string()).describe('declarations that are not valid'),
});
export type AppDetail = z.infer<typeof appDetailSchema>;

/** Where a call is added as a test, and what it expects. */
export const addTestSchema = z.strictObject({
  file: z.string().min(1).max(1_000).describe('a file about this server, or a new one'),
  suite: z.string().min(1).max(200).describe('a suite of the file, or a new one'),
  name: z.string().min(1).max(500).describe('name of the test'),
  expect: z
    .enum(['same', 'part', 'answered'])
    .default('same')
    .describe('the same answer; at least its fields; or any answer of the same kind'),
});
export type AddTest = z.input<typeof addTestSchema>;

/** Files and suites that a test can be added to. */
export const testPlacesSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      suites: z.array(z.object({ part: testPartSchema, name: z.string() })),
      whyNot: z.string().nullable().describe('why it cannot be changed from here'),
    }),
  ),
  newFile: z.string().describe('a name for a new file'),
  newSuite: z.string().describe('a name for a new suite, which no scenario has yet'),
});
export type TestPlaces = z.infer<typeof testPlacesSchema>;

/** The test that was written. */
export const addedTestSchema = z.object({
  file: z.string(),
  suite: z.string(),
  isNewFile: z.boolean(),
  text: z.string().describe('the test, as YAML'),
});
export type AddedTest = z.infer<typeof addedTestSchema>;

export const definitionHistoryQuery = z.object({
  label: z.string().min(1).max(10_000),
  session: z.string().max(100).optional().describe('an open session with the server, whose tools are the newest'),
});

/** How the tools of a server changed between the stored runs. */
export const definitionHistorySchema = z.object({
  label: z.string(),
  versions: z
    .array(
      z.object({
        runId: z.string().nullable().describe('null: the open session'),
        seenAt: z.number(),
        tools: z.number(),
        isFirst: z.boolean().describe('the oldest run that is looked at'),
        changes: z.array(
          z.object({
            tool: z.string(),
            kind: z.enum(['added', 'removed', 'changed']),
            fields: z.array(z.string()).describe('that changed, where both definitions were kept'),
            before: definitionSchema.nullable().describe('null: there was none, or it was not kept'),
            after: definitionSchema.nullable().describe('null: there is none, or it was not kept'),
          }),
        ),
      }),
    )
    .describe('the newest first; runs without a change are left out'),
});
export type DefinitionHistory = z.infer<typeof definitionHistorySchema>;
