import { writeFile } from 'node:fs/promises';
import { eventLines } from '../../../domain/events-jsonl.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import type { Attempt } from '../target.ts';
import type { AgentRun, AgentRunRequest } from './agent-run.ts';
import { openAgentRun } from './agent-run.ts';
import { driveAgent } from './drive-agent.ts';
import { prepareTool } from './prepare-tool.ts';
import { runPhase } from './run-phase.ts';

/** The steps of a trial with an agent, in order; work done before a time limit is evaluated like any other. */
export async function attemptTask(request: AgentRunRequest): Promise<Attempt> {
  request.work.budget?.assertLeft();
  const run = await prepareTool(await openAgentRun(request));
  const { config, folder, workspace, env, stop } = run;
  await workspace.remember();
  const fault = await driveAgent(run);
  for (const { command, timeoutSecs } of config.postScripts) {
    if (!stop.isStopped && !fault) await runPhase(run, env.after, 'post', command, timeoutSecs * 1_000);
  }
  await emitChanges(run);
  await writeEventsFile(run);
  if (fault) throw fault;
  return { workspace: { directory: workspace.directory, env: env.after, transcriptFile: folder.transcriptFile } };
}

async function emitChanges({ workspace, trace }: AgentRun): Promise<void> {
  for (const change of await workspace.changes()) trace.emit({ type: 'file-change', ...change });
  if (workspace.leftOut > 0)
    trace.emit({ type: 'notice', message: `${workspace.leftOut} more changed files are not listed.` });
}

/** For scripts and gates that read events; a folder that the agent removed is not recreated. */
async function writeEventsFile({ folder, trace, work }: AgentRun): Promise<void> {
  const events = eventLines(redactDeep(trace.events, work.redact), trace.startedAt);
  const lines = Array.from(events, (line) => `${JSON.stringify(line)}\n`);
  await writeFile(folder.eventsFile, lines.join('')).catch(() => undefined);
}
