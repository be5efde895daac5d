import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Keys that a scenario of this format has, and data of other kinds hardly two of. */
const tellingKeys = ['target', 'task', 'evaluation', 'gates', 'template_folder', 'tool_matrix'];
/** Keys of native scenarios that are near to one of them. */
const nativeKeys = ['evaluators', 'dataset', 'tags', 'cases'];

/** Whether data is meant as a scenario of this format, with slips in its keys or without. */
export function looksLikeLlmToolTest(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  const exact = keys.filter((key) => tellingKeys.includes(key)).length;
  const near = keys.filter((key) => !nativeKeys.includes(key) && nearestName(key, tellingKeys) !== undefined).length;
  return near >= 3 || (near === 2 && exact >= 1);
}

/** The files of llm-tool-test: an agent does a task with a CLI tool, and gates look at the work it left behind. */
export const llmToolTestFormat: ScenarioFormat = {
  name: 'llm-tool-test',
  recognises: looksLikeLlmToolTest,
  async read(source, context) {
    // Most projects have no such file, and then none of this need be loaded.
    const { readLlmToolTest } = await import('./read-llm-tool-test.ts');
    return readLlmToolTest(source, context);
  },
};
