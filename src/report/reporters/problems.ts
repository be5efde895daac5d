import type { TrialRecord } from '../../domain/record.ts';
import type { TracedCluster } from './cluster-text.ts';
import type { ReportStyle, StoredRun } from './reporter.ts';
import { readRunFigures } from './run-figures.ts';

/** Trials that did not pass, represented by the first of them. */
export interface Problem {
  readonly first: TrialRecord;
  readonly count: number;
  /** Their common cause; without a cluster they only share the reason. */
  readonly cluster: TracedCluster | undefined;
}

interface Problems {
  readonly listed: readonly Problem[];
  /** Trials that did not pass and are in none of those listed. */
  readonly unlisted: number;
}

/** So many can be read one by one. */
const aFew = 5;

/**
 * The problems of a run. A few are listed one by one; more of them are grouped by cause across scenarios, the most
 * frequent first.
 */
export async function readProblems({ store, summary }: StoredRun, most: number): Promise<Problems> {
  const { runId } = summary.run;
  if (summary.totals.fail + summary.totals.error === 0) return { listed: [], unlisted: 0 };
  const groups = await store.readProblems(runId, aFew + 1);
  if (groups.length <= aFew) {
    return { listed: groups.map((group) => ({ ...group, cluster: undefined })), unlisted: 0 };
  }
  const { readFailureClusters } = await import('./failure-clusters.ts');
  const { clusters, count } = await readFailureClusters(store, runId, most);
  const listed: Problem[] = [];
  for (const cluster of clusters) {
    const first = await store.findTrial(cluster.example.trialId);
    if (first) listed.push({ first, count: cluster.count, cluster });
  }
  return { listed, unlisted: count - listed.reduce((sum, problem) => sum + problem.count, 0) };
}

/** One test needs no list, and more than these are not read on a terminal. */
function isShortList({ summary }: StoredRun): boolean {
  const { planned } = summary.run;
  return planned > 1 && planned <= 20;
}

/** Extra sections for runs with criteria, repeats, agents, conversations and MCP servers; none for others. */
export async function* detailsText(
  run: StoredRun,
  style: 'console' | 'markdown' = 'console',
  { color, width }: ReportStyle = { color: false },
): AsyncGenerator<string, void> {
  const { scenarios } = run.summary.run;
  if (style === 'markdown' || isShortList(run)) {
    const { criteriaSection } = await import('./criteria-section.ts');
    const criteria = await criteriaSection(run, style, width);
    if (criteria !== '') yield criteria;
    else if (style === 'console') {
      const { casesSection } = await import('./cases-section.ts');
      const cases = await casesSection(run, width);
      if (cases !== '') yield cases;
    }
  }
  const { repeats, resilience } = await readRunFigures(run);
  // Most runs have none of them, and then nothing of this need be loaded.
  if (run.summary.run.request.attacks) {
    const { attackSection } = await import('./attack-section.ts');
    const attacks = await attackSection(run, style, width);
    if (attacks !== '') yield attacks;
  }
  if (scenarios.some(({ repeat }) => repeat > 1)) {
    const { repeatsSection } = await import('./repeats-section.ts');
    if (repeats) yield repeatsSection(repeats, style);
  }
  if (resilience) {
    const { resilienceSection } = await import('./resilience-section.ts');
    yield resilienceSection(resilience, style);
  }
  if (scenarios.some(({ isConversation }) => isConversation)) {
    const { conversationSection } = await import('./conversation-section.ts');
    yield* conversationSection(run, style);
  }
  if (scenarios.some(({ serverPart }) => serverPart !== null)) {
    const { mcpSection } = await import('./mcp-section.ts');
    yield* mcpSection(run, style, color);
  }
  if (scenarios.some(({ isAgentDriven }) => isAgentDriven)) {
    const { guidanceSection } = await import('./guidance-section.ts');
    const text = await guidanceSection(run, style, width);
    if (text !== '') yield text;
    const { triggeringSection } = await import('./triggering-section.ts');
    const triggering = await triggeringSection(run, style);
    if (triggering !== '') yield triggering;
  }
}
