import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AssayError } from '../../../domain/errors.ts';
import { eventLines } from '../../../domain/events-jsonl.ts';
import type { EmitTrace, Trace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { type Redact, redactDeep } from '../../../shared/redaction/redaction.ts';
import { type FoundAgent, reportsOf } from '../../agents/agent.ts';
import { type PreparedWorkspace, prepareWorkspace } from '../../workspace/prepare-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Attempt, StopRequest, TargetContext } from '../target.ts';
import type { AgentWork } from './agent-work.ts';
import { driveAgent } from './drive-agent.ts';
import { makeReady } from './make-ready.ts';
import { runPhase } from './run-phase.ts';
import { SpendingGuard } from './spending-guard.ts';
import { Story } from './story.ts';
import type { TaskConfig } from './task-config.ts';
import { type TrialEnvironment, type TrialFolder, trialEnvironment, trialFolder } from './trial-environment.ts';

/** Writes what has happened so far, for the scripts that look at it; a folder that the agent took away stays away. */
async function writeEventsFile(file: string, trace: Trace, startedAt: number, redact: Redact): Promise<void> {
  const lines = Array.from(eventLines(redactDeep(trace, redact), startedAt), (line) => `${JSON.stringify(line)}\n`);
  await writeFile(file, lines.join('')).catch(() => undefined);
}

interface AttemptContext {
  readonly work: AgentWork;
  readonly context: TargetContext;
  readonly emit: EmitTrace;
  readonly stop: StopRequest;
}

/** What happens in a trial, in order; what was done until the time was up is judged like anything else. */
export async function attemptTask(trial: Trial, config: TaskConfig, surroundings: AttemptContext): Promise<Attempt> {
  const { work, context, stop } = surroundings;
  work.budget?.assertLeft();
  const agent = await work.agents.find(trial.variant.agent ?? '');
  const folder = trialFolder(work.folderOf(trial), work.artifactsFolder);
  await mkdir(dirname(folder.path), { recursive: true });
  const story = new Story(surroundings.emit);
  const { emit } = story;
  const { binary, commandPattern } = config.tool ?? {};
  const tool = binary === undefined ? {} : { tool: { binary, commandPattern } };
  emit({ type: 'workspace', folder: folder.name, ...tool });
  const workspace = await prepareTrial(trial, config, folder);
  const clean = trialEnvironment(trial, config, folder, workspace, context.env);
  const { program, env } = await makeReady(trial, config, { env: clean, workspace, emit, stop, context });
  await workspace.remember();

  const { startedAt } = story;
  const around = { ...surroundings, emit, startedAt, folder, workspace, program, env };
  const fault = await letAgentWork(trial, config, agent, around);

  const left = { cwd: workspace.directory, env: env.after, tag: trial.trialId, emit, stop };
  for (const { command, timeoutSecs } of config.postScripts) {
    if (!stop.isStopped && !fault) await runPhase('post', command, timeoutSecs * 1_000, left);
  }
  await tellChanges(workspace, emit);
  await writeEventsFile(folder.eventsFile, story.events, story.startedAt, work.redact);
  if (fault) throw fault;
  return { workspace: { directory: workspace.directory, env: env.after, transcriptFile: folder.transcriptFile } };
}

function prepareTrial(trial: Trial, config: TaskConfig, folder: TrialFolder): Promise<PreparedWorkspace> {
  const { guidance } = trial.variant;
  const source = guidance === undefined ? undefined : config.guidance[guidance];
  return prepareWorkspace({
    folder: folder.path,
    template: config.template,
    overlays: source === undefined ? [] : [{ source, name: 'AGENTS.md' }],
  });
}

interface AgentSurroundings extends AttemptContext {
  readonly folder: TrialFolder;
  readonly workspace: Workspace;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly program: string | undefined;
  readonly env: TrialEnvironment;
}

/** The agent's own part of the trial; gives what keeps it from being judged. */
async function letAgentWork(
  trial: Trial,
  config: TaskConfig,
  agent: FoundAgent,
  { work, context, emit, stop, startedAt, folder, workspace, program, env }: AgentSurroundings,
): Promise<AssayError | undefined> {
  const model = trial.variant.model ?? agent.settings.model;
  const isolation = await work.findIsolation(config.isolation);
  const halt = new AbortController();
  const guard = new SpendingGuard({
    maxUsd: config.maxUsd,
    budget: work.budget,
    costOf: agent.kind.isScripted ? () => undefined : await work.openPrices(),
    model,
    onExhausted: () => halt.abort(),
  });
  emit({
    type: 'agent-started',
    agent: trial.variant.agent ?? agent.kind.name,
    version: agent.version,
    model: model ?? null,
    isolation: isolation.tier,
    isScripted: agent.kind.isScripted,
    reports: reportsOf(agent.kind),
  });
  emit({ type: 'message', role: 'user', text: config.prompt });
  const report = await driveAgent({
    ...{ trial, config, agent, model, workspace, folder, program, isolation, stop },
    env: env.before,
    userEnv: context.env,
    startedAt,
    assay: work.program,
    projectFolder: work.projectFolder,
    redaction: work.redactStream(),
    emit: guard.watch(emit),
    halt: halt.signal,
    spending: guard,
  });
  const { exit, completed, turns } = report;
  const reason = guard.exhausted?.message ?? report.reason;
  emit({ type: 'agent-ended', ...exit, completed, reason, ...(turns === undefined ? {} : { turns }) });
  return guard.exhausted ?? report.fault;
}

async function tellChanges(workspace: PreparedWorkspace, emit: EmitTrace): Promise<void> {
  for (const change of await workspace.changes()) emit({ type: 'file-change', ...change });
  if (workspace.leftOut > 0)
    emit({ type: 'notice', message: `${workspace.leftOut} more changed files are not listed.` });
}
