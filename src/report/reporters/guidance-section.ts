import { metRealTool } from '../../domain/marks.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { commandsOf } from '../../score/interaction/interaction.ts';
import { type ComparedTrial, compareGuidance, type GuidanceTable } from '../compare/guidance.ts';
import { guidanceMarkdown, guidanceText } from '../compare/guidance-text.ts';
import type { StoredRun } from './reporter.ts';
import { isTriggerTrial } from './triggering-section.ts';

/** Traces are read for the commands that caused a finding; with this many trials the figures speak for themselves. */
const mostTraces = 200;

/** The figures of how agents used their tools, with what they point to and the commands that caused it. */
export async function guidanceSection(
  { store, summary }: StoredRun,
  style: 'console' | 'markdown',
  width?: number,
): Promise<string> {
  const tables = await readGuidance(store, summary.run.runId);
  return style === 'markdown' ? guidanceMarkdown(tables) : guidanceText(tables, width);
}

/** Guidance texts and agents side by side, task by task. */
export async function readGuidance(store: Store, runId: string): Promise<GuidanceTable[]> {
  const trials: ComparedTrial[] = [];
  for await (const record of eachTrial(store, runId)) {
    // Prompts that only try whether a skill is triggered are reported in another section.
    if (record.variant.agent === undefined || isTriggerTrial(record) || !metRealTool(record)) continue;
    const trace = trials.length < mostTraces ? await store.readTrace(record.trialId) : undefined;
    trials.push({ record, commands: trace && commandsIn(trace), trace: trace && eventsOf(trace, 'instructions') });
  }
  return compareGuidance(trials);
}

function commandsIn(trace: Trace): ComparedTrial['commands'] {
  const tool = trace.find((event) => event.type === 'workspace')?.tool;
  return tool ? commandsOf(trace, tool) : undefined;
}
