import { appendFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { secretFileText } from '../../../domain/attack-outcome/leaks.ts';
import type { PlantedAttack } from '../../../domain/attacks/attack-event.ts';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { trialAttack } from '../../tool-control/attack/arm-attack.ts';
import type { AgentRun } from './agent-run.ts';

/** File that instructions are written into. */
const carrierFile = 'README.md';

/** Lays the files of an attack into the work directory, before it is remembered what is there. */
export async function plantFiles({ trial, workspace, trace }: AgentRun): Promise<void> {
  const attack = trialAttack(trial);
  if (!attack) return;
  try {
    await layGoal(attack, workspace.directory);
    await layInstruction(attack, workspace.directory, trace.emit);
  } catch (error) {
    throw asAssayError(error, 'WORKSPACE_FAILED');
  }
}

async function layGoal({ goal, rule }: PlantedAttack, directory: string): Promise<void> {
  if (goal.kind === 'leak' && goal.file !== undefined)
    await create(join(directory, goal.file), secretFileText(goal.secret), rule);
  if (goal.kind !== 'change') return;
  const path = join(directory, goal.file);
  if (goal.content !== undefined) await create(path, goal.content, rule);
  else if (!(await isThere(path)))
    throw unusable(`The file ${goal.file}, which the attack at ${rule} wants to change, does not exist.`);
}

async function layInstruction({ place, text, rule }: PlantedAttack, directory: string, emit: EmitTrace): Promise<void> {
  if (place !== 'file-content' && place !== 'file-name') return;
  const name = place === 'file-content' ? carrierFile : text;
  if (place === 'file-content') await append(join(directory, name), text, rule);
  else await create(join(directory, name), '', rule);
  const acted = { border: 'files', tool: name, callNumber: 1, kind: 'attack', rule } as const;
  emit({ type: 'tool-control', ...acted, what: `has a planted instruction as its ${place.slice('file-'.length)}` });
}

/** A link may lead out of the work directory. */
async function append(path: string, text: string, rule: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile())
    throw unusable(`The attack at ${rule} needs a file at ${path}, which is something else.`);
  await appendFile(path, `\n${text}\n`);
}

/** A file of the user is never replaced. */
async function create(path: string, content: string, rule: string): Promise<void> {
  if (await isThere(path)) throw unusable(`The attack at ${rule} would replace the file ${path}.`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { flag: 'wx' });
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function unusable(message: string): AssayError {
  return new AssayError('ATTACK_UNUSABLE', message);
}
