import type { PartSpec } from '../../../../domain/scenario.ts';
import type { KnownTools } from '../../../../domain/tools/known-tools.ts';
import type { Persona } from '../../../../drive/conversation/conversation-config.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { hasTemplateNames, type PlannedEvaluator, planEvaluator } from '../evaluators-section.ts';
import { type JudgeMeaning, readJudgeSection, withJudgeAdditions } from '../judge-section.ts';
import type { NamedConnector } from './connectors-section.ts';
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

/**
 * The tools that the connectors of a conversation offer, as far as its file names them. They are all that there can be
 * where each connector is a model whose tools Assay runs, and none of them is a server whose tools are not known yet.
 */
export function offeredTools(connectors: readonly NamedConnector[], users: Iterable<Persona>): KnownTools {
  const offered = connectors.map(({ spec }) => spec.toolLoop?.tools ?? []);
  // A tool of the user is a name that there is: an assertion may say that the agent does not call it.
  const ofUsers = [...users].flatMap(({ toolLoop }) => toolLoop?.tools ?? []);
  const tools = [...offered.flat(), ...ofUsers].flatMap(({ name, only = [] }) => [
    ...(name === undefined ? [] : [name]),
    ...only,
  ]);
  const isComplete = connectors.every(
    ({ spec }, index) => !hasOwnRequest(spec.config) && isNamedList(offered[index] ?? []),
  );
  return { tools: tools.map((tool) => ({ tool })), isComplete };
}

function isNamedList(
  tools: readonly { readonly name?: string | undefined; readonly only?: readonly string[] | undefined }[],
): boolean {
  return tools.length > 0 && tools.every(({ name, only }) => name !== undefined || only !== undefined);
}

/** Fields of the request that the file sets itself may offer tools of the provider. */
function hasOwnRequest(config: unknown): boolean {
  return isRecord(config) && config.body !== undefined;
}
