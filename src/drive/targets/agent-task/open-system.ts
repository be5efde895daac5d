import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { chooseVisibleFiles } from './choose-visible-files.ts';
import { networkOf } from './limited-network.ts';
import { findToolIfPresent } from './prepare-tool.ts';
import { StagedGraders } from './staged-graders.ts';

/** Opens the separate system of a trial, where its isolation has one. */
export async function openSystem(run: AgentRun): Promise<AgentRun> {
  const { config, work, folder, room } = run;
  const isolation = await work.findIsolation(config.isolation, config);
  if (!isolation.openSystem) return run;
  const { tool } = config;
  const tools = tool ? [tool, ...tool.binaries.map((binary) => ({ binary }))] : [];
  const [program, ...furtherPrograms] = tools.flatMap((one) => findToolIfPresent(one, config, run) ?? []);
  const recorder = join(folder.recorderFolder, 'tool');
  mkdirSync(recorder, { recursive: true });
  const folders = chooseVisibleFiles({ ...run, program, furtherPrograms }, undefined);
  // Variables name the folder of the trial, which the results are staged at.
  const readable = (folders.readable ?? []).filter((path) => !isInside(path, folder.path));
  const writable = [folder.recorderFolder];
  const stagedGraders = new StagedGraders(run, [...readable, ...writable]);
  // Mounts cannot be added later; the room is emptied when the agent has ended.
  mkdirSync(room.graderFolder, { mode: 0o700 });
  const graders = { path: room.graderFolder, source: room.graderFolder, isWritable: true };
  const mounts = (config.mounts ?? []).map(({ from, to }) => ({ path: to, source: from, isWritable: false }));
  const hidden = (folders.hidden ?? []).filter(
    (path) => !stagedGraders.folders.some((stage) => isInside(path, stage.path)),
  );
  const system = await isolation.openSystem({
    folders: { ...folders, readable, hidden, writable, staged: [...stagedGraders.folders, graders, ...mounts] },
    hasOwnNetwork: networkOf(run, isolation) !== 'open',
    imageFolder: config.imageFolder ?? false,
    cpus: config.cpus,
    memoryMb: config.memoryMb,
    services: config.services,
  });
  return { ...run, system, stagedGraders };
}
