import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import { parseSkill } from '../../../../domain/skill.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import {
  caseByCase,
  commonParts,
  noCliToolDefaults,
  type ReadContext,
  type ReadScenario,
  trialLimitMs,
} from '../../scenario-format.ts';
import { chooseVariants } from '../agent-variants.ts';
import { hashesOf, treeHash } from '../llm-tool-test/content-hash.ts';
import type { LlmToolTestReading } from '../llm-tool-test/llm-tool-test-schema.ts';
import { findSkills, type SkillArms, triggerCases } from '../llm-tool-test/skills-section.ts';
import { parseTolerantly } from '../tolerant-parse.ts';
import { type InputFile, inputFilesOf, promptWithFiles } from './input-files.ts';
import { isTriggerEntry } from './skill-evals-format.ts';
import {
  decidingKeys,
  type SkillTask,
  skillEvalsSchema,
  type TriggerQuery,
  triggerEvalsSchema,
  triggerQueriesSchema,
} from './skill-evals-schema.ts';

/** Agents take longer than direct calls. */
const defaultTimeoutSecs = 300;

/** The skill that a file evaluates. */
interface EvaluatedSkill {
  readonly name: string;
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  /** The same, relative to the folder of the file. */
  readonly written: string;
}

/** Cases of a file, and the variants that they run under. */
interface Work {
  readonly name: string;
  readonly skills: SkillArms;
  readonly cases: readonly Case[];
  readonly caseFiles: Readonly<Record<string, readonly InputFile[]>>;
}

/** Reads the evaluations of a published skill, or returns their problems. */
export async function readSkillEvals(
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const defaults = context.defaults.cliTools ?? noCliToolDefaults;
  const reading: LlmToolTestReading = { source, context, defaults, found: { problems: [], warnings: [] } };
  const { found } = reading;
  const skill = await findSkill(reading);
  const work = skill && (await readWork(skill, reading));
  if (!skill || !work || found.problems.length > 0) return found.problems;
  const { variants, problems } = chooseVariants({}, defaults, { guidance: [], skills: [...work.skills.keys()] });
  const hashes = await hashesOf(await contentOf(work), reading);
  found.problems.push(...problems.map(({ path, ...words }) => ({ at: source.locate(path), ...words })));
  if (found.problems.length > 0) return found.problems;
  const { name, description } = { ...skill, name: work.name };
  return {
    ...commonParts({ name, description, tags: [], tier: 0, repeat: 1 }, source, context),
    timeoutMs: trialLimitMs(undefined, context.defaults, defaultTimeoutSecs),
    target: { type: 'cli-tool', config: configOf(work) },
    judge: { models: [], samples: undefined },
    variants,
    caseCount: work.cases.length,
    ...hashes,
    ownFolders: await foldersBeside(skill.folder, context.directory),
    companions: [skill.folder],
    warnings: found.warnings,
    cases: () => caseByCase(work.cases),
  };
}

/** The skill whose folder the file is in, or the folder around it. */
async function findSkill({ source, context, found }: LlmToolTestReading): Promise<EvaluatedSkill | undefined> {
  const { directory } = context;
  const at = source.locate([]);
  const written = ['.', '..'].find((place) => existsSync(join(directory, place, 'SKILL.md')));
  if (written === undefined) {
    const hint = 'Put the file into the folder `evals` of a skill: `SKILL.md` stands beside that folder.';
    found.problems.push({ at, message: 'these are evals of a skill, and there is no SKILL.md', hint });
    return undefined;
  }
  const folder = written === '.' ? directory : dirname(directory);
  const skill = parseSkill(await readFile(join(folder, 'SKILL.md'), 'utf8'));
  if ('problem' in skill) {
    found.problems.push({ at, message: `the SKILL.md of this skill ${skill.problem}` });
    return undefined;
  }
  warnOfOtherName(skill.name, { source, found });
  return { name: skill.name, description: skill.description, folder, written };
}

function warnOfOtherName(name: string, { source, found }: Pick<LlmToolTestReading, 'source' | 'found'>): void {
  const written = isRecord(source.value) ? source.value.skill_name : undefined;
  if (typeof written !== 'string' || written === name) return;
  const message = `\`skill_name\` is "${written}", and the skill in this folder is "${name}"`;
  found.warnings.push({ at: source.locate(['skill_name']), message });
}

async function readWork(skill: EvaluatedSkill, reading: LlmToolTestReading): Promise<Work | undefined> {
  const { value } = reading.source;
  const entries = Array.isArray(value) ? value : isRecord(value) ? value.evals : undefined;
  const isAboutTriggers = Array.isArray(entries) && entries.some(isTriggerEntry);
  const place: DataPath = Array.isArray(value) ? [] : ['evals'];
  if (Array.isArray(entries)) refuseMisspelt(entries, place, reading);
  return isAboutTriggers ? readQueries(skill, reading) : readTasks(skill, reading);
}

/** Unknown keys of an entry are ignored with a warning, but an expectation that is not read would always hold. */
function refuseMisspelt(entries: readonly unknown[], place: DataPath, { source, found }: LlmToolTestReading): void {
  for (const [index, entry] of entries.entries()) {
    for (const key of isRecord(entry) ? Object.keys(entry) : []) {
      const meant = decidingKeys.includes(key) ? undefined : nearestName(key, decidingKeys);
      if (meant === undefined) continue;
      const at = source.locateKey([...place, index], key);
      found.problems.push({ at, message: `unknown key \`${key}\``, hint: `Did you mean \`${meant}\`?` });
    }
  }
}

async function readTasks(skill: EvaluatedSkill, reading: LlmToolTestReading): Promise<Work | undefined> {
  const { source, found } = reading;
  const file = parseTolerantly(
    { schema: skillEvalsSchema, value: source.value, source, isTolerant: () => true },
    found,
  );
  const skills = await findSkills({ with: skill.written, without: null }, reading);
  if (!file) return undefined;
  refuseDuplicates(file.evals, reading);
  const caseFiles = Object.fromEntries(
    file.evals.map((task, index) => [
      String(task.id),
      inputFilesOf(task.files ?? [], ['evals', index, 'files'], { ...reading, folder: skill.folder }),
    ]),
  );
  const cases = file.evals.map((task): Case => {
    const input = promptWithFiles(task.prompt, caseFiles[String(task.id)] ?? []);
    const result = task.expected_output ?? '';
    const expected = result.trim() === '' || expectationsOf(task).length === 0 ? undefined : result;
    return { caseId: String(task.id), input, expected, evaluators: judgedBy(task) };
  });
  return { name: skill.name, skills, cases, caseFiles };
}

function expectationsOf({ expectations, assertions }: SkillTask): string[] {
  return [...(expectations ?? []), ...(assertions ?? [])];
}

/** Each expectation is its own criterion; without any, the result in words is the only one. */
function judgedBy(task: SkillTask): Case['evaluators'] {
  const { expected_output: result } = task;
  const written = expectationsOf(task);
  const successCriteria = written.length > 0 ? written : result?.trim() ? [result] : [];
  if (successCriteria.length === 0) return [];
  // The result is often in files that the trace shows only in part.
  const look = { maxLooks: 20, maxBytes: 200_000, timeoutSecs: 60 };
  return [{ type: 'llm-judge', config: { successCriteria, look } }];
}

function refuseDuplicates(tasks: readonly SkillTask[], { source, found }: LlmToolTestReading): void {
  const ids = tasks.map(({ id }) => String(id));
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) === index) continue;
    found.problems.push({ at: source.locate(['evals', index, 'id']), message: `duplicate id \`${id}\`` });
  }
}

async function readQueries(skill: EvaluatedSkill, reading: LlmToolTestReading): Promise<Work | undefined> {
  const { source, found } = reading;
  const isTolerant = () => true;
  const queries: readonly TriggerQuery[] | undefined = Array.isArray(source.value)
    ? parseTolerantly({ schema: triggerQueriesSchema, value: source.value, source, isTolerant }, found)
    : parseTolerantly({ schema: triggerEvalsSchema, value: source.value, source, isTolerant }, found)?.evals;
  const skills = await findSkills({ with: skill.written }, reading);
  const textsOf = (isWanted: boolean): string[] =>
    (queries ?? []).flatMap(({ query, prompt, should_trigger: should }) =>
      should === isWanted ? (query ?? prompt ?? []) : [],
    );
  if (!queries) return undefined;
  const triggers = { should: textsOf(true), should_not: textsOf(false) };
  const cases = await triggerCases({ triggers, skills: { with: skill.written } }, [], reading);
  return cases && { name: `${skill.name} triggers`, skills, cases, caseFiles: {} };
}

async function contentOf({ skills, cases, caseFiles }: Work): Promise<Parameters<typeof hashesOf>[0]> {
  const inputs: (readonly [string, string])[] = [];
  for (const { from, to } of Object.values(caseFiles).flat()) inputs.push([to, await treeHash(from)]);
  return { template: undefined, guidance: new Map(), skills, target: {}, content: [cases, inputs] };
}

function configOf({ skills, caseFiles }: Work): CliToolConfig {
  const hasFiles = Object.values(caseFiles).some((files) => files.length > 0);
  return {
    prompt: '',
    ...(hasFiles && {
      caseFiles: Object.fromEntries(Object.entries(caseFiles).map(([id, files]) => [id, [...files]])),
    }),
    isolation: 'auto',
    env: {},
    binaries: [],
    setup: [],
    postScripts: [],
    guidance: {},
    skills: Object.fromEntries([...skills].map(([arm, members]) => [arm, [...members]])),
    inputs: [],
    mcpServers: {},
  };
}

/** The folders of the skill and of its evals: no file in them is a scenario, such as an input in JSON. */
async function foldersBeside(skill: string, evals: string): Promise<string[]> {
  const around = [...new Set([skill, evals])];
  const listed = await Promise.all(
    around.map(async (folder) =>
      (await readdir(folder, { withFileTypes: true }))
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name)),
    ),
  );
  return listed.flat().filter((folder) => folder !== evals);
}
