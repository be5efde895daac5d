import { AssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';

/** Refuses scenarios of CLI tools, whose agents run commands, where the switch of llm-tool-test is off. */
export function assertCliToolsEnabled(
  scenarios: readonly Pick<Scenario, 'name' | 'target'>[],
  { LLM_TOOL_TEST_ENABLED: written }: Readonly<Record<string, string | undefined>>,
): void {
  // The agents are isolated, so the switch need not be on: only one that was turned off counts.
  if (!written || written === '1') return;
  const refused = scenarios.find(({ target }) => target.type === 'cli-tool');
  if (!refused) return;
  throw new AssayError('USAGE', `LLM_TOOL_TEST_ENABLED is "${written}", so "${refused.name}" was not run.`, {
    hint: 'Set LLM_TOOL_TEST_ENABLED=1 or unset it to run scenarios of CLI tools, or choose other scenarios.',
  });
}
