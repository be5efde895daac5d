import type { PartSpec, Scenario } from '../../../../domain/scenario.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

/** What the judge keys of a config mean: an evaluator for each workflow, and who is asked. */
export interface JudgeMeaning {
  readonly evaluators: readonly PartSpec[];
  readonly choice: Scenario['judge'];
}

/** The judge that the earlier program asked. */
const usualModel = 'gpt-4o';

/** Reads the judge keys; the key itself is not looked at before the judge is asked. */
export function judgeMeaning(config: McpServerConfig, isForced: boolean): JudgeMeaning {
  const { llmJudge, judgeModel, judgeErrors, judgeEvidence, openaiKey, passThreshold, maxMessages } = config;
  const choice = {
    models: judgeModel === undefined ? [] : [judgeModel].flat(),
    usualModel,
    samples: undefined,
    errors: judgeErrors,
    ...(openaiKey !== undefined && { apiKeys: { openai: openaiKey } }),
  };
  const score = { type: 'score-judge', config: { passThreshold, maxMessages, evidence: judgeEvidence } };
  return { evaluators: llmJudge || isForced ? [score] : [], choice };
}
