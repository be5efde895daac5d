import { isRecord } from '../../../../shared/json.ts';
import type { ScenarioFormat } from '../../scenario-format.ts';

const ownKeys = ['defaultTest', 'evaluateOptions', 'scenarios', 'tests', 'outputPath'];

/** Whether data looks like `promptfooconfig.yaml`: prompts for providers, with tests. */
function looksLikePromptfoo(value: unknown): boolean {
  if (!isRecord(value) || 'call' in value || 'name' in value) return false;
  const hasProviders = 'providers' in value || 'targets' in value;
  return hasProviders && ('prompts' in value || ownKeys.some((key) => key in value));
}

/** Configs of promptfoo: each prompt with each provider is a variant, and each test is a case. */
export const promptfooFormat = {
  name: 'promptfoo',
  recognises: looksLikePromptfoo,
  async readAll(source, context) {
    // Loaded when needed: most projects have no such file.
    const { readPromptfoo } = await import('./read-promptfoo.ts');
    return readPromptfoo(source, context);
  },
} satisfies ScenarioFormat;
