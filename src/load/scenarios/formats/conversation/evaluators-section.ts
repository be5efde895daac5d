import type { PartSpec, When } from '../../../../domain/scenario.ts';
import type { Evaluator } from '../../../../score/evaluators/evaluator.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { unmetNeeds } from '../native-problems.ts';
import { type ConversationFile, evaluatorSectionSchema } from './conversation-schema.ts';
import type { Reading } from './reading.ts';
import { templatesIn } from './templates.ts';

/** An evaluator of a scenario; its config is checked when the values of a case are known, if it depends on them. */
export interface PlannedEvaluator {
  readonly evaluator: Evaluator;
  readonly when: When | undefined;
  /** As it is written. */
  readonly config: unknown;
  /** Where the config stands in the file. */
  readonly path: DataPath;
  readonly hasTemplates: boolean;
}

/** What is known of the file that an evaluator is written in. */
type InFile = Pick<Reading, 'source' | 'context' | 'found'>;

const legacyKeys = ['successCriteria', 'failureCriteria', 'failureCriteriaMode'] as const;

/** The evaluators that a scenario lists or, where it lists none, the judge that its criteria ask for. */
export function readEvaluators(file: ConversationFile, reading: Reading): PlannedEvaluator[] {
  const { source, found } = reading;
  if (file.evaluators.length === 0) return criteriaJudge(file, reading);
  for (const key of legacyKeys) {
    if (file[key] === undefined) continue;
    const message = `\`${key}\` is ignored, because \`evaluators\` takes precedence`;
    found.warnings.push({
      at: source.locateKey([], key),
      message,
      hint: 'Give it to an evaluator of the type `llm-judge`.',
    });
  }
  return file.evaluators.flatMap((item, index) => planEvaluator(item, ['evaluators', index], reading));
}

/** The checked evaluator, or undefined after what is wrong with its config was told. */
export function checkedEvaluator(
  planned: PlannedEvaluator,
  config: unknown,
  { source, found }: Pick<Reading, 'source' | 'found'>,
): PartSpec | undefined {
  const { evaluator, when, path } = planned;
  const parsed = evaluator.configSchema.safeParse(config ?? {});
  if (parsed.success) return { type: evaluator.type, config: parsed.data, ...(when && { when }) };
  found.problems.push(...problemsOf(parsed.error, source, evaluator.configSchema, path));
  return undefined;
}

/** One item of a list of evaluators, or nothing after what is wrong with it was told. */
export function planEvaluator(item: unknown, path: DataPath, reading: InFile): PlannedEvaluator[] {
  const { source, context, found } = reading;
  const known = context.parts.evaluators;
  if (typeof item === 'string') {
    const message = `\`evaluators[${String(path[1])}]\` must be an object, not text`;
    found.problems.push({ at: source.locate(path), message, hint: `Write \`{ type: ${item} }\`.` });
    return [];
  }
  const parsed = evaluatorSectionSchema.safeParse(item);
  if (!parsed.success) {
    found.problems.push(...problemsOf(parsed.error, source, evaluatorSectionSchema, path));
    return [];
  }
  const { type, config, when } = parsed.data;
  const evaluator = known.find((candidate) => candidate.type === type);
  if (!evaluator) {
    const hint = suggestion(
      type,
      known.filter(judgesConversations).map((candidate) => candidate.type),
    );
    found.problems.push({ at: source.locate([...path, 'type']), message: `Unknown evaluator type: "${type}"`, hint });
    return [];
  }
  if (when !== undefined) refuseUselessWhen(evaluator, when, path, reading);
  const configPath = [...path, 'config'];
  return [{ evaluator, when, config, path: configPath, hasTemplates: hasNames(config) }];
}

/** The criteria of earlier scenarios in the place of an evaluator. */
function criteriaJudge(file: ConversationFile, { source, context, found }: Reading): PlannedEvaluator[] {
  const { successCriteria, failureCriteria, failureCriteriaMode } = file;
  if (failureCriteriaMode !== undefined && failureCriteria === undefined) {
    const message = '`failureCriteriaMode` means nothing without `failureCriteria`';
    found.warnings.push({ at: source.locateKey([], 'failureCriteriaMode'), message });
  }
  if (!successCriteria && !failureCriteria) return [];
  const evaluator = context.parts.evaluators.find(({ type }) => type === 'llm-judge');
  if (!evaluator) {
    found.problems.push({ at: source.locate([]), message: 'Unknown evaluator type: "llm-judge"' });
    return [];
  }
  const written = isRecord(source.value) ? source.value : {};
  const config = {
    ...(successCriteria && { successCriteria: written.successCriteria }),
    ...(failureCriteria && { failureCriteria: written.failureCriteria }),
    ...(failureCriteria && failureCriteriaMode && { failureCriteriaMode }),
  };
  return [{ evaluator, when: undefined, config, path: [], hasTemplates: hasNames(config) }];
}

/** What looks at other things than answers cannot judge a conversation. */
export function refuseUnmetNeeds(file: ConversationFile, { source, context, found }: Reading): void {
  const kind = context.parts.targets.find(({ type }) => type === 'conversation');
  const listed = file.evaluators.map((item) => {
    const type = isRecord(item) ? item.type : undefined;
    return { type: typeof type === 'string' ? type : '' };
  });
  if (kind) found.problems.push(...unmetNeeds({ evaluators: listed }, kind, source, context.parts));
}

function judgesConversations({ needs }: Evaluator): boolean {
  return !needs.includes('workspace') && !needs.includes('call-answer');
}

function refuseUselessWhen(evaluator: Evaluator, when: When, path: DataPath, { source, found }: InFile): void {
  const at = source.locate([...path, 'when']);
  if (evaluator.kind === 'metric') {
    const message = `\`when\` means nothing for \`${evaluator.type}\`, which is a metric and never fails`;
    found.problems.push({ at, message });
  } else if (!evaluator.when && when !== 'final') {
    const message = `\`${evaluator.type}\` is asked once, at the end, so that \`when\` can only be \`final\``;
    found.problems.push({ at, message });
  }
}

function hasNames(config: unknown): boolean {
  return templatesIn(config, []).some(({ name }) => name !== undefined);
}
