import type { ScenarioFormat } from '../../scenario-format.ts';
import { looksLikeLlmToolTest } from './looks-like-llm-tool-test.ts';

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
