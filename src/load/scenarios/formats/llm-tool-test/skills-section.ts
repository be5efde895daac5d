import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Case, PartSpec } from '../../../../domain/scenario.ts';
import { parseSkill } from '../../../../domain/skill.ts';
import { isRecord } from '../../../../shared/json.ts';
import { oneLine, shorten } from '../../../../shared/text.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import {
  type LlmToolTestFile,
  type LlmToolTestReading,
  type TriggerPrompts,
  triggerPromptsSchema,
} from './llm-tool-test-schema.ts';
import { lookUp, namedPaths } from './named-files.ts';

interface FoundSkill {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/** The skills of each variant, by its name; none for the one without skills. */
export type SkillArms = ReadonlyMap<string, readonly FoundSkill[]>;

/** Finds the folders of the skills that are compared, and checks each SKILL.md. */
export async function findSkills(section: LlmToolTestFile['skills'], reading: LlmToolTestReading): Promise<SkillArms> {
  const arms = new Map<string, readonly FoundSkill[]>();
  for (const { name, folders, path } of armsIn(section)) {
    const skills: FoundSkill[] = [];
    for (const folder of folders) {
      const skill = await findSkill(folder, path, reading);
      if (skill) skills.push(skill);
    }
    refuseDuplicates(skills, path, reading);
    arms.set(name, skills);
  }
  return arms;
}

interface WrittenArm {
  readonly name: string;
  readonly folders: readonly string[];
  readonly path: DataPath;
}

function armsIn(section: LlmToolTestFile['skills']): WrittenArm[] {
  if (isRecord(section)) {
    return Object.entries(section).map(([name, arm]) => {
      const folders = arm === null ? [] : typeof arm === 'string' ? [arm] : arm;
      return { name, folders, path: ['skills', name] };
    });
  }
  return namedPaths(section).map(({ name, written, key }) => ({
    ...{ name, path: ['skills', key] },
    folders: written === null ? [] : [written],
  }));
}

async function findSkill(
  written: string,
  path: DataPath,
  { source, context, found }: LlmToolTestReading,
): Promise<FoundSkill | undefined> {
  const at = source.locate(path);
  const lookup = await lookUp({ name: written, kinds: ['folder'] }, context);
  if (!('path' in lookup)) {
    found.problems.push({ at, ...lookup });
    return undefined;
  }
  const text = await readFile(join(lookup.path, 'SKILL.md'), 'utf8').catch(() => undefined);
  if (text === undefined) {
    found.problems.push({ at, message: `\`${written}\` has no SKILL.md` });
    return undefined;
  }
  const skill = parseSkill(text);
  if ('problem' in skill) {
    found.problems.push({ at, message: `the SKILL.md of \`${written}\` ${skill.problem}` });
    return undefined;
  }
  return { name: skill.name, folder: lookup.path };
}

function refuseDuplicates(
  skills: readonly FoundSkill[],
  path: DataPath,
  { source, found }: Pick<LlmToolTestReading, 'source' | 'found'>,
): void {
  const names = skills.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) found.problems.push({ at: source.locate(path), message: `duplicate skill \`${twice}\`` });
}

/** Judges and measures whether a prompt triggered the skill of the variant. */
const triggerEvaluators: readonly PartSpec[] = [
  { type: 'skill-used', config: {} },
  { type: 'skill-triggering', config: {} },
];

/** One case for each prompt that should or should not trigger the skill; undefined where there are problems. */
export async function triggerCases(
  { triggers, skills }: Pick<LlmToolTestFile, 'triggers' | 'skills'>,
  evaluators: readonly PartSpec[],
  reading: LlmToolTestReading,
): Promise<readonly Case[] | undefined> {
  const { source, found } = reading;
  const at = source.locate(['triggers']);
  const isWithout = armsIn(skills).some(({ folders }) => folders.length !== 1);
  if (skills === undefined || isWithout) {
    const message = '`triggers` needs `skills` with exactly one skill in each variant';
    found.problems.push({ at, message, hint: 'Compare with and without the skill in a scenario that has a `task`.' });
    return undefined;
  }
  const prompts = typeof triggers === 'string' ? await readTriggers(triggers, reading) : triggers;
  if (prompts === undefined) return undefined;
  const written = [
    ...prompts.should.map((prompt) => ({ prompt, isTrigger: true })),
    ...prompts.should_not.map((prompt) => ({ prompt, isTrigger: false })),
  ];
  const twice = written.find(({ prompt }, index) => written.findIndex((other) => other.prompt === prompt) !== index);
  if (twice) {
    found.problems.push({ at, message: `duplicate prompt \`${shorten(twice.prompt, 80)}\`` });
    return undefined;
  }
  const ids = new Set<string>();
  return written.map(({ prompt, isTrigger }) => ({
    caseId: uniqueId(`${isTrigger ? 'should' : 'should not'}: ${shorten(oneLine(prompt), 80)}`, ids),
    input: prompt,
    expected: { triggers: isTrigger },
    evaluators: [...evaluators, ...triggerEvaluators],
  }));
}

function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted} (${number})`;
  taken.add(id);
  return id;
}

async function readTriggers(
  written: string,
  { source, context, found }: LlmToolTestReading,
): Promise<TriggerPrompts | undefined> {
  const at = source.locate(['triggers']);
  const lookup = await lookUp({ name: written, kinds: ['file'] }, context);
  if (!('path' in lookup)) {
    found.problems.push({ at, ...lookup });
    return undefined;
  }
  const { parse } = await import('yaml');
  try {
    const checked = triggerPromptsSchema.safeParse(parse(await readFile(resolve(lookup.path), 'utf8')));
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    const where = issue?.path.join('.');
    found.problems.push({
      at,
      message: `\`${written}\` cannot be used: ${where ? `${where}: ` : ''}${issue?.message}`,
    });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    found.problems.push({ at, message: `\`${written}\` cannot be read: ${reason}` });
  }
  return undefined;
}
