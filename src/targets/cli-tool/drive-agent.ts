import { existsSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { AgentReport, AgentSession, FoundAgent } from '../../agents/agent.ts';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { openRecorder } from '../../recorder/open-recorder.ts';
import type { RecordedInvocation } from '../../recorder/recorder.ts';
import { expandVariables } from '../../shared/variables.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { startAgentProcess } from '../../workspace/start-agent-process.ts';
import { Transcript } from '../../workspace/transcript.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { TextFilter } from '../agent-work.ts';
import type { StopRequest } from '../target.ts';
import type { CliToolConfig } from './cli-tool-config.ts';
import { withPath } from './trial-environment.ts';
import type { TrialFolder } from './trial-folder.ts';

/** Everything that an agent's work in one trial depends on. */
export interface AgentTask {
  readonly trial: Trial;
  readonly config: CliToolConfig;
  readonly agent: FoundAgent;
  readonly model: string | undefined;
  readonly workspace: Workspace;
  readonly folder: TrialFolder;
  /** Absolute path of the program under test. */
  readonly program: string;
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
}

/** Lets the agent do the task, with the recorder in front of the tool, and tells how it ended. */
export async function driveAgent(task: AgentTask): Promise<AgentReport> {
  const { folder, config, program, workspace, emit } = task;
  await mkdir(folder.recorderFolder);
  await using recorder = await openRecorder({
    folder: folder.recorderFolder,
    binary: basename(config.binary),
    program,
    onInvocation: (invocation) => emit(commandEvent(invocation, workspace.directory)),
  });
  using deadline = new Deadline(task.trial.scenario.timeoutMs);
  using transcript = new Transcript(folder.transcriptFile, task.redaction);
  const env = withPath(
    { ...task.env, ...agentEnvironment(task.agent.kind, task.agent.settings, task.userEnv), ...recorder.env },
    [recorder.binFolder],
  );
  const report = await task.agent.kind.drive(sessionOf(task, env, deadline.signal, transcript));
  await recorder.finish();
  for (const message of recorder.problems) emit({ type: 'notice', seenBy: 'recorder', message });
  if (transcript.problem) emit({ type: 'notice', message: `The transcript is not whole: ${transcript.problem}` });
  return report;
}

function sessionOf(
  task: AgentTask,
  env: Readonly<Record<string, string>>,
  deadline: AbortSignal,
  transcript: Transcript,
): AgentSession {
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
      ...installedAt(task.program),
      ...installedAt(agent.program),
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
    mcpServers: expandVariables(config.mcpServers, task.userEnv),
    maxTurns: config.maxTurns,
    emit: (event) => emit({ seenBy: 'agent', ...event }),
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
        onNotice: (message) => emit({ type: 'notice', message }),
      }),
  };
}

/** The folder that a program was installed into with what belongs to it; none for a name that is no file. */
function installedAt(program: string): string[] {
  if (!existsSync(program)) return [];
  const real = realpathSync(program);
  for (let folder = dirname(real); dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return [folder];
  }
  return [dirname(real)];
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
