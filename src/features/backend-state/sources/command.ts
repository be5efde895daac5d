import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { cleanEnvironment } from '../../../drive/workspace/clean-environment.ts';
import { howItEnded, isGood, runScript } from '../../../drive/workspace/run-script.ts';
import type { Snapshot, StatePlace } from '../read-state.ts';
import type { StateConfig } from '../states.ts';
import { rowsOfJson } from './rows-of-json.ts';

type CommandState = Extract<StateConfig, { readonly command: string }>;

/** The rows that a command prints: in the work directory as the trial's own commands run there, else beside the scenario. */
export async function readCommand(state: CommandState, place: StatePlace): Promise<Snapshot> {
  const timeoutMs = state.timeoutSecs * 1_000;
  const end = await run(state, timeoutMs, place);
  if (!isGood(end)) throw new Error(`it ${howItEnded(end, timeoutMs)}${lastLine(end)}`);
  if (end.stdout.truncatedBytes > 0) throw new Error('it printed more than 8 MB');
  return rowsOfJson(end.stdout.text, state.rows);
}

function run(state: CommandState, timeoutMs: number, { directory, env, signal, work }: StatePlace): Promise<ScriptEnd> {
  if (state.place === 'work') {
    if (!work) throw new Error('the trial has no work directory; leave out `place: work`');
    return work.run(state.command, { timeoutMs, signal, runsWork: false });
  }
  const home = tmpdir();
  const clean = cleanEnvironment(env, { home, tmp: home });
  return runScript(state.command, { cwd: directory, env: clean, timeoutMs, tag: randomUUID(), signal });
}

function lastLine({ stderr, stdout }: ScriptEnd): string {
  const line = (stderr.text.trim() || stdout.text.trim()).split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}
