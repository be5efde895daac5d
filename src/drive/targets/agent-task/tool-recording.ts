import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { EmitTrace } from '../../../domain/trace.ts';
import type { Endings } from '../../recorder/endings.ts';
import { openRecorder } from '../../recorder/open-recorder.ts';
import type { RecordedInvocation, Recorder } from '../../recorder/recorder.ts';
import { shShim } from '../../recorder/shims/sh-shim.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import type { AgentRun } from './agent-run.ts';

/** Puts the recorder in front of the tool under test; undefined where a task has none. */
export async function recordTool(
  { folder, config, program, furtherPrograms, workspace, work }: AgentRun,
  { canCover, tier }: Isolation,
  endings: Endings,
  emit: EmitTrace,
): Promise<Recorder | undefined> {
  if (!config.tool || program === undefined) return undefined;
  const own = join(folder.recorderFolder, 'tool');
  await mkdir(own, { recursive: true });
  const names = [config.tool.binary, ...config.tool.binaries].map((binary) => basename(binary));
  const programs = [program, ...furtherPrograms];
  const tools = programs.map((path, index) => ({ name: names[index] ?? basename(path), program: path }));
  const onInvocation = (invocation: RecordedInvocation): void => emit(commandEvent(invocation, workspace.directory));
  const request = { folder: own, tools, canCover, endings, onInvocation, shims: work.shims };
  // Of the programs in an image, only its shell can be relied on.
  const recorder = await openRecorder(request, tier === 'container' ? shShim : undefined);
  await rememberPath(workspace.home, [recorder.binFolder, ...new Set(programs.map(dirname))]);
  return recorder;
}

/** Emits what is wrong with the records. */
export function concludeTool(recorder: Recorder, emit: EmitTrace): void {
  for (const message of recorder.problems) emit({ type: 'notice', seenBy: 'recorder', message });
  for (const message of recorder.doubts) {
    emit({ type: 'notice', seenBy: 'recorder', message, castsDoubtOn: 'commands' });
  }
}

/** Login shells replace PATH, and read these files after that; a HOME that has its own keeps them. */
async function rememberPath(home: string, folders: readonly string[]): Promise<void> {
  const path = folders.map((folder) => `'${folder.replaceAll("'", "'\\''")}'`).join(':');
  for (const name of ['.profile', '.zprofile']) {
    await writeFile(join(home, name), `PATH=${path}:"$PATH"\nexport PATH\n`, { flag: 'wx' }).catch(() => undefined);
  }
}

function commandEvent({ startedAt: _startedAt, cwd, ...invocation }: RecordedInvocation, workDirectory: string) {
  const inside = relative(workDirectory, cwd);
  const isOutside = inside.startsWith('..');
  return { type: 'command', seenBy: 'recorder', ...invocation, cwd: isOutside ? cwd : inside || '.' } as const;
}
