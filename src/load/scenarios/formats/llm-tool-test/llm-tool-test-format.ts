import { isRecord } from '../../../../shared/json.ts';
import { nearestName } from '../../../../shared/suggest.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

/** Keys of this format; other data rarely has two of them. */
const distinctiveKeys = [
  'target',
  'task',
  'evaluation',
  'gates',
  'template_folder',
  'tool_matrix',
  'skills',
  'harness',
  'triggers',
  'browser',
];
/** Keys of native scenarios that are similar to one of them. */
const nativeKeys = ['evaluators', 'dataset', 'tags', 'cases'];

/** Whether data looks like this format, possibly with misspelt keys. */
export function looksLikeLlmToolTest(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value) return false;
  const keys = Object.keys(value);
  const exact = keys.filter((key) => distinctiveKeys.includes(key)).length;
  const near = keys.filter(
    (key) => !nativeKeys.includes(key) && nearestName(key, distinctiveKeys) !== undefined,
  ).length;
  return near >= 3 || (near === 2 && exact >= 1);
}

/** The files of llm-tool-test: an agent does a task with a CLI tool, and gates check its work. */
export const llmToolTestFormat = {
  name: 'llm-tool-test',
  recognises: looksLikeLlmToolTest,
  async read(source, context) {
    // Loaded when needed: most projects have no such file.
    const { readLlmToolTest } = await import('./read-llm-tool-test.ts');
    return readLlmToolTest(source, context);
  },
} satisfies ScenarioFormat;
