import { isRecord } from '../../../shared/json.ts';

/** Whether data is meant as a rubric, right or wrong: weighted criteria, and nothing that a scenario has. */
export function looksLikeRubric(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || !Array.isArray(value.criteria)) return false;
  const isScenario = ['call', 'target', 'evaluators', 'connector', 'connectors', 'input'].some((key) => key in value);
  return !isScenario && value.criteria.some((item) => isRecord(item) && ('weight' in item || 'id' in item));
}
