import type { CompletionTest } from '../../../../domain/mcp/feature-suites.ts';
import type { TestSession } from './test-session.ts';

/** Asks for completions of one argument of a prompt or of a resource template. */
export async function tryCompletion(spec: CompletionTest, talk: TestSession): Promise<void> {
  const { promptName, template, argument, context } = spec;
  const ref =
    template === undefined ? { type: 'ref/prompt', name: promptName } : { type: 'ref/resource', uri: template };
  await talk.request('completion/complete', { ref, argument, ...(context && { context: { arguments: context } }) });
}
