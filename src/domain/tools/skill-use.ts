import { counted } from '../../shared/format.ts';
import { textsIn } from '../../shared/json.ts';
import { AssayError } from '../errors.ts';
import { eventsOf, type Trace, type TraceEventOf } from '../trace.ts';
import { type ObservedCall, observedCalls } from './tool-calls.ts';

/** A skill that was laid down for the agent. */
type InstalledSkill = NonNullable<TraceEventOf<'agent-started'>['skills']>[number];

/** Whether the agent used a skill, and by what it is known. */
export interface SkillUse {
  readonly isUsed: boolean;
  readonly reason: string;
}

/** The skills that the agent of a trial was given. */
export function skillsOf(trace: Trace): readonly InstalledSkill[] {
  return eventsOf(trace, 'agent-started').flatMap(({ skills }) => skills ?? []);
}

/**
 * Whether the agent loaded the instructions of a skill: with its tool for skills, by reading SKILL.md, or because they
 * are in what a command printed, in a message to its model or in a prompt that the gateway saw. Throws where that cannot
 * be known: instructions that are in no prompt may have reached the model in the result of a tool.
 */
export function skillUse(trace: Trace, skill: InstalledSkill): SkillUse {
  const calls = observedCalls(trace);
  const used = calls.flatMap((call) => evidenceIn(call, skill) ?? []);
  if (used[0] !== undefined) return { isUsed: true, reason: used[0] };
  const isInMessage = eventsOf(trace, 'message').some(({ seenBy, text }) => seenBy === 'agent' && shows(text, skill));
  if (isInMessage) return { isUsed: true, reason: 'its instructions are in a message to the model' };
  const prompted = promptsWith(trace, skill);
  if (prompted > 0)
    return { isUsed: true, reason: `its instructions are in the prompt of ${counted(prompted, 'request')}` };
  requireKnowable(calls, skill);
  return { isUsed: false, reason: `${skill.name} was neither loaded nor read` };
}

/** Requests to the model whose prompt held the instructions, as the gateway saw them. */
function promptsWith(trace: Trace, { name }: InstalledSkill): number {
  const found = eventsOf(trace, 'instructions').flatMap(({ skills = [] }) => skills);
  return Math.max(0, ...found.filter((skill) => skill.name === name).map(({ calls }) => calls));
}

function evidenceIn(call: ObservedCall, skill: InstalledSkill): string | undefined {
  if (call.error !== undefined || (call.exitCode ?? 0) !== 0) return undefined;
  const { kind, tool, number, actor } = call;
  const who = actor === undefined ? '' : ` by ${actor}`;
  const where = `call ${number}, ${tool}${who}`;
  if (kind === 'skill' && namesSkill(call.input, skill)) return `loaded by ${where}`;
  if (kind === 'read' && textsIn(call.input).some((text) => isItsFile(text, skill))) return `SKILL.md read by ${where}`;
  return shows(textsIn(call.result).join('\n'), skill) ? `its instructions are in the result of ${where}` : undefined;
}

/** Agents write the name of a skill as it is, or behind the name of the plug-in that it belongs to. */
function namesSkill(input: unknown, { name }: InstalledSkill): boolean {
  return textsIn(input).some((text) => text === name || text.endsWith(`:${name}`) || text === `/${name}`);
}

function isItsFile(path: string, { folder, name }: InstalledSkill): boolean {
  const plain = path.replaceAll('\\', '/');
  return [`${folder}/SKILL.md`, `skills/${name}/SKILL.md`].some((end) => plain === end || plain.endsWith(`/${end}`));
}

function shows(text: string, { signature }: InstalledSkill): boolean {
  return signature.some((line) => text.includes(line));
}

/** Refuses "not used" where the agent could have used the skill unseen. */
function requireKnowable(calls: readonly ObservedCall[], skill: InstalledSkill): void {
  const doubtful = calls.find((call) => isDoubtful(call, skill));
  if (doubtful === undefined) return;
  const { number, tool } = doubtful;
  throw new AssayError(
    'NOT_OBSERVED',
    `It is not reported whether call ${number} (${tool}) read the skill "${skill.name}".`,
  );
}

/** A call that may have shown the skill to the model, and whose output is not in the trace. */
function isDoubtful(
  { kind, input, shellCommand, error, exitCode, result }: ObservedCall,
  skill: InstalledSkill,
): boolean {
  if (error !== undefined || (exitCode ?? 0) !== 0) return false;
  const isSilent = textsIn(result).join('').trim() === '';
  if (kind === 'skill') return !textsIn(input).some((text) => text !== '');
  const given = shellCommand ?? textsIn(input).join(' ');
  return isSilent && given.includes('SKILL.md') && given.includes(skill.name);
}
