import { execFile } from 'node:child_process';
import { AssayError } from '../../../domain/errors.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import type { AgentRun } from './agent-run.ts';
import { chooseVisibleFiles, filesInCommand } from './choose-visible-files.ts';

const timeoutMs = 10_000;

/** Throws where the isolation hides the agent's program from the agent; each agent of a run is looked for once. */
export async function checkStartable(run: AgentRun, isolation: Isolation): Promise<void> {
  const { agent, work, trial, env } = run;
  if (isolation.tier !== 'bubblewrap' || agent.kind.isScripted) return;
  const { command } = agent.settings;
  const programs = command === undefined ? [agent.program] : filesInCommand(command, env.before.PATH ?? '');
  const key = JSON.stringify([trial.variant.agent, programs]);
  const pending =
    work.startable.get(key) ??
    firstHidden(programs, isolation, chooseVisibleFiles(run, undefined), env.before.PATH ?? '');
  work.startable.set(key, pending);
  const hidden = await pending;
  if (hidden === undefined) return;
  const message = `The isolation "${isolation.tier}" hides ${hidden}, which starts the agent "${trial.variant.agent}".`;
  throw new AssayError('AGENT_MISSING', message, {
    hint: 'List its folder under `visible` in the config, or install the agent outside your HOME and the project.',
  });
}

const lookScript = 'for program; do [ -e "$program" ] || { echo "$program"; exit 1; }; done';

/** The first program that cannot be found from inside. */
function firstHidden(
  programs: readonly string[],
  isolation: Isolation,
  folders: IsolatedFolders,
  path: string,
): Promise<string | undefined> {
  const [wrapper, ...rest] = isolation.wrap(['/bin/sh', '-c', lookScript, 'sh', ...programs], folders);
  const options = { cwd: folders.directory, timeout: timeoutMs, env: { PATH: path } };
  return new Promise((resolve) => {
    // An isolation that cannot be entered at all is reported when the agent is started.
    execFile(wrapper, rest, options, (error, stdout) => resolve(error ? stdout.trim() || undefined : undefined));
  });
}
