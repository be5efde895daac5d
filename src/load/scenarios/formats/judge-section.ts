import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { Attachment } from '../../../domain/attachment.ts';
import { evidenceSourceSchema } from '../../../domain/judge-result.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import type { PartSpec, Scenario } from '../../../domain/scenario.ts';
import { lookSchema } from '../../../score/judge/mode-configs.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import type { DataPath, ParsedSource } from '../../sources/parsed-source.ts';
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
    evidenceFrom: z
      .array(evidenceSourceSchema)
      .min(1)
      .optional()
      .describe('sources of evidence; by default agent and tools'),
    look: lookSchema
      .optional()
      .describe('true or limits: the judge may look at files of the work directory and at events before it answers'),
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

/** Meaning of a judge section: evaluators and judge models. */
export interface JudgeMeaning {
  readonly evaluators: readonly PartSpec[];
  readonly choice: Scenario['judge'];
  /** Absolute: files that the section names. */
  readonly files?: readonly string[] | undefined;
}

/** Differences between formats: the path of the judge section, its rubrics, and the default for evidence. */
export interface JudgePlace {
  readonly path: DataPath;
  /** Formats of other programs have judges without quotes, whose verdicts count with a warning. */
  readonly usualEvidence: 'optional' | 'required';
  /** The rubric's file relative to the project's folder, or why there is none. */
  findRubric(written: string): Promise<string | Pick<Problem, 'message' | 'hint'>>;
}

/** Reads the section and its rubric; by default for a native scenario. */
export async function readJudgeSection(
  section: JudgeSection | undefined,
  source: ParsedSource,
  folder: string,
  isForced: boolean,
  place: JudgePlace = nativePlace(source),
): Promise<JudgeMeaning | readonly Problem[]> {
  const models = section?.model === undefined ? [] : [section.model].flat();
  const attached = await readAttachments(section?.attachments, source, folder, place);
  if (attached.problems.length > 0) return attached.problems;
  const { attachments } = attached;
  const errors = section?.judgeErrors;
  const choice = { models, samples: section?.samples, errors, ...(attachments.length > 0 && { attachments }) };
  if (!section || !(section.enabled || isForced)) return { evaluators: [], choice };
  const {
    instructions,
    references,
    evidenceFrom,
    look,
    successCriteria,
    failureCriteria,
    evidence = place.usualEvidence,
  } = section;
  const additions = { instructions, references, ...(evidenceFrom && { evidenceFrom }), ...(look && { look }) };
  const passThreshold = section.passThreshold ?? section.pass_threshold;
  if (section.rubric !== undefined) {
    const rubric = await readRubric(section.rubric, source, folder, place);
    if (rubric.problems) return rubric.problems;
    return {
      evaluators: [
        {
          type: 'rubric-judge',
          config: { rubric: rubric.value, passThreshold: passThreshold ?? 0.7, evidence, ...additions },
        },
      ],
      choice,
      files: [rubric.path],
    };
  }
  if (successCriteria !== undefined || failureCriteria !== undefined) {
    return { evaluators: [{ type: 'llm-judge', config: { successCriteria, failureCriteria, ...additions } }], choice };
  }
  return {
    evaluators: [
      {
        type: 'score-judge',
        config: { passThreshold: passThreshold ?? 0.8, maxMessages: 20, evidence, ...additions },
      },
    ],
    choice,
  };
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
    findRubric: async (written) => join(dirname(file), written),
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
