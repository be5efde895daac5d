import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentLaunch, AgentProcess } from '../../../drive/agents/agent.ts';
import { cleanEnvironment } from '../../../drive/workspace/clean-environment.ts';
import { type Isolation, noIsolation } from '../../../drive/workspace/isolation.ts';
import { type AgentSurroundings, startAgentProcess } from '../../../drive/workspace/start-agent-process.ts';
import { Transcript } from '../../../drive/workspace/transcript.ts';
import { redactingStream } from '../../../shared/redaction/redacting-stream.ts';

/** A trial without a target: what is started in it, and what it was heard to say. */
export interface AgentTrial {
  readonly lines: string[];
  readonly losses: string[];
  readonly transcriptFile: string;
  readonly deadline: AbortController;
  readonly interrupt: AbortController;
  /** Part of the command line of everything that is to be found again. */
  readonly mark: string;
  readonly transcript: Transcript;
  start(command: string, launch?: Partial<AgentLaunch>): AgentProcess;
}

/** Folders and surroundings in an empty folder, ready for shell commands that play the agent. */
export function agentTrial(folder: string, isolation: Isolation = noIsolation): AgentTrial {
  const folders = { directory: join(folder, 'fixture'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
  for (const path of Object.values(folders)) mkdirSync(path);
  const transcriptFile = join(folder, 'transcript.raw.txt');
  const heard = {
    lines: [] as string[],
    losses: [] as string[],
    transcript: new Transcript(transcriptFile, redactingStream({ secrets: [], withPatterns: false })),
  };
  const stops = { deadline: new AbortController(), interrupt: new AbortController() };
  const surroundings: AgentSurroundings = {
    env: cleanEnvironment({ PATH: '/usr/local/bin:/usr/bin:/bin' }, folders),
    folders: { ...folders, writable: [] },
    isolation,
    tag: folder,
    transcript: heard.transcript,
    deadline: stops.deadline.signal,
    interrupt: stops.interrupt.signal,
    onLoss: (reason) => heard.losses.push(reason),
  };
  const onLine = (line: string, channel: string): number => heard.lines.push(`${channel}: ${line}`);
  return {
    ...heard,
    ...stops,
    transcriptFile,
    mark: String(randomInt(1e8, 1e9)),
    start: (command, launch) =>
      startAgentProcess({ argv: ['/bin/sh', '-c', command], env: {}, stdin: '', onLine, ...launch }, surroundings),
  };
}
