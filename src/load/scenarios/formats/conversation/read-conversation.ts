import type { Problem } from '../../../../domain/problem.ts';
import type { Variant } from '../../../../domain/variant.ts';
import type { ConversationConfig } from '../../../../drive/conversation/conversation-config.ts';
import { counted } from '../../../../shared/format.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord, pickedFrom } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import { below, type ParsedSource } from '../../../sources/parsed-source.ts';
import {
  type ConversationDefaults,
  commonParts,
  type ReadContext,
  type ReadPart,
  type ReadScenario,
  trialLimitMs,
} from '../../scenario-format.ts';
import { readApprovals, withApprovals } from '../approvals-section.ts';
import { withoutCi } from '../ci-section.ts';
import { unmetNeeds } from '../evaluators-section.ts';
import { readToolControl, withFaultSets } from '../faults-section.ts';
import { refuseUnknownTools } from '../known-names.ts';
import { identityOf } from '../scenario-identity.ts';
import { parseTolerantly } from '../tolerant-parse.ts';
import { readAttachments } from './attachments-section.ts';
import { chooseConnectors, type NamedConnector } from './connectors-section.ts';
import { controlProblems } from './control-problems.ts';
import { readCases } from './conversation-cases.ts';
import {
  automaticEvaluators,
  offeredTools,
  readEvaluators,
  readJudgeChoice,
  refuseMissingTurns,
} from './conversation-evaluators.ts';
import {
  type ConversationFile,
  conversationSchema,
  decidingKeys,
  isTopLevel,
  withoutUnset,
} from './conversation-schema.ts';
import {
  type ConversationReading,
  type DataFolder,
  noDataFolder,
  readDataFolder,
  refersToDataFolder,
} from './data-folder.ts';
import { choosePersonas } from './personas-section.ts';
import { splitMessages } from './split-messages.ts';

/** Dimensions of the variants; an empty list leaves its dimension out. */
interface Matrix {
  readonly connectors: readonly string[];
  readonly personas: readonly string[];
  readonly models: readonly string[];
  readonly prompts?: readonly string[];
}

/** Each connector with each persona and each model, each combination once. */
export function conversationVariants({ connectors, personas, models, prompts = [] }: Matrix): Variant[] {
  return parts('connector', connectors).flatMap((connector) =>
    parts('persona', personas).flatMap((persona) =>
      parts('model', models).flatMap((model) =>
        parts('guidance', prompts).map((prompt) => ({ ...connector, ...persona, ...model, ...prompt })),
      ),
    ),
  );
}

function variantsOf(
  { prompts = {}, model, models, faults, approvals }: ConversationFile,
  connectors: readonly NamedConnector[],
  personas: readonly string[],
  defaults: ConversationDefaults,
): readonly Variant[] {
  const promptNames = Object.keys(prompts);
  const matrix = {
    connectors: connectors.map(({ name }) => name),
    personas,
    models: models ?? (model === undefined ? (defaults.models ?? []) : [model]),
    prompts: promptNames.length > 1 ? promptNames : [],
  };
  return withApprovals(withFaultSets(conversationVariants(matrix), faults), approvals);
}

function parts(key: keyof Variant, names: readonly string[]): readonly Variant[] {
  return names.length > 0 ? [...new Set(names)].map((name) => ({ [key]: name })) : [{}];
}

const noDefaults: ConversationDefaults = { connectors: {}, personas: {} };

/** Reads a file with one conversation or a list of them; each has its own problems. */
export async function readConversations(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]> {
  const dataFolder = refersToDataFolder(source.value) ? await readDataFolder(source, context) : noDataFolder;
  const items: readonly ParsedSource[] = Array.isArray(source.value)
    ? source.value.map((_, index) => below(source, [index]))
    : [source];
  const parts: ReadPart[] = [];
  for (const item of items) parts.push({ source: item, read: await readItem(item, context, dataFolder) });
  return parts;
}

async function readItem(
  source: ParsedSource,
  context: ReadContext,
  dataFolder: DataFolder,
): Promise<ReadScenario | readonly Problem[]> {
  const found = { problems: [...dataFolder.problems], warnings: [...dataFolder.warnings] };
  const defaults = context.defaults.conversations ?? noDefaults;
  const reading: ConversationReading = { source, context, defaults, dataFolder, found };
  const value = withoutUnset(source.value);
  found.problems.push(...criteriaOfCalls(source));
  const file = parseTolerantly(
    { schema: conversationSchema, value, source, isTolerant: isTopLevel, decidingKeys },
    found,
  );
  found.warnings.push(...splitMessages(file?.userMessages ?? [], source));
  const scenario = file && (await buildScenario(file, reading));
  if (!scenario || found.problems.length > 0) return found.problems;
  const companions = dataFolder === noDataFolder ? [] : [context.directory];
  return { ...scenario, companions, warnings: found.warnings };
}

async function buildScenario(file: ConversationFile, reading: ConversationReading): Promise<ReadScenario | undefined> {
  const { source, context, defaults, dataFolder, found } = reading;
  const evals = dataFolder.evals.filter(({ value }) => value.scenarioIds.map(String).includes(String(file.id ?? '')));
  const connectors = chooseConnectors(file, evals, reading);
  const personas = await choosePersonas(file, reading);
  const evaluators = readEvaluators(file, reading);
  if (file.prompts && file.messages.length > 0)
    found.problems.push({
      at: source.locateKey([], 'prompts'),
      message: '`prompts` and `messages` exclude each other',
    });
  found.problems.push(...unmetNeeds(file.evaluators, 'conversation', reading));
  refuseUnknownTools(evaluators, offeredTools(connectors, personas.values()), reading);
  if (personas.size === 0) refuseMissingTurns(file, evaluators, reading);
  const judge = await readJudgeChoice(file, evaluators, reading);
  const automatic = automaticEvaluators(evaluators, reading);
  const planned = [...(judge?.planned ?? evaluators), ...automatic];
  const judged = [...planned, ...(judge?.fixed ?? [])];
  if (judge && file.evaluators.length === 0 && judged.length === 0) found.problems.push(unjudged(source));
  if (file.user?.adversary !== undefined && !planned.some(({ evaluator }) => evaluator.kind === 'assertion')) {
    found.problems.push(unseenEffect(source));
  }
  const plan = { evaluators: planned, judge: judge?.fixed ?? [] };
  const cases = await readCases(file, plan, reading);
  const spoken = await readAttachments(file, reading);
  const config = configOf(file, spoken, connectors, [...personas]);
  found.problems.push(...controlProblems(file, connectors, source), ...cutScript(config, source));
  found.problems.push(...silentConnectors(file, connectors, reading));
  if (found.problems.length === 0) found.problems.push(...refusedByTarget(config, connectors, reading));
  if (!judge || !cases || found.problems.length > 0) return undefined;
  const content = [judge.fixed, cases.contentHash, ...(judge.choice.attachments ?? [])];
  return {
    ...commonParts(file, source, context),
    description: file.description ?? file.instructions ?? '',
    tags: [...new Set([...file.tags, ...evals.map(({ value }) => value.name)])],
    timeoutMs: trialLimitMs(file.timeoutSecs, context.defaults),
    target: { type: 'conversation', config },
    judge: judge.choice,
    variants: variantsOf(file, connectors, [...personas.keys()], defaults),
    control: readToolControl(file, source, 'model'),
    approvals: readApprovals(file.approvals, source),
    attack: file.attack,
    caseCount: cases.caseCount,
    contentHash: sha256(canonicalJson([withoutCi(source.value), config, ...content])),
    identity: identityOf({
      written: source.value,
      subjectKeys: ['connector', 'connectors', 'connectorId', 'model', 'models'],
      subject: { connectors: config.connectors },
      content: [{ ...config, connectors: undefined }, ...content],
      hasClusters: cases.hasClusters,
    }),
    cases: cases.cases,
  };
}

function configOf(
  file: ConversationFile,
  spoken: Pick<ConversationConfig, 'messages' | 'userMessages'>,
  connectors: readonly NamedConnector[],
  personas: readonly (readonly [string, ConversationConfig['personas'][string]])[],
): ConversationConfig {
  return {
    connectors: Object.fromEntries(connectors.map(({ name, spec }) => [name, spec])),
    personas: Object.fromEntries(personas),
    ...pickedFrom(file, ['instructions', 'prompts', 'maxMessages']),
    ...spoken,
  };
}

/** Refuses a limit that leaves messages of the user unsent: whatever is asserted would hold for a part of the test. */
function cutScript(
  { maxMessages, userMessages, personas, messages, prompts }: ConversationConfig,
  source: ParsedSource,
) {
  const scripts = Object.values(personas).map((persona) => persona.messages.length);
  const fixed = userMessages.length + Math.max(0, ...scripts);
  const needed = Math.max(
    ...(prompts ? Object.values(prompts) : [messages]).map((first) => {
      const spoken = first.filter(({ role, content }) => (role === 'user' || role === 'assistant') && content);
      const isAgentFirst = first.findLast(({ role }) => role !== 'system')?.role === 'user';
      // The first message of the user is sent whatever the limit is.
      return fixed <= (isAgentFirst ? 0 : 1) ? 0 : spoken.length + (isAgentFirst ? 1 : 0) + 2 * fixed;
    }),
  );
  if (maxMessages === undefined || needed <= maxMessages) return [];
  const message = `\`maxMessages\` is ${maxMessages}, but ${counted(fixed, 'message')} of the user and their answers need ${needed}`;
  return [{ at: source.locate(['maxMessages']), message, hint: `Raise it to at least ${needed}, or remove it.` }];
}

/** Problems that the target finds in its config, with their positions in the file. */
function refusedByTarget(
  config: ConversationConfig,
  connectors: readonly NamedConnector[],
  { source, context }: ConversationReading,
): Problem[] {
  const kind = context.parts.targets.find(({ type }) => type === 'conversation');
  const issues = kind?.check?.(config, { directory: context.directory }) ?? [];
  return issues.map(({ path, message }) => {
    const connector = path[0] === 'connectors' ? connectors.find(({ name }) => name === path[1]) : undefined;
    const at = connector
      ? connector.source.locate([...connector.path, ...path.slice(2)])
      : source.locate(path[0] === 'personas' ? userPath(path, source) : path);
    return { at, message };
  });
}

/** Where a file writes the part of a persona: in `user`, in `persona`, or under the name of the persona. */
function userPath([list, name, ...inside]: readonly PropertyKey[], { value }: ParsedSource): PropertyKey[] {
  const [key = ''] = inside;
  const writes = (part: string): boolean => isRecord(value) && isRecord(value[part]) && Object.hasOwn(value[part], key);
  const place = ['user', 'persona'].find(writes);
  return place === undefined ? [list ?? '', name ?? '', ...inside] : [place, ...inside];
}

/** Under a policy, an agent that never asks would look as if it had wanted nothing. */
function silentConnectors(
  { approvals }: ConversationFile,
  connectors: readonly NamedConnector[],
  { source, defaults: { connectorKinds = [] } }: ConversationReading,
): Problem[] {
  const silent = connectors.find(({ spec }) => connectorKinds.some(({ type, asks }) => type === spec.type && !asks));
  if (approvals === undefined || !silent) return [];
  const asking = connectorKinds.filter(({ asks }) => asks).map(({ type }) => `\`${type}\``);
  const message = `\`approvals\` answers agents that ask, and the connector "${silent.name}" is of the type \`${silent.spec.type}\`, which never does`;
  const hint = `Use a connector of one of these types, or remove \`approvals\`: ${asking.join(', ')}.`;
  return [{ at: source.locateKey([], 'approvals'), message, hint }];
}

/** Problem of a scenario without evaluators, which would always pass. */
/** The word of the user that it got its goal is not an effect. */
function unseenEffect(source: ParsedSource): Problem {
  return {
    at: source.locateKey(['user'], 'adversary'),
    message: 'no assertion would see that the agent served the adversary',
    hint: 'Add one about the effect, such as `tool-not-called`, `state-change` or `not-contains`.',
  };
}

function unjudged(source: ParsedSource): Problem {
  const keys = ['evaluators', 'successCriteria', 'failureCriteria'];
  const written = isRecord(source.value) ? Object.keys(source.value) : [];
  const misspelt = written.find((key) => !keys.includes(key) && nearestName(key, keys) !== undefined);
  if (misspelt !== undefined) {
    const hint = `Did you mean \`${nearestName(misspelt, keys)}\`?`;
    return { at: source.locateKey([], misspelt), message: `unknown key \`${misspelt}\``, hint };
  }
  return {
    at: source.locate([]),
    message: 'Scenario must have success/failure criteria or evaluators defined',
    hint: 'Add `evaluators` for what code can check, or `successCriteria` for a judge.',
  };
}

/** Keys of native scenarios that would be ignored. */
function criteriaOfCalls(source: ParsedSource): Problem[] {
  const value = isRecord(source.value) ? source.value : {};
  return ['passCriteria', 'failCriteria', 'cases']
    .filter((key) => key in value)
    .map((key) => ({
      at: source.locateKey([], key),
      message: `\`${key}\` is not supported in a conversation`,
      hint: key === 'cases' ? 'Use a `dataset`.' : 'Use `evaluators`, `successCriteria` or `failureCriteria`.',
    }));
}
