import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AssayError } from '../../../domain/errors.ts';
import { eventLines } from '../../../domain/events-jsonl.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { fullDisk } from '../../workspace/full-disk.ts';
import type { Attempt } from '../target.ts';
import type { AgentRun, AgentRunRequest } from './agent-run.ts';
import { keepingOnFailure, openAgentRun } from './agent-run.ts';
import { driveAgent } from './drive-agent.ts';
import { Graders } from './graders.ts';
import { prepareTool } from './prepare-tool.ts';
import { runPhase } from './run-phase.ts';

/** The steps of a trial with an agent, in order; work done before a time limit is evaluated like any other. */
export async function attemptTask(request: AgentRunRequest): Promise<Attempt> {
  request.work.budget?.assertLeft();
  const opened = await openAgentRun(request);
  return keepingOnFailure(opened, async () => {
    const run = await prepareTool(opened);
    const { folder, workspace, env, stop, room } = run;
    const graders = await letAgentWork(run);
    // An interrupted trial is not evaluated.
    if (stop.isStopped) await room.settle();
    const { directory } = workspace;
    const changedGrader = (): AssayError | undefined => graders.changed();
    const evaluated = { directory, env: env.after, transcriptFile: folder.transcriptFile, changedGrader };
    return { workspace: evaluated, settle: () => room.settle() };
  });
}

async function letAgentWork(run: AgentRun): Promise<Graders> {
  const { config, workspace, env, stop, room } = run;
  const graders = Graders.of(run);
  await workspace.remember();
  const fault = (await driveAgent(run)) ?? fullDisk(room) ?? graders.changed();
  room.publish();
  for (const { command, timeoutSecs } of config.postScripts) {
    if (!stop.isStopped && !fault) await runPhase(run, env.after, 'post', command, timeoutSecs * 1_000);
  }
  // Post scripts are the author's: they may change what judges.
  graders.remember();
  await emitChanges(run);
  await writeEventsFile(run);
  if (fault) throw fault;
  return graders;
}

async function emitChanges({ workspace, trace }: AgentRun): Promise<void> {
  for (const change of await workspace.changes()) trace.emit({ type: 'file-change', ...change });
  if (workspace.leftOut > 0)
    trace.emit({ type: 'notice', message: `${workspace.leftOut} more changed files are not listed.` });
}

/** For scripts and gates that read events; written where no link of the agent can redirect it. */
async function writeEventsFile({ folder, room, trace, work }: AgentRun): Promise<void> {
  const events = eventLines(redactDeep(trace.events, work.redact), trace.startedAt);
  const lines = Array.from(events, (line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(room.privateFolder, basename(folder.eventsFile)), lines.join(''), { flag: 'wx' });
  room.publish();
}
