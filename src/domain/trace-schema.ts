import * as z from 'zod';
import { agentViewSchema } from './agent-view.ts';
import { approvalPolicySchema, approvalSchema } from './approval-event.ts';
import { attachmentSchema } from './attachment.ts';
import { plantedAttackSchema } from './attacks/attack-event.ts';
import { pageStateSchema } from './browser.ts';
import { actionKindSchema, channelSchema, reportSchema } from './capability.ts';
import { isolationTierSchema } from './isolation-tier.ts';
import { suiteTestKindSchema } from './mcp-findings.ts';
import { messageSchema } from './message.ts';
import { faultSchema } from './outcome.ts';
import { serverUsageSchema } from './server-performance.ts';
import { servingPurposeSchema } from './serving-purpose.ts';
import { conversationEndedSchema, simulatedUserSchema, userCallSchema } from './simulated-user.ts';
import { stateDifferenceSchema } from './state-change.ts';
import { controlActionSchema, controlKindSchema } from './tool-control/control-event.ts';
import { toolErrorSchema } from './tool-error.ts';
import { usageSchema, usageShape } from './usage.ts';
import { variantSchema } from './variant.ts';

/**
 * Who saw an event happen: the agent reported it, the recorder at the target or the gateway to the model saw it, or the
 * engine did it itself.
 */
const seenBySchema = z.enum(['agent', 'recorder', 'gateway', 'engine']);

/** An API of a model provider that the gateway understands. */
export const modelApiSchema = z.enum(['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini']);
export type ModelApi = z.infer<typeof modelApiSchema>;

const stamp = { at: z.number().describe('milliseconds since the trial began'), seenBy: seenBySchema };

const captured = { text: z.string(), truncatedBytes: z.number() };
/** The head and the tail of what was printed; null where it went straight to a terminal. */
const capturedSchema = z.object(captured).nullable();

/** How a process ended: one of the two is null. */
const exit = { exitCode: z.number().nullable(), signal: z.string().nullable() };

const messageEventSchema = z.object({
  type: z.literal('message'),
  ...stamp,
  role: z.enum(['user', 'assistant', 'system']),
  text: z.string(),
  attachments: z
    .array(
      attachmentSchema.extend({
        file: z
          .string()
          .optional()
          .describe('the bytes, relative to the artifacts folder; absent where they are not kept'),
      }),
    )
    .optional()
    .describe('files that were sent with the message'),
});

const reasoningSchema = z.object({ type: z.literal('reasoning'), ...stamp, text: z.string() });

const toolCallSchema = z.object({
  type: z.literal('tool-call'),
  ...stamp,
  callId: z.string(),
  tool: z.string(),
  server: z.string().optional().describe('the MCP server that has the tool, by the name that its user gave it'),
  serverTitle: z
    .string()
    .optional()
    .describe('name that the server reports; absent where an `mcp-server` event has it'),
  input: z.unknown(),
  shellCommand: z.string().optional().describe('the command line, where the tool is a shell'),
  kind: actionKindSchema
    .optional()
    .describe('kind of action of the tool; absent if it is unknown, as in traces of earlier versions'),
  isUnlistedTool: z
    .literal(true)
    .optional()
    .describe('the tool is not in the list of the agent’s tools, so its kind `other` says nothing about it'),
  isRefused: z
    .literal(true)
    .optional()
    .describe(
      'it never reached a tool: Assay refused it because the tool was not offered, or the arguments are not an object',
    ),
  actor: z.string().optional().describe('the sub-agent that made the call; absent for the main agent'),
  parentCallId: z.string().optional().describe('of the call with which the sub-agent was started'),
});

const answeredBySchema = controlKindSchema
  .optional()
  .describe('what answered in place of the real tool; absent where the tool did');

const toolResultSchema = z.object({
  type: z.literal('tool-result'),
  ...stamp,
  callId: z.string(),
  durationMs: z.number().optional().describe('absent where it was not measured'),
  result: z.unknown().optional(),
  error: toolErrorSchema.optional(),
  status: z.int().optional().describe('HTTP status of a result; that of an error is in the error'),
  exitCode: z
    .number()
    .nullable()
    .optional()
    .describe('exit code of the shell command; null if the agent does not report it'),
  answeredBy: answeredBySchema,
});

const outputSchema = z.object({
  type: z.literal('output'),
  ...stamp,
  channel: z.enum(['stdout', 'stderr']),
  ...captured,
});

/** One invocation of the tool under test, as the recorder in front of it saw it. */
const commandSchema = z.object({
  type: z.literal('command'),
  ...stamp,
  argv: z.array(z.string()).describe('the name of the program and its arguments'),
  cwd: z.string().describe('relative to the work directory if it is inside it'),
  durationMs: z.number(),
  ...exit,
  cutShortBy: z
    .enum(['closed-pipe', 'end-of-trial', 'stopped-trial'])
    .optional()
    .describe(
      'why the exit code does not describe the tool: its reader closed the pipe, Assay ended it after the agent ended, or Assay stopped the agent',
    ),
  stdout: capturedSchema,
  stderr: capturedSchema,
  isNested: z.boolean().describe('started by another recorded invocation, not by the agent'),
  answeredBy: answeredBySchema,
});

/** A command of the scenario's author: before the agent starts, or after it has ended. */
const scriptSchema = z.object({
  type: z.literal('script'),
  ...stamp,
  phase: z.enum(['health-check', 'setup', 'post']),
  command: z.string(),
  durationMs: z.number().optional().describe('absent where it was not measured'),
  ...exit,
  timedOut: z.boolean(),
  stdout: capturedSchema,
  stderr: capturedSchema,
});

const usageEventSchema = z.object({
  type: z.literal('usage'),
  ...stamp,
  model: z.string().optional(),
  ...usageShape(),
  costUsd: z.number().optional().describe('as the agent reports it; absent if unknown'),
  call: z.int().min(1).optional().describe('number of the model call, where the gateway saw it'),
  purpose: servingPurposeSchema.optional().describe('who used the model; absent for the target'),
});

/**
 * One request of an agent to its model and the reply, as the gateway between them saw it; the bodies are in files. Where
 * faults break requests to a model without an agent, each of those requests is one as well.
 */
const modelCallSchema = z.object({
  type: z.literal('model-call'),
  ...stamp,
  number: z.int().min(1).describe('of the calls of the trial, in the order of the requests'),
  api: modelApiSchema.optional().describe('absent where Assay prompted the model itself'),
  model: z.string().describe('as the agent requested it'),
  sentAs: z.string().optional().describe('the model that was requested from the provider instead'),
  respondedAs: z.string().optional().describe('the model that the provider says has replied'),
  status: z.int().nullable().describe('HTTP status of the reply; null where there was none'),
  error: z.object({ message: z.string() }).optional().describe('why there is not a complete, good reply'),
  durationMs: z.number(),
  timeToFirstTokenMs: z.number().optional(),
  stopReason: z.string().optional().describe('as the provider says it'),
  tools: z.array(z.string()).describe('names of the tools that were offered to the model'),
  systemSha256: z.string().describe('of the text of the system prompt'),
  retryOf: z.int().min(1).optional().describe('number of the failed call that had the same request'),
  agentThread: z
    .int()
    .min(1)
    .optional()
    .describe('which conversation of the agent it belongs to, from 1; sub-agents have their own'),
  isReplayed: z.boolean().describe('answered from a recording'),
  isTaped: z
    .literal(true)
    .optional()
    .describe('answered before the process of the trial ended, and given again: times and cost are those of then'),
  answeredBy: answeredBySchema,
  files: z
    .object({ request: z.string(), reply: z.string().optional() })
    .optional()
    .describe('the redacted bodies, relative to the folder of the trial; absent where they were not kept'),
});

const agentStartedSchema = z.object({
  type: z.literal('agent-started'),
  ...stamp,
  agent: z.string(),
  version: z.string().nullable(),
  model: z.string().nullable(),
  isolation: isolationTierSchema,
  terminal: z
    .object({ columns: z.int(), rows: z.int() })
    .nullable()
    .optional()
    .describe(
      'the terminal that it ran in, whose stdout and stderr are one stream; null: pipes, because no terminal could be opened; absent: pipes',
    ),
  isScripted: z.boolean().describe('no model decided anything'),
  reports: z
    .array(reportSchema)
    .optional()
    .describe('facts that the agent reports about its work; absent in traces of earlier versions'),
  skills: z
    .array(
      z.object({
        name: z.string(),
        folder: z.string().describe('relative to the work directory'),
        signature: z.array(z.string()).describe('lines of its SKILL.md by which it is recognised'),
      }),
    )
    .optional()
    .describe('skills of the variant, as they were laid down; absent where the scenario has none'),
});

/** The view of the agent when it started. */
const viewSchema = z.object({ type: z.literal('view'), ...stamp, ...agentViewSchema.shape });

const agentEndedSchema = z.object({
  type: z.literal('agent-ended'),
  ...stamp,
  ...exit,
  timedOut: z.boolean(),
  completed: z.boolean().describe('ended by itself with exit code 0 and without reporting an error'),
  reason: z.string().nullable().describe('why it did not complete'),
  turns: z.number().optional(),
});

/** Where the work of the trial was done and is kept. */
const workspaceSchema = z.object({
  type: z.literal('workspace'),
  ...stamp,
  folder: z.string().describe('folder of the trial, relative to the artifacts folder'),
  workedIn: z.string().optional().describe('absolute path of the folder of the trial while it ran'),
  tool: z
    .object({
      binary: z.string(),
      binaries: z.array(z.string()).optional().describe('further programs under test'),
      commandPattern: z.string().optional(),
    })
    .optional()
    .describe('the CLI tool under test, and how its commands are found in text'),
});

const fileChangeSchema = z.object({
  type: z.literal('file-change'),
  ...stamp,
  path: z.string().describe('relative to the work directory'),
  change: z.enum(['created', 'changed', 'deleted']),
  bytes: z.number().nullable().describe('now; null when it is gone'),
  diff: z.string().nullable().describe('unified; null for a binary or too large file'),
});

/** A page in the browser of an agent when it had ended. */
const pageEventSchema = z.object({ type: z.literal('page-state'), ...stamp, ...pageStateSchema.shape });

/** The difference that a trial made in a backend whose state an evaluator reads. */
const stateChangeSchema = z.object({ type: z.literal('state-change'), ...stamp, ...stateDifferenceSchema.shape });

/** One answer of a conversational agent, as its connector gave it; its messages and tool calls are events as well. */
const turnSchema = z.object({
  type: z.literal('turn'),
  ...stamp,
  number: z.int().min(1),
  messages: z.array(messageSchema).describe('of the assistant and its tools'),
  latencyMs: z.number().optional().describe('absent where it was not measured'),
  timeToFirstTokenMs: z.number().optional(),
  usage: usageSchema.optional().describe('tokens of all requests of the answer'),
  costUsd: z.number().optional(),
  reports: z.array(reportSchema).optional().describe('facts that the connector reports whenever they occur'),
});

const approvalPolicyEventSchema = z.object({
  type: z.literal('approval-policy'),
  ...stamp,
  ...approvalPolicySchema.shape,
});

const approvalEventSchema = z.object({ type: z.literal('approval'), ...stamp, ...approvalSchema.shape });

const simulatedUserEventSchema = z.object({
  type: z.literal('simulated-user'),
  ...stamp,
  ...simulatedUserSchema.shape,
});

const userCallEventSchema = z.object({ type: z.literal('user-call'), ...stamp, ...userCallSchema.shape });

const conversationEndedEventSchema = z.object({
  type: z.literal('conversation-ended'),
  ...stamp,
  ...conversationEndedSchema.shape,
});

/** The MCP server that a trial talked to, and a fingerprint of every tool that it said it has. */
const mcpServerSchema = z.object({
  type: z.literal('mcp-server'),
  ...stamp,
  label: z.string().describe('name in the file, or program or address of the server'),
  name: z.string().describe('name that the server reports'),
  version: z.string(),
  protocolVersion: z.string(),
  transport: z.enum(['stdio', 'shttp', 'sse', 'mock']),
  surface: z.string().optional().describe('how its tools were offered to an agent, where not one by one'),
  isAnnounced: z.literal(true).optional().describe('the server announced a change of its tools, which is accepted'),
  isUnlisted: z
    .literal(true)
    .optional()
    .describe('its tools were not listed in the trial: that there are none says nothing'),
  offeredTo: z
    .enum(['agent', 'user'])
    .optional()
    .describe('who got its tools in a conversation; absent where the server is under test or an agent has it'),
  tools: z.array(
    z.object({
      name: z.string(),
      sha256: z.string(),
      arguments: z.array(z.string()).optional().describe('their names'),
      outputSchema: z.record(z.string(), z.unknown()).optional(),
      definition: z.record(z.string(), z.unknown()).optional().describe('all of it, as the server sent it; of suites'),
    }),
  ),
});

/** One request other than a tool call, and its answer: from us to the server, or from the server to us. */
const mcpExchangeSchema = z.object({
  type: z.literal('mcp-exchange'),
  ...stamp,
  test: z.int().min(0).optional().describe('index of the test of a suite that it was made for'),
  direction: z.enum(['to-server', 'from-server']),
  method: z.string(),
  params: z.unknown(),
  durationMs: z.number(),
  result: z.unknown().optional(),
  error: toolErrorSchema.optional(),
});

/** A call of a tool that stands for those of the server: a search among them, or a program that calls them. */
const surfaceCallSchema = z.object({
  type: z.literal('surface-call'),
  ...stamp,
  tool: z.string(),
  input: z.unknown(),
  durationMs: z.number().describe('calls of a program included, which are events as well'),
  output: z.string().describe('text that the model got'),
  error: toolErrorSchema.optional(),
});

/** Assay answered a call in place of the tool, changed its answer, or broke it. */
const toolControlSchema = z.object({
  type: z.literal('tool-control'),
  ...stamp,
  ...controlActionSchema.shape,
  failure: faultSchema.optional().describe('why no model could play the tool: the trial cannot be judged'),
});

/** The attack that Assay planted in the trial, and by what its success is seen. */
/** The secret of an attack in something that an agent sent. */
const secretSeenSchema = z.object({
  type: z.literal('secret-seen'),
  ...stamp,
  where: z.string().describe('a request to a host, or a call that the model made'),
  form: z.string().describe('`plain`, or how it was encoded'),
});

/** How much of what an attacked agent sent was looked at. */
const requestWatchSchema = z.object({
  type: z.literal('request-watch'),
  ...stamp,
  searched: z.int().min(0).describe('requests to hosts, or calls of the model, that were searched for the secret'),
  unread: z.array(z.string()).describe('where something passed that could not be read, such as encrypted data'),
});

const attackSchema = z.object({ type: z.literal('attack'), ...stamp, ...plantedAttackSchema.shape });

/** A recording answers the tool calls of the trial. */
const toolTapeSchema = z.object({
  type: z.literal('tool-tape'),
  ...stamp,
  place: z.string().describe('the recording of the trial, as file:line:column'),
  repeat: z.int().describe('repeat in which it was recorded'),
  variant: variantSchema.describe('variant under which it was recorded'),
  masked: z.int().min(0).describe('recorded calls in which a secret is masked, so they are not exactly what happened'),
});

/** A notification of an MCP server, or of an agent to its server: progress, a log message, a change. */
const mcpNotificationSchema = z.object({
  type: z.literal('mcp-notification'),
  ...stamp,
  test: z.int().min(0).optional().describe('index of the test of a suite during which it came'),
  callId: z.string().optional().describe('of the tool call during which it came'),
  direction: z.enum(['to-server', 'from-server']),
  method: z.string(),
  params: z.unknown(),
});

/** One test of a suite is over; its calls and exchanges stand before it. */
const mcpTestSchema = z.object({
  type: z.literal('mcp-test'),
  ...stamp,
  index: z.int().min(0).describe('of the test in its suite'),
  kind: suiteTestKindSchema,
  name: z.string(),
  attempts: z.int().min(0),
  latencyMs: z.number().describe('of the attempt that decided'),
  totalMs: z.number(),
  timedOut: z.boolean(),
  callId: z.string().nullable().describe('of the tool call that decided; null where there was none'),
  observed: z.unknown().optional().describe('meaning of an answer that is not a tool call'),
  fault: faultSchema.nullable().describe('why the test could not be judged'),
});

/** Memory, CPU time and latencies of an MCP server during a suite of tests. */
const serverPerformanceSchema = z.object({
  type: z.literal('server-performance'),
  ...stamp,
  ...serverUsageSchema.shape,
});

/** Which instructions of the trial reached the agent's model, and whether others did. */
const instructionsSchema = z.object({
  type: z.literal('instructions'),
  ...stamp,
  guidance: z.string().nullable().describe('name of the guidance of the variant; null where it has none'),
  arrived: z
    .enum(['yes', 'no', 'unknown'])
    .describe('whether the guidance was in the prompt; unknown where the requests to the model were not seen'),
  calls: z
    .object({ with: z.int().min(0), of: z.int().min(0) })
    .describe('requests of the main agent whose prompt held the guidance, and all of them'),
  files: z
    .array(z.object({ path: z.string(), from: z.enum(['guidance', 'template']) }))
    .describe('instruction files of the work directory that reached the prompt'),
  foreign: z
    .array(z.object({ path: z.string().optional(), text: z.string().describe('the first 100 characters') }))
    .describe('instructions in the prompt that belong neither to the guidance nor to the template'),
  skills: z
    .array(
      z.object({ name: z.string(), calls: z.int().min(0).describe('requests whose prompt held its instructions') }),
    )
    .optional()
    .describe('skills of the variant that were looked for in the prompts'),
});

/** Whether the harness of the variant was seen at the agent. */
const harnessEventSchema = z.object({
  type: z.literal('harness'),
  ...stamp,
  name: z.string().describe('of the variant'),
  parts: z
    .record(z.string(), z.string().nullable())
    .describe('where each part was seen, in words; null for one that was not, which makes the trial an error'),
});

/** Something that is good to know and changes no verdict. */
const noticeSchema = z.object({ type: z.literal('notice'), ...stamp, message: z.string() });

/** Something that was lost, unreadable or contradictory: its channels are not complete from here on. */
const gapSchema = z.object({
  type: z.literal('gap'),
  ...stamp,
  channels: z.array(channelSchema).min(1).describe('what it could have belonged to'),
  reason: z.string().describe('what was lost and why, without a full stop'),
  place: z.string().optional().describe('where, such as a path in a reply, a line of a file or the id of a span'),
  requests: z.int().min(1).optional().describe('how many requests to a model got no reply, or one without figures'),
  purpose: servingPurposeSchema.optional().describe('whose requests they were; absent for the target'),
});

/** Facts that the imported file records whenever they occur. */
const reportsSchema = z.object({ type: z.literal('reports'), ...stamp, what: z.array(reportSchema) });

/** An event of an agent that has no place in our vocabulary: kept, not understood. */
const otherSchema = z.object({ type: z.literal('other'), ...stamp, kind: z.string(), data: z.unknown() });

/** One thing that happened in a trial. */
export const traceEventSchema = z.discriminatedUnion('type', [
  messageEventSchema,
  reasoningSchema,
  toolCallSchema,
  toolResultSchema,
  outputSchema,
  commandSchema,
  scriptSchema,
  usageEventSchema,
  modelCallSchema,
  agentStartedSchema,
  viewSchema,
  agentEndedSchema,
  workspaceSchema,
  fileChangeSchema,
  stateChangeSchema,
  pageEventSchema,
  turnSchema,
  approvalPolicyEventSchema,
  approvalEventSchema,
  simulatedUserEventSchema,
  userCallEventSchema,
  conversationEndedEventSchema,
  mcpServerSchema,
  mcpExchangeSchema,
  surfaceCallSchema,
  toolControlSchema,
  attackSchema,
  secretSeenSchema,
  requestWatchSchema,
  toolTapeSchema,
  mcpNotificationSchema,
  mcpTestSchema,
  serverPerformanceSchema,
  instructionsSchema,
  harnessEventSchema,
  noticeSchema,
  gapSchema,
  reportsSchema,
  otherSchema,
]);
