import type { StoredRun } from './reporter.ts';

/** What runs with agents and conversations show beside the verdicts; nothing for any other run. */
export async function* detailsText(
  run: StoredRun,
  style: 'console' | 'markdown' = 'console',
): AsyncGenerator<string, void> {
  const { scenarios } = run.summary.run;
  // Most runs have neither agents nor conversations, and then none of this need be loaded.
  if (scenarios.some(({ isConversation }) => isConversation)) {
    const { conversationSection } = await import('./conversation-section.ts');
    yield* conversationSection(run, style);
  }
  if (scenarios.some(({ isAgentDriven }) => isAgentDriven)) {
    const { guidanceSection } = await import('./guidance-section.ts');
    const text = await guidanceSection(run, style);
    if (text !== '') yield text;
  }
}
