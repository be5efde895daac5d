import { isRecord } from '../../../../shared/json.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Whether an entry is a prompt with whether it should trigger the skill. */
export function isTriggerEntry(entry: unknown): boolean {
  return isRecord(entry) && 'should_trigger' in entry;
}

/** Whether data looks like `evals/evals.json` of a published skill, or like its list of trigger queries. */
function looksLikeSkillEvals(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTriggerEntry);
  if (!isRecord(value) || 'call' in value || 'target' in value || 'name' in value) return false;
  // Results of other programs name the skill too, such as `history.json`.
  if ('skill_name' in value) return 'evals' in value || Object.keys(value).length <= 2;
  const { evals } = value;
  return Array.isArray(evals) && evals.some((entry) => isRecord(entry) && 'prompt' in entry);
}

/** The evaluations of a published agent skill: its tasks with and without the skill, or the queries that trigger it. */
export const skillEvalsFormat = {
  name: 'skill-evals',
  recognises: looksLikeSkillEvals,
  async read(source, context) {
    // Loaded when needed: most projects have no such file.
    const { readSkillEvals } = await import('./read-skill-evals.ts');
    return readSkillEvals(source, context);
  },
} satisfies ScenarioFormat;
