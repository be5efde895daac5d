import { isRecord } from '../../../../shared/json.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

const harborTables = ['task', 'agent', 'verifier', 'environment', 'metadata', 'solution'];
const terminalBenchKeys = [
  'difficulty',
  'parser_name',
  'max_agent_timeout_sec',
  'max_test_timeout_sec',
  'author_email',
  'category',
];

/** Whether data looks like `task.toml` of a Harbor task. */
export function looksLikeHarbor(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value || 'target' in value) return false;
  const tables = harborTables.filter((name) => isRecord(value[name])).length;
  const isMarked = 'version' in value || 'schema_version' in value || 'multi_step_reward_strategy' in value;
  return tables >= 2 || (tables === 1 && (isMarked || Array.isArray(value.steps)));
}

/** Whether data looks like `task.yaml` of a Terminal-Bench task. */
function looksLikeTerminalBench(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value || 'target' in value) return false;
  return ('instruction' in value || 'descriptions' in value) && terminalBenchKeys.some((key) => key in value);
}

/** Task folders of Harbor and Terminal-Bench: an agent works in a container, and the task's own tests give a reward. */
export const taskFolderFormat: ScenarioFormat = {
  name: 'task-folder',
  recognises: (value) => looksLikeHarbor(value) || looksLikeTerminalBench(value),
  async read(source, context) {
    // Loaded when needed: most projects have no such folder.
    const { readTaskFolder } = await import('./read-task-folder.ts');
    return readTaskFolder(source, context);
  },
};
