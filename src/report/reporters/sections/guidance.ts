import { metRealTool } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { commandsOf } from '../../../score/interaction/interaction.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import { type ComparedTrial, compareGuidance } from '../../compare/guidance.ts';
import { guidanceSections as sectionsOf } from '../../presentation/guidance-text.ts';
import type { StoredRun } from '../reporter.ts';
import { isTriggerTrial } from './triggering.ts';

/** Traces are read for the commands that caused a finding; with this many trials the figures speak for themselves. */
const mostTraces = 200;

/** How agents used their tools, guidance texts and agents side by side, with what the figures point to. */
export async function guidanceSections({ store, summary }: StoredRun): Promise<Section[]> {
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) {
    // Prompts that only try whether a skill is triggered are reported in another section.
    if (record.variant.agent !== undefined && !isTriggerTrial(record) && metRealTool(record)) records.push(record);
  }
  const trials: ComparedTrial[] = [];
  for (const record of records) {
    const trace = trials.length < mostTraces ? await store.readTrace(record.trialId) : undefined;
    trials.push({ record, commands: trace && commandsIn(trace), trace: trace && eventsOf(trace, 'instructions') });
  }
  return sectionsOf(compareGuidance(trials));
}

function commandsIn(trace: Trace): ComparedTrial['commands'] {
  const tool = trace.find((event) => event.type === 'workspace')?.tool;
  return tool ? commandsOf(trace, tool) : undefined;
}
