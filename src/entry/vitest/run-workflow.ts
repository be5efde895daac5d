import type { ProjectRun } from '../../compose/run/run-project.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { ServerDefinition } from '../../drive/mcp/server-definition.ts';
import type { McpSessions, SessionLease } from '../../drive/mcp/session.ts';
import type { MCPWorkflowResult, WorkflowStep } from './eval-types.ts';
import { AssayError, eventsOf, observedCalls, openProject, openStore, parseJsonSource, runProject } from './program.ts';
import type { DebugLog } from './server-under-test.ts';

interface RunningServer {
  readonly definition: ServerDefinition;
  readonly lease: SessionLease;
  readonly timeoutMs: number;
}

interface WorkflowRequest {
  readonly steps: readonly WorkflowStep[];
  readonly server: RunningServer;
  readonly model: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly debug: DebugLog;
}

/** Lets a model take the steps on the server that is running; nothing is left on the disk. */
export async function runWorkflow(request: WorkflowRequest): Promise<MCPWorkflowResult> {
  const { steps, server, model, signal, debug } = request;
  const { env } = process;
  const project = await openProject(process.cwd(), env);
  const config = {
    server: server.definition,
    timeout: server.timeoutMs,
    workflows: [{ name: 'workflow', steps }],
    ...(model !== undefined && { model }),
  };
  await using run = await runProject({
    project,
    openStore: () => openStore('sqlite::memory:', project.folder),
    request: { paths: [], serverParts: ['workflow'], judge: false },
    sources: [parseJsonSource('workflow', JSON.stringify(config, null, 2))],
    env,
    signal,
    mcpSessions: async () => sessionsOf(server),
  });
  const { record, trace } = await onlyTrial(run);
  debug(() => `workflow ended with ${record.outcome}: ${record.reason}`);
  if (record.fault) throw new AssayError(record.fault.code, record.fault.message, { hint: record.fault.hint });
  return resultOf(record, trace);
}

/** The server keeps what earlier calls did, so a workflow must be taken on the same one, which goes on after it. */
function sessionsOf({ lease, timeoutMs }: RunningServer): McpSessions {
  const working = () => (lease.session.broken ? lease.reopen({ timeoutMs }) : lease.session);
  return {
    lease: async () => ({ ...lease, session: await working(), [Symbol.asyncDispose]: doNothing }),
    [Symbol.asyncDispose]: doNothing,
  };
}

const doNothing = async (): Promise<void> => undefined;

async function onlyTrial({ store, summary }: ProjectRun): Promise<{ record: TrialRecord; trace: Trace }> {
  const [record] = await store.readTrials(summary.run.runId, { limit: 1 });
  if (!record) throw new AssayError('INTERRUPTED', 'The workflow was stopped before it ended.');
  return { record, trace: (await store.readTrace(record.trialId)) ?? [] };
}

const decisive = ['workflow-success', 'workflow-call-health'];

function resultOf(record: TrialRecord, trace: Trace): MCPWorkflowResult {
  const unseen = record.coverage?.['tool-calls'];
  // A matcher on a part of the calls would hold where the rest breaks it.
  if (unseen) throw new AssayError('NOT_OBSERVED', `Not all tool calls were observed: ${unseen.reasons?.join('; ')}.`);
  const unmet = record.evaluatorResults.filter(({ type, success }) => decisive.includes(type) && success !== true);
  return {
    success: unmet.length === 0,
    messages: messagesIn(trace),
    toolCalls: observedCalls(trace).map(({ tool, input, result, error, isRefused }) => ({
      name: tool,
      args: input as Readonly<Record<string, unknown>>,
      ...(result !== undefined && { result }),
      ...(error && { error: error.message }),
      ...(isRefused && { refused: true }),
    })),
    executionTime: record.durationMs ?? 0,
    ...(unmet.length > 0 && { error: unmet.map(({ reason }) => reason).join('; ') }),
  };
}

/** The messages of the user, and for each step the last message of the model. */
function messagesIn(trace: Trace): MCPWorkflowResult['messages'] {
  const messages = eventsOf(trace, 'message').filter(({ role }) => role !== 'system');
  return messages
    .filter(({ role }, index) => role === 'user' || messages[index + 1]?.role !== 'assistant')
    .map(({ role, text }) => ({ role: role === 'user' ? 'user' : 'assistant', content: text }));
}
