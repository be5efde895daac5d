import type { StoredRun } from './reporter.ts';

/** How agents used their tools, side by side by guidance; nothing for a run without agents. */
export async function* agentsText(
  run: StoredRun,
  style: 'console' | 'markdown' = 'console',
): AsyncGenerator<string, void> {
  if (!run.summary.run.scenarios.some(({ isAgentDriven }) => isAgentDriven)) return;
  // Most runs have no agents, and then none of this need be loaded.
  const { guidanceSection } = await import('./guidance-section.ts');
  const text = await guidanceSection(run, style);
  if (text !== '') yield text;
}
