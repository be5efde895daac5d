import * as z from 'zod';
import { type ConnectorKind, defineConnector } from '../../../drive/connectors/connector.ts';
import { conversationConfigSchema } from '../../../drive/conversation/conversation-config.ts';
import { defineTarget } from '../../../drive/targets/target.ts';
import { type LoadResult, loadScenarios } from '../../../load/scenarios/load.ts';
import type { ConversationDefaults, ScenarioDefaults, ScenarioParts } from '../../../load/scenarios/scenario-format.ts';
import { defineEvaluator, type Evaluator } from '../../../score/evaluators/evaluator.ts';

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional();

/** Evaluators in the configs of which everything can be wrong that can be wrong in a config. */
const evaluators: readonly Evaluator[] = [
  assertion('latency-budget', z.strictObject({ maxMs: z.number().min(0) })),
  assertion(
    'regex',
    z.strictObject({ pattern: z.string(), flags: z.string().optional(), mustMatch: z.boolean().default(true) }),
  ),
  assertion('contains', z.strictObject({ text: z.string().min(1) })),
  defineEvaluator({
    type: 'llm-judge',
    label: 'LLM Judge',
    summary: 'criteria in plain words',
    kind: 'assertion',
    needs: ['judge'],
    reads: { channels: {} },
    configSchema: z.strictObject({
      successCriteria: oneOrMore,
      failureCriteria: oneOrMore,
      failureCriteriaMode: z.enum(['every_turn', 'on_max_messages']).optional(),
      instructions: z.unknown().optional(),
      references: z.unknown().optional(),
    }),
    when: () => 'eventually',
    prepare: () => () => ({ state: 'pass', reason: '' }),
  }),
  defineEvaluator({
    type: 'score-judge',
    label: 'Score Judge',
    summary: 'one score',
    kind: 'assertion',
    needs: ['judge'],
    reads: { channels: {} },
    configSchema: z.looseObject({}),
    prepare: () => () => ({ state: 'pass', reason: '' }),
  }),
  defineEvaluator({
    type: 'file_exists',
    label: 'File Exists',
    summary: 'a gate',
    kind: 'assertion',
    needs: ['workspace'],
    reads: { channels: {} },
    configSchema: z.strictObject({ path: z.string() }),
    prepare: () => () => ({ state: 'pass', reason: '' }),
  }),
  metric('tool-call-count', z.strictObject({})),
  metric('token-usage', z.strictObject({ track: z.enum(['total', 'input', 'output']).default('total') })),
];

const conversation = defineTarget({
  type: 'conversation',
  summary: 'an agent behind a connector',
  provides: ['turns'],
  callKey: null,
  configSchema: conversationConfigSchema,
  check: ({ maxMessages }) => (maxMessages === 13 ? [{ path: ['maxMessages'], message: 'refused by the target' }] : []),
  open: () => Promise.reject(new Error('nothing is run here')),
});

const connectorKinds: readonly ConnectorKind[] = [
  connector('http', z.strictObject({ method: z.enum(['GET', 'POST']).optional(), path: z.string().optional() })),
  connector('langgraph', z.strictObject({ assistantId: z.string(), configurable: z.unknown().optional() })),
];

/** Parts that conversations are checked against. */
export const conversationParts: ScenarioParts = { targets: [conversation], evaluators };

/** Defaults without a request and without a config. */
export const noDefaults: ConversationDefaults = { connectors: {}, personas: {}, connectorKinds };

/** Loads files of a folder with what the command line and the config say. */
export function loadConversations(
  folder: string,
  paths: readonly string[],
  conversations: Partial<ConversationDefaults> = {},
  defaults: Partial<ScenarioDefaults> = {},
): Promise<LoadResult> {
  return loadScenarios({
    paths,
    folder,
    parts: conversationParts,
    defaults: { timeoutSecs: 30, ...defaults, conversations: { ...noDefaults, ...conversations } },
  });
}

function assertion(type: string, configSchema: z.ZodType): Evaluator {
  return defineEvaluator({
    type,
    label: type,
    summary: type,
    kind: 'assertion',
    needs: [],
    reads: { channels: {} },
    configSchema,
    when: () => 'every-turn',
    prepare: () => () => ({ state: 'pass', reason: '' }),
  });
}

function metric(type: string, configSchema: z.ZodType): Evaluator {
  return defineEvaluator({
    type,
    label: type,
    summary: type,
    kind: 'metric',
    needs: [],
    reads: { channels: {} },
    configSchema,
    aggregate: 'sum',
    prepare: () => () => ({ state: 'measured', value: 0, reason: '' }),
  });
}

function connector(type: string, configSchema: z.ZodType): ConnectorKind {
  return defineConnector({
    type,
    label: type,
    summary: type,
    reports: [],
    configSchema,
    open: () => Promise.reject(new Error('nothing is run here')),
  });
}
