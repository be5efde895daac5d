import type { Problem } from '../../../../domain/problem.ts';
import type { ConversationConfig } from '../../../../drive/targets/conversation/conversation-config.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { below, type ParsedSource } from '../../../sources/parsed-source.ts';
import type { ConversationDefaults, ReadContext, ReadPart, ReadScenario } from '../../scenario-format.ts';
import { parseTolerantly } from '../llm-tool-test/tolerant-parse.ts';
import { chooseConnectors } from './choose-connectors.ts';
import { choosePersonas } from './choose-personas.ts';
import type { NamedConnector } from './connector-section.ts';
import { readCases } from './conversation-cases.ts';
import { criteriaOfCalls, refusedByTarget, unjudged } from './conversation-problems.ts';
import { type ConversationFile, conversationSchema, decidingKeys, isTopLevel } from './conversation-schema.ts';
import { type DataFolder, noDataFolder, readDataFolder, refersToDataFolder } from './data-folder.ts';
import { readEvaluators, refuseUnmetNeeds } from './evaluators-section.ts';
import { readJudgeChoice } from './judge-choice.ts';
import type { Reading } from './reading.ts';
import { conversationVariants } from './variants.ts';
import { withoutUnset } from './without-unset.ts';

const noDefaults: ConversationDefaults = { connectors: {}, personas: {} };

/** Reads a file with one conversation or a list of them; each is right or wrong by itself. */
export async function readConversations(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]> {
  const dataFolder = refersToDataFolder(source.value) ? await readDataFolder(source, context) : noDataFolder;
  const items: readonly ParsedSource[] = Array.isArray(source.value)
    ? source.value.map((_, index) => below(source, [index]))
    : [source];
  const parts: ReadPart[] = [];
  for (const item of items) parts.push({ source: item, read: await readItem(item, context, dataFolder) });
  return parts;
}

/** Reads a file with one conversation, or tells everything that is wrong with it. */
export async function readConversation(
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const dataFolder = refersToDataFolder(source.value) ? await readDataFolder(source, context) : noDataFolder;
  return readItem(source, context, dataFolder);
}

async function readItem(
  source: ParsedSource,
  context: ReadContext,
  dataFolder: DataFolder,
): Promise<ReadScenario | readonly Problem[]> {
  const found = { problems: [...dataFolder.problems], warnings: [...dataFolder.warnings] };
  const defaults = context.defaults.conversations ?? noDefaults;
  const reading: Reading = { source, context, defaults, dataFolder, found };
  const value = withoutUnset(source.value);
  found.problems.push(...criteriaOfCalls(source));
  const file = parseTolerantly(
    { schema: conversationSchema, value, source, isTolerant: isTopLevel, decidingKeys },
    found,
  );
  const scenario = file && (await buildScenario(file, reading));
  return scenario && found.problems.length === 0 ? { ...scenario, warnings: found.warnings } : found.problems;
}

async function buildScenario(file: ConversationFile, reading: Reading): Promise<ReadScenario | undefined> {
  const { source, context, defaults, dataFolder, found } = reading;
  const evals = dataFolder.evals.filter(({ value }) => value.scenarioIds.map(String).includes(String(file.id ?? '')));
  const connectors = chooseConnectors(file, evals, reading);
  const personas = await choosePersonas(file, reading);
  const evaluators = readEvaluators(file, reading);
  refuseUnmetNeeds(file, reading);
  const judge = await readJudgeChoice(file, evaluators, reading);
  if (judge && file.evaluators.length === 0 && evaluators.length + judge.planned.length + judge.fixed.length === 0)
    found.problems.push(unjudged(source));
  const plan = { evaluators: [...evaluators, ...(judge?.planned ?? [])], judge: judge?.fixed ?? [] };
  const cases = await readCases(file, plan, reading);
  const config = configOf(file, connectors, [...personas]);
  if (found.problems.length === 0) found.problems.push(...refusedByTarget(config, connectors, reading));
  if (!judge || !cases || found.problems.length > 0) return undefined;
  const models = file.models ?? (file.model === undefined ? (defaults.models ?? []) : [file.model]);
  return {
    name: file.name,
    description: file.description ?? file.instructions ?? '',
    file: source.file,
    directory: context.directory,
    tags: [...new Set([...file.tags, ...evals.map(({ value }) => value.name)])],
    workerTags: file.worker?.tags,
    tier: file.tier,
    repeat: context.defaults.repeat ?? file.repeat,
    timeoutMs: (file.timeoutSecs ?? context.defaults.timeoutSecs) * 1_000,
    target: { type: 'conversation', config },
    judge: judge.choice,
    variants: conversationVariants({
      connectors: connectors.map(({ name }) => name),
      personas: [...personas.keys()],
      models,
    }),
    composite: undefined,
    caseCount: cases.caseCount,
    contentHash: sha256(canonicalJson([source.value, config, judge.fixed, cases.contentHash])),
    cases: cases.cases,
  };
}

function configOf(
  file: ConversationFile,
  connectors: readonly NamedConnector[],
  personas: readonly (readonly [string, ConversationConfig['personas'][string]])[],
): ConversationConfig {
  const { instructions, messages, userMessages, maxMessages } = file;
  return {
    connectors: Object.fromEntries(connectors.map(({ name, spec }) => [name, spec])),
    personas: Object.fromEntries(personas),
    ...(instructions !== undefined && { instructions }),
    messages,
    userMessages,
    maxMessages,
  };
}
