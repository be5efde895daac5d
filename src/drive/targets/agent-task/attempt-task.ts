import { basename, join } from 'node:path';
import { eventLines } from '../../../domain/events-jsonl.ts';
import type { Trace } from '../../../domain/trace.ts';
import { writeNew } from '../../../shared/redacted-files.ts';
import { drawnOf } from '../../../shared/redaction/redaction.ts';
import { fullDisk } from '../../workspace/full-disk.ts';
import type { GraderRoom } from '../../workspace/grader-room.ts';
import type { Attempt } from '../target.ts';
import type { AgentRun, AgentRunRequest } from './agent-run.ts';
import { openAgentRun, withArtifactsOnError } from './agent-run.ts';
import type { TaskStep } from './container-config.ts';
import { driveAgent } from './drive-agent.ts';
import { endlessFile } from './endless-files.ts';
import { Graders } from './graders.ts';
import { openGraderRoom } from './open-grader-room.ts';
import { openSystem } from './open-system.ts';
import { plantFiles } from './plant-files.ts';
import { prepareTool } from './prepare-tool.ts';
import { beforeAgent, healthFaultAfter, inRoom, readyForAgent, runPhase } from './run-phase.ts';
import type { TapedTools } from './taped-tools.ts';

/** The steps of a trial with an agent, in order; work done before a time limit is evaluated like any other. */
export async function attemptTask(request: AgentRunRequest): Promise<Attempt> {
  request.work.budget?.assertLeft();
  const opened = await openAgentRun(request);
  return withArtifactsOnError(opened, async () => {
    const inSystem = await openSystem(opened);
    let taped: TapedTools | undefined;
    try {
      taped = await openTape(inSystem);
      const { run, graders, room } = await runAgent(await prepareTool({ ...inSystem, taped }));
      const settle = async (): Promise<void> => {
        await run.system?.[Symbol.asyncDispose]();
        await taped?.conclude();
        await run.room.settle();
      };
      // An interrupted trial is not evaluated.
      if (run.stop.isStopped) await settle();
      return { workspace: evaluatedWork(run, graders, room), settle };
    } catch (error) {
      await inSystem.system?.[Symbol.asyncDispose]();
      // The error of the trial counts more than one of its recording.
      await taped?.conclude().catch(() => undefined);
      throw error;
    }
  });
}

/** Loaded only where something is recorded or replayed. */
async function openTape(run: AgentRun): Promise<TapedTools | undefined> {
  if (!run.context.toolTapes?.()) return undefined;
  const { openTapedTools } = await import('./open-taped-tools.ts');
  return openTapedTools(run);
}

function evaluatedWork(run: AgentRun, graders: Graders, room: GraderRoom): Attempt['workspace'] {
  const { folder, workspace, config, system, taped, steps } = run;
  const { transcriptFile } = folder;
  return {
    directory: workspace.directory,
    transcriptFile,
    changedGrader: () => graders.changed(),
    endlessWork: () => endlessFile(workspace.directory),
    ...(system && config.logsFolder !== undefined && { logsFolder: folder.logsFolder }),
    ...(steps && { stepRewards: steps.rewards }),
    async runGrader(command, request) {
      const end = await room.run(command, request);
      const fault = system ? undefined : taped?.faultAfter(end);
      if (fault) throw fault;
      return end;
    },
  };
}

/** The files that judge the work, and where they do so. */
interface Judged {
  readonly run: AgentRun;
  readonly graders: Graders;
  readonly room: GraderRoom;
}

/** Lets features look at the work directory and add to the surroundings of the agent. */
async function withOffers(run: AgentRun): Promise<AgentRun> {
  const { workspace, room, env } = run;
  let offered = run;
  await run.prepared?.({
    directory: workspace.directory,
    keptFolder: room.privateFolder,
    run: beforeAgent(run, env.before),
    offer({ mcpServers, env: variables, needsOpenNetwork, tapeFile }) {
      offered = {
        ...offered,
        config: { ...offered.config, mcpServers: { ...offered.config.mcpServers, ...mcpServers } },
        env: { ...env, before: { ...offered.env.before, ...variables } },
        needsOpenNetwork: offered.needsOpenNetwork ?? needsOpenNetwork,
        tapeFile: offered.tapeFile ?? tapeFile,
      };
    },
  });
  return offered;
}

async function runAgent(prepared: AgentRun): Promise<Judged> {
  const graders = Graders.of(prepared);
  await plantFiles(prepared);
  const offered = await withOffers(prepared);
  const run = offered.config.steps ? await withSteps(offered, offered.config.steps) : offered;
  const { config, workspace, stop, room } = run;
  await workspace.remember();
  await readyForAgent(run);
  const ofAgent = (await driveAgent(run)) ?? (await run.system?.serviceFault()) ?? fullDisk(room) ?? graders.changed();
  const ofGraders = await openGraderRoom(run);
  const fault = ofAgent ?? (await healthFaultAfter(run, ofGraders));
  room.publish();
  if (!fault && !run.steps) await run.stagedGraders?.reveal();
  for (const { command, timeoutSecs } of config.postScripts) {
    if (!stop.isStopped && !fault) await runPhase(run, inRoom(ofGraders), 'post', command, timeoutSecs * 1_000);
  }
  // Post scripts are the author's: they may change what judges.
  graders.remember();
  await emitChanges(run);
  await writeEventsFile(run);
  if (!fault) await run.stagedGraders?.revealResults();
  if (fault) throw fault;
  return { run, graders, room: ofGraders };
}

/** Loaded only where a task has some. */
async function withSteps(run: AgentRun, steps: readonly TaskStep[]): Promise<AgentRun> {
  const { TakenSteps } = await import('./take-steps.ts');
  return { ...run, steps: new TakenSteps(run, steps) };
}

async function emitChanges({ workspace, trace }: AgentRun): Promise<void> {
  for (const change of await workspace.changes()) trace.emit({ type: 'file-change', ...change });
  for (const reason of workspace.losses) trace.emit({ type: 'gap', channels: ['files'], reason });
}

/** For scripts and gates that read events; written where no link of the agent can redirect it. */
async function writeEventsFile({ folder, room, trace, work }: AgentRun): Promise<void> {
  const draw = (events: Trace): string =>
    Array.from(eventLines(events, trace.startedAt), (line) => `${JSON.stringify(line)}\n`).join('');
  await writeNew(join(room.privateFolder, basename(folder.eventsFile)), drawnOf(trace.events, work.redact, draw));
  room.publish();
}
