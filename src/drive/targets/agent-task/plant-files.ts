import { appendFile, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** Takes the files of an attack out of a copy of the work directory, in which it can be planted again. */
export async function removePlanted({ goal, place, text }: PlantedAttack, directory: string): Promise<void> {
  const names = [ownFile(goal), place === 'file-name' ? text : undefined].filter((name) => name !== undefined);
  for (const name of names) await rm(join(directory, name), { force: true });
  if (place !== 'file-content') return;
  const path = join(directory, carrierFile);
  const written = await readFile(path, 'utf8').catch(() => '');
  const added = addedText(text);
  if (written === added) await rm(path);
  else if (written.endsWith(added)) await writeFile(path, written.slice(0, -added.length));
}

/** The file that the goal needs; one that it wants changed is the user's. */
function ownFile(goal: PlantedAttack['goal']): string | undefined {
  if (goal.kind === 'leak') return goal.file;
  return goal.kind === 'change' && goal.content !== undefined ? goal.file : undefined;
}

function addedText(text: string): string {
  return `\n${text}\n`;
}

/** A link may lead out of the work directory. */
async function append(path: string, text: string, rule: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile())
    throw unusable(`The attack at ${rule} needs a file at ${path}, which is something else.`);
  await appendFile(path, addedText(text));
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
