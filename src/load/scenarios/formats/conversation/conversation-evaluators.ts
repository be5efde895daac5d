import type { PartSpec } from '../../../../domain/scenario.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { hasTemplateNames, type PlannedEvaluator, planEvaluator, unmetNeeds } from '../evaluators-section.ts';
import { type JudgeMeaning, readJudgeSection, withJudgeAdditions } from '../judge-section.ts';
import type { ConversationFile } from './conversation-schema.ts';
import type { ConversationReading } from './data-folder.ts';

const legacyKeys = ['successCriteria', 'failureCriteria', 'failureCriteriaMode'] as const;

/** The evaluators of a scenario or, where it lists none, a judge of its criteria. */
export function readEvaluators(file: ConversationFile, reading: ConversationReading): PlannedEvaluator[] {
  const { source, found } = reading;
  if (file.evaluators.length === 0) return criteriaJudge(file, reading);
  for (const key of legacyKeys) {
    if (file[key] === undefined) continue;
    const message = `\`${key}\` is ignored, because \`evaluators\` takes precedence`;
    found.warnings.push({
      at: source.locateKey([], key),
      message,
      hint: 'Move it to the config of an `llm-judge` evaluator.',
    });
  }
  return file.evaluators.flatMap((item, index) => planEvaluator(item, ['evaluators', index], reading));
}

/** Metrics that every conversation of the project has; one that the file lists has its own config. */
export function automaticEvaluators(
  listed: readonly PlannedEvaluator[],
  { context, defaults }: ConversationReading,
): PlannedEvaluator[] {
  const types = (defaults.automaticMetrics ?? []).filter(
    (type) => !listed.some(({ evaluator }) => evaluator.type === type),
  );
  return context.parts.evaluators
    .filter(({ type }) => types.includes(type))
    .map((evaluator) => ({ evaluator, when: undefined, config: {}, path: [], hasTemplates: false }));
}

/** A judge for the criteria of a scenario without evaluators. */
function criteriaJudge(file: ConversationFile, { source, context, found }: ConversationReading): PlannedEvaluator[] {
  const { successCriteria, failureCriteria, failureCriteriaMode } = file;
  if (failureCriteriaMode !== undefined && failureCriteria === undefined) {
    const message = '`failureCriteriaMode` has no effect without `failureCriteria`';
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
  return [{ evaluator, when: undefined, config, path: [], hasTemplates: hasTemplateNames(config) }];
}

/** Refuses evaluators that need more than a conversation provides. */
export function refuseUnmetNeeds(file: ConversationFile, { source, context, found }: ConversationReading): void {
  const kind = context.parts.targets.find(({ type }) => type === 'conversation');
  const listed = file.evaluators.map((item) => {
    const type = isRecord(item) ? item.type : undefined;
    return { type: typeof type === 'string' ? type : '' };
  });
  if (kind) found.problems.push(...unmetNeeds({ evaluators: listed }, kind, source, context.parts));
}

/** Refuses assertions on turns that a conversation without a persona cannot have: its script is too short. */
export function refuseMissingTurns(
  { messages, userMessages }: ConversationFile,
  evaluators: readonly PlannedEvaluator[],
  { source, found }: ConversationReading,
): void {
  const isAgentFirst = messages.findLast(({ role }) => role !== 'system')?.role === 'user';
  const turns = userMessages.length + (isAgentFirst ? 1 : 0);
  // Without any words of the user a model speaks, as long as it wants to.
  if (turns === 0) return;
  for (const { turn, path } of evaluators) {
    if (turn === undefined || turn <= turns) continue;
    const message = `there is no turn ${turn}: the messages of the user make ${counted(turns, 'turn')}`;
    found.problems.push({ at: source.locate([...path.slice(0, -1), 'turn']), message });
  }
}

/** The evaluators of a conversation with those of its judge section, and the judge models. */
interface JudgeChoice {
  /** Those that the file lists, and those with templates. */
  readonly planned: readonly PlannedEvaluator[];
  readonly fixed: readonly PartSpec[];
  readonly choice: JudgeMeaning['choice'];
}

/** Reads the judge section, which may only choose and instruct the judges of the scenario's own evaluators. */
export async function readJudgeChoice(
  file: ConversationFile,
  evaluators: readonly PlannedEvaluator[],
  { source, context, found }: ConversationReading,
): Promise<JudgeChoice | undefined> {
  const { folder, defaults, parts } = context;
  const listed = evaluators.map(({ evaluator }) => evaluator);
  const read = await readJudgeSection(file.judge, source, folder, defaults.isJudgeForced ?? false, listed);
  if (!('choice' in read)) {
    found.problems.push(...read);
    return undefined;
  }
  const instructed = evaluators.map((planned): PlannedEvaluator => {
    const config = withJudgeAdditions(planned.evaluator, planned.config, read.additions);
    return { ...planned, config, hasTemplates: hasTemplateNames(config) };
  });
  const planned = read.evaluators.flatMap(({ type, config }) => {
    const evaluator = parts.evaluators.find((candidate) => candidate.type === type);
    const hasTemplates = hasTemplateNames(config);
    return evaluator && hasTemplates ? [{ evaluator, when: undefined, config, path: ['judge'], hasTemplates }] : [];
  });
  const fixed = read.evaluators.filter(({ type }) => !planned.some(({ evaluator }) => evaluator.type === type));
  return { planned: [...instructed, ...planned], fixed, choice: read.choice };
}
