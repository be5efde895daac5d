import { readRunFigures } from './read-run-figures.ts';
import type { StoredRun } from './reporter.ts';

/** What runs with repeats, agents, conversations and MCP servers show beside the verdicts; nothing for others. */
export async function* detailsText(
  run: StoredRun,
  style: 'console' | 'markdown' = 'console',
  hasColor = false,
): AsyncGenerator<string, void> {
  const { scenarios } = run.summary.run;
  // Most runs have none of them, and then nothing of this need be loaded.
  if (scenarios.some(({ repeat }) => repeat > 1)) {
    const { repeatsSection } = await import('./repeats-section.ts');
    const { repeats } = await readRunFigures(run);
    if (repeats) yield repeatsSection(repeats, style);
  }
  if (scenarios.some(({ isConversation }) => isConversation)) {
    const { conversationSection } = await import('./conversation-section.ts');
    yield* conversationSection(run, style);
  }
  if (scenarios.some(({ serverPart }) => serverPart !== null)) {
    const { mcpSection } = await import('./mcp-section.ts');
    yield* mcpSection(run, style, hasColor);
  }
  if (scenarios.some(({ isAgentDriven }) => isAgentDriven)) {
    const { guidanceSection } = await import('./guidance-section.ts');
    const text = await guidanceSection(run, style);
    if (text !== '') yield text;
  }
}
