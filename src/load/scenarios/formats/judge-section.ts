import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { Attachment } from '../../../domain/attachment.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import type { PartSpec, Scenario } from '../../../domain/scenario.ts';
import type { Evaluator } from '../../../score/evaluators/evaluator.ts';
import { evidenceAdditions } from '../../../score/judge/mode-configs.ts';
import { isRecord, pickedFrom } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';
import { pathBeside } from '../../sources/path-beside.ts';
import { problemsOf } from '../../sources/schema-problems.ts';
import { readSource } from '../../sources/source-file.ts';

const oneOrMore = lazySchema(() => z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]));
const threshold = lazySchema(() => z.number().min(0).max(1).optional());

/** Judge model and its criteria: in plain words, a rubric file, or one score. */
export const judgeSectionSchema = lazySchema(() =>
  z.strictObject({
    enabled: z.boolean().default(true).describe('false: the judge is not run'),
    model: oneOrMore.optional().describe('`provider/model`; several models vote'),
    samples: z.int().min(1).max(25).optional().describe('answers per model for each trial'),
    successCriteria: oneOrMore.optional().describe('what must have happened, in plain words'),
    failureCriteria: oneOrMore.optional().describe('what must not have happened, in plain words'),
    rubric: z.string().min(1).optional().describe('rubric file with weighted criteria, relative to the scenario file'),
    pass_threshold: threshold.describe('lowest score that passes'),
    passThreshold: threshold.describe('the same as `pass_threshold`'),
    evidence: z
      .enum(['optional', 'required'])
      .optional()
      .describe('whether a pass needs quotes from the trace; the default depends on the file format'),
    judgeErrors: z
      .enum(['error', 'fail', 'ignore'])
      .optional()
      .describe('outcome of a trial whose judge could not answer: unjudged, failed, or judged without it'),
    ...evidenceAdditions(),
    attachments: oneOrMore
      .optional()
      .describe(
        'images, PDF documents and text files of the project that the judge sees, relative to the scenario file',
      ),
    instructions: z.string().optional().describe('additional instructions for the judge'),
    references: z
      .array(
        z.strictObject({
          name: z.string().describe('name that the judge sees'),
          text: z.string().describe('the material'),
        }),
      )
      .optional()
      .describe('material for the judge to compare with'),
  }),
);
export type JudgeSection = z.output<typeof judgeSectionSchema>;

/** Meaning of a judge section: its own evaluators, what it adds to all judges of the scenario, and judge models. */
export interface JudgeMeaning {
  readonly evaluators: readonly PartSpec[];
  readonly additions: JudgeAdditions;
  readonly choice: Scenario['judge'];
  /** Absolute: files that the section names. */
  readonly files?: readonly string[] | undefined;
}

const additionKeys = ['instructions', 'references', 'evidenceFrom', 'look'] as const;
export type JudgeAdditions = Pick<JudgeSection, (typeof additionKeys)[number]>;

/** The config of a judge with the additions of the section; its own come after them, or in their place. */
export function withJudgeAdditions(
  evaluator: Evaluator | undefined,
  config: unknown,
  additions: JudgeAdditions,
): unknown {
  if (!evaluator || !isJudge(evaluator) || !(config === undefined || isRecord(config))) return config;
  const own = (config ?? {}) as JudgeAdditions;
  const added = additionKeys.filter((key) => additions[key] !== undefined && takes(evaluator, key));
  if (added.length === 0) return config;
  const instructions = [additions.instructions, own.instructions].filter((text) => text !== undefined).join('\n');
  const references = [...(additions.references ?? []), ...(own.references ?? [])];
  const merged: JudgeAdditions = { ...additions, ...own, instructions, references };
  return { ...own, ...Object.fromEntries(added.map((key) => [key, merged[key]])) };
}

/** The evaluators that a file lists, and those of its judge section; its additions are for all judges. */
export function withJudge(
  listed: readonly PartSpec[],
  { evaluators, additions }: JudgeMeaning,
  known: readonly Evaluator[],
): PartSpec[] {
  const added = listed.map((spec) => {
    const evaluator = known.find(({ type }) => type === spec.type);
    return { ...spec, config: withJudgeAdditions(evaluator, spec.config, additions) };
  });
  return [...added, ...evaluators];
}

export function evaluatorsOf(listed: readonly PartSpec[], known: readonly Evaluator[]): Evaluator[] {
  return listed.flatMap(({ type }) => known.find((evaluator) => evaluator.type === type) ?? []);
}

/** Whether an evaluator is a judge that takes words of the author. */
function isJudge(evaluator: Evaluator): boolean {
  return evaluator.needs.includes('judge') && takes(evaluator, 'instructions');
}

function takes({ configSchema }: Evaluator, key: string): boolean {
  return configSchema instanceof z.ZodObject && key in configSchema.shape;
}

/** Differences between formats: the path of the judge section, its rubrics, and the default for evidence. */
export interface JudgePlace {
  readonly path: DataPath;
  /** Formats of other programs have judges without quotes, whose verdicts count with a warning. */
  readonly usualEvidence: 'optional' | 'required';
  /** The rubric's file relative to the project's folder, or why there is none. */
  findRubric(written: string): Promise<string | Pick<Problem, 'message' | 'hint'>>;
}

/** Reads the section and its rubric; by default for a native scenario. `listed`: the evaluators that the file names. */
export async function readJudgeSection(
  section: JudgeSection | undefined,
  source: ParsedSource,
  folder: string,
  isForced: boolean,
  listed: readonly Evaluator[],
  place: JudgePlace = nativePlace(source),
): Promise<JudgeMeaning | readonly Problem[]> {
  const models = section?.model === undefined ? [] : [section.model].flat();
  const attached = await readAttachments(section?.attachments, source, folder, place);
  const isOwn = section !== undefined && (section.enabled || isForced) && wantsVerdict(section, listed);
  const problems = [...attached.problems, ...(section ? unusedKeys(section, isOwn, listed, source, place) : [])];
  if (problems.length > 0) return problems;
  const { attachments } = attached;
  const errors = section?.judgeErrors;
  const choice = { models, samples: section?.samples, errors, ...(attachments.length > 0 && { attachments }) };
  const additions: JudgeAdditions = section ? pickedFrom(section, additionKeys) : {};
  const own = isOwn ? await readVerdict(section, additions, source, folder, place) : { evaluators: [] };
  return 'evaluators' in own ? { ...own, additions, choice } : own;
}

const verdictKeys = ['rubric', 'successCriteria', 'failureCriteria', 'passThreshold', 'pass_threshold'] as const;

/** Whether a section gives a verdict itself; beside other users of the judge, it may only choose the models. */
function wantsVerdict(section: JudgeSection, listed: readonly Evaluator[]): boolean {
  if (isGiven(section, verdictKeys)) return true;
  if (listed.some(isJudge)) return false;
  const usesJudge = listed.some(({ needs }) => needs.includes('judge'));
  return !usesJudge || isGiven(section, [...additionKeys, 'evidence']);
}

function isGiven(section: JudgeSection, keys: readonly (keyof JudgeSection)[]): boolean {
  return keys.some((key) => section[key] !== undefined);
}

/** Refuses keys that no judge of the scenario would read. */
function unusedKeys(
  section: JudgeSection,
  isOwn: boolean,
  listed: readonly Evaluator[],
  source: ParsedSource,
  { path }: JudgePlace,
): Problem[] {
  const refused = (key: keyof JudgeSection, why: string, hint: string): Problem[] =>
    section[key] === undefined
      ? []
      : [{ at: source.locateKey(path, key), message: `\`judge.${key}\` has no effect: ${why}`, hint }];
  const judges = listed.filter(isJudge);
  const deaf = (key: (typeof additionKeys)[number]) => judges.find((judge) => !takes(judge, key));
  const additions = additionKeys.flatMap((key) => {
    const judge = deaf(key);
    return judge ? refused(key, `\`${judge.type}\` does not take it`, 'Move it to the config of another judge.') : [];
  });
  const elsewhere = 'Move it to the config of the evaluator that it is for, or remove it.';
  if (!isOwn)
    return [...additions, ...(section.enabled ? refused('evidence', 'the section has no verdict', elsewhere) : [])];
  const isRubric = section.rubric !== undefined;
  const isCriteria = !isRubric && isGiven(section, ['successCriteria', 'failureCriteria']);
  const byRubric = isRubric ? (['successCriteria', 'failureCriteria'] as const) : [];
  const byCriteria = isCriteria ? (['passThreshold', 'pass_threshold', 'evidence'] as const) : [];
  return [
    ...additions,
    ...byRubric.flatMap((key) => refused(key, 'the rubric decides', 'Use an `llm-judge` evaluator for criteria.')),
    ...byCriteria.flatMap((key) => refused(key, 'criteria are met or not, each with a quote', 'Remove it.')),
  ];
}

type Verdict = Pick<JudgeMeaning, 'evaluators' | 'files'>;

async function readVerdict(
  section: JudgeSection,
  additions: JudgeAdditions,
  source: ParsedSource,
  folder: string,
  place: JudgePlace,
): Promise<Verdict | readonly Problem[]> {
  const { successCriteria, failureCriteria, evidence = place.usualEvidence } = section;
  const passThreshold = section.passThreshold ?? section.pass_threshold;
  if (section.rubric !== undefined) {
    const rubric = await readRubric(section.rubric, source, folder, place);
    if (rubric.problems) return rubric.problems;
    const config = { rubric: rubric.value, passThreshold: passThreshold ?? 0.7, evidence, ...additions };
    return { evaluators: [{ type: 'rubric-judge', config }], files: [rubric.path] };
  }
  if (successCriteria !== undefined || failureCriteria !== undefined)
    return { evaluators: [{ type: 'llm-judge', config: { successCriteria, failureCriteria, ...additions } }] };
  const config = { passThreshold: passThreshold ?? 0.8, maxMessages: 20, evidence, ...additions };
  return { evaluators: [{ type: 'score-judge', config }] };
}

async function readAttachments(
  written: JudgeSection['attachments'],
  source: ParsedSource,
  folder: string,
  { path }: JudgePlace,
): Promise<{ readonly attachments: readonly Attachment[]; readonly problems: readonly Problem[] }> {
  if (written === undefined) return { attachments: [], problems: [] };
  const problems: Problem[] = [];
  const { openInspector } = await import('./attachment-inspector.ts');
  const directory = dirname(resolve(folder, source.file));
  const inspector = await openInspector(source, { directory, projectFolder: folder }, problems);
  const attachments = await inspector.inspect([written].flat(), [...path, 'attachments']);
  return { attachments, problems };
}

function nativePlace({ file }: ParsedSource): JudgePlace {
  return {
    path: ['judge'],
    usualEvidence: 'required',
    findRubric: async (written) => pathBeside(file, written),
  };
}

type ReadRubric =
  | { readonly value: z.output<typeof rubricSchema>; readonly path: string; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

async function readRubric(
  written: string,
  source: ParsedSource,
  folder: string,
  place: JudgePlace,
): Promise<ReadRubric> {
  const namedAt = source.locate([...place.path, 'rubric']);
  try {
    const found = await place.findRubric(written);
    if (typeof found !== 'string') return { problems: [{ at: namedAt, ...found }] };
    const file = await readSource(found, folder);
    const parsed = rubricSchema.safeParse(file.value);
    return parsed.success
      ? { value: parsed.data, path: resolve(folder, found) }
      : { problems: problemsOf(parsed.error, file, rubricSchema) };
  } catch (error) {
    if (error instanceof ProblemsError) return { problems: error.problems };
    const message = error instanceof Error ? error.message : String(error);
    return { problems: [{ at: namedAt, message }] };
  }
}
