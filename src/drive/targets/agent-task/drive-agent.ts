import { mkdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import type { AgentReport, AgentSession, FoundAgent } from '../../agents/agent.ts';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import type { McpRecording } from '../../mcp/proxy/open-recording.ts';
import { Endings } from '../../recorder/endings.ts';
import { openRecorder } from '../../recorder/open-recorder.ts';
import type { RecordedInvocation, Recorder } from '../../recorder/recorder.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { startAgentProcess } from '../../workspace/start-agent-process.ts';
import { Transcript } from '../../workspace/transcript.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StopRequest } from '../target.ts';
import type { TextFilter } from './agent-work.ts';
import { ModelWait } from './model-wait.ts';
import { concludeServers, filesOfServers, installedAt, recordServers } from './server-recording.ts';
import type { SpendingGuard } from './spending-guard.ts';
import type { TaskConfig } from './task-config.ts';
import { type TrialFolder, withPath } from './trial-environment.ts';

/** Everything that an agent's work in one trial depends on. */
export interface AgentTask {
  readonly trial: Trial;
  readonly config: TaskConfig;
  readonly agent: FoundAgent;
  readonly model: string | undefined;
  readonly workspace: Workspace;
  readonly folder: TrialFolder;
  /** Absolute path of the program under test; undefined where there is none. */
  readonly program: string | undefined;
  /** Program and arguments that start Assay. */
  readonly assay: readonly [string, ...string[]];
  /** Of the trial; milliseconds since 1970. */
  readonly startedAt: number;
  readonly env: Readonly<Record<string, string>>;
  /** The user's whole environment, of which the agent gets what its kind needs. */
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly projectFolder: string;
  readonly isolation: Isolation;
  readonly redaction: TextFilter;
  readonly emit: EmitTrace;
  readonly stop: StopRequest;
  /** Aborted when the agent must not go on for a reason of ours. */
  readonly halt: AbortSignal;
  /** Told what the agent has used while it works, and that it has ended. */
  readonly spending: Pick<SpendingGuard, 'noteUsage' | 'agentEnded'>;
}

/** Names the file that tells an agent of the user's own which MCP servers it has. */
const serversVariable = 'ASSAY_MCP_CONFIG';

/** Lets the agent do the task, with recorders in front of the tool and the MCP servers, and tells how it ended. */
export async function driveAgent(task: AgentTask): Promise<AgentReport> {
  const { folder, config } = task;
  const wait = new ModelWait(task.trial.scenario.timeoutMs, task.agent.kind);
  const emit = wait.watch(task.emit);
  await mkdir(folder.recorderFolder);
  const endings = new Endings();
  await using recorder = await recordTool({ ...task, emit }, endings);
  await using servers = await recordServers(config, {
    folder: join(folder.recorderFolder, 'mcp'),
    program: task.assay,
    tag: task.trial.trialId,
    trialBeganAtMs: task.startedAt,
    emit,
  });
  using deadline = new Deadline(task.trial.scenario.timeoutMs);
  using transcript = new Transcript(folder.transcriptFile, task.redaction);
  const env = withPath(
    {
      ...task.env,
      ...agentEnvironment(task.agent.kind, task.agent.settings, task.userEnv),
      ...recorder?.env,
      ...(servers && { [serversVariable]: servers.serversFile }),
    },
    recorder ? [recorder.binFolder] : [],
  );
  deadline.signal.addEventListener('abort', () => wait.timeIsUp(), { once: true });
  const report = await task.agent.kind.drive(
    sessionOf({ ...task, emit }, { env, deadline: deadline.signal, transcript, servers, endings }),
  );
  await recorder?.finish();
  for (const message of recorder?.problems ?? []) emit({ type: 'notice', seenBy: 'recorder', message });
  const fault = servers && concludeServers(servers, config, emit);
  if (transcript.problem) emit({ type: 'notice', message: `The transcript is not whole: ${transcript.problem}` });
  return { ...report, fault: decisiveFault(report.fault ?? wait.faultOf(report.exit), fault) };
}

/** An agent that could do nothing because its server was not there is not to blame for it. */
function decisiveFault(ofAgent: AssayError | undefined, ofServer: AssayError | undefined): AssayError | undefined {
  if (!ofAgent || !ofServer) return ofAgent ?? ofServer;
  return ofAgent.blame === 'agent' && ofServer.blame === 'target' ? ofServer : ofAgent;
}

/** Puts the recorder in front of the tool under test, where there is one. */
async function recordTool(
  { folder, config, program, workspace, emit }: AgentTask,
  endings: Endings,
): Promise<Recorder | undefined> {
  if (!config.tool || program === undefined) return undefined;
  return openRecorder({
    folder: folder.recorderFolder,
    binary: basename(config.tool.binary),
    program,
    endings,
    onInvocation: (invocation) => emit(commandEvent(invocation, workspace.directory)),
  });
}

interface SessionParts {
  readonly env: Readonly<Record<string, string>>;
  readonly deadline: AbortSignal;
  readonly transcript: Transcript;
  readonly servers: McpRecording | undefined;
  readonly endings: Endings;
}

function sessionOf(task: AgentTask, { env, deadline, transcript, servers, endings }: SessionParts): AgentSession {
  const { agent, config, workspace, folder, emit, stop, trial } = task;
  const interrupt = AbortSignal.any([stop.signal, task.halt]);
  const folders = {
    directory: workspace.directory,
    home: workspace.home,
    tmp: workspace.tmp,
    writable: [folder.recorderFolder],
    readable: [
      task.projectFolder,
      trial.scenario.directory,
      ...(task.program === undefined ? [] : installedAt(task.program)),
      ...installedAt(agent.program),
      ...filesOfServers(config, task.assay),
    ],
  };
  let started = 0;
  return {
    prompt: config.prompt,
    model: task.model,
    home: workspace.home,
    workDirectory: workspace.directory,
    program: agent.program,
    env,
    settings: agent.settings,
    mcpServers: servers?.servers ?? {},
    maxTurns: config.maxTurns,
    emit: (event) => {
      servers?.catchUp();
      emit({ seenBy: 'agent', ...event });
    },
    noteUsage: (soFar) => task.spending.noteUsage(soFar),
    get isStopped() {
      return deadline.aborted || interrupt.aborted;
    },
    start: (launch) =>
      startAgentProcess(launch, {
        env,
        folders,
        isolation: task.isolation,
        tag: `${trial.trialId}-${++started}`,
        transcript,
        deadline,
        interrupt,
        onEnding: (cause) => {
          // A scripted agent is many processes, and it is not over with the first of them.
          if (!agent.kind.isScripted) task.spending.agentEnded();
          return endings.begin(cause);
        },
        onNotice: (message) => emit({ type: 'notice', message }),
      }),
  };
}

/** Aborts its signal when the time is up. */
class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

function commandEvent({ startedAt: _startedAt, cwd, ...invocation }: RecordedInvocation, workDirectory: string) {
  const inside = relative(workDirectory, cwd);
  const isOutside = inside.startsWith('..');
  return { type: 'command', seenBy: 'recorder', ...invocation, cwd: isOutside ? cwd : inside || '.' } as const;
}
