import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Variant } from '../../domain/trial.ts';
import { commandsOf } from '../../score/interaction/interaction.ts';
import type { CollectedSide, SeenAgent, SideRun } from './collected-side.ts';
import type { DiagnosedTrial } from './diagnosis.ts';
import { SideCollector } from './side-collector.ts';

/** Where the trials of one side come from. */
export interface SideSource {
  readonly label: string;
  readonly run: SideRun;
  readonly trials: AsyncIterable<TrialRecord>;
  /** Undefined where no trace was kept. */
  readTrace(trialId: string): Promise<Trace | undefined>;
}

/** Traces are read for the commands that caused a finding; the figures come from all trials. */
const mostTraces = 50;

/** Reads all trials of a side once. */
export async function collectSide(source: SideSource): Promise<CollectedSide> {
  const collector = new SideCollector();
  for await (const record of source.trials) collector.add(record);
  return finished(collector, source, source.label);
}

/** Reads all trials once and keeps them apart by one part of their variants, in the order in which they come. */
export async function collectSidesBy(
  source: SideSource,
  part: keyof Variant,
): Promise<ReadonlyMap<string, CollectedSide>> {
  const collectors = new Map<string, SideCollector>();
  for await (const record of source.trials) {
    const value = record.variant[part] ?? '';
    const collector = collectors.get(value) ?? new SideCollector();
    collectors.set(value, collector);
    collector.add(record);
  }
  const sides = new Map<string, CollectedSide>();
  for (const [value, collector] of collectors) {
    sides.set(value, await finished(collector, source, value === '' ? `(no ${part})` : value));
  }
  return sides;
}

async function finished(collector: SideCollector, source: SideSource, label: string): Promise<CollectedSide> {
  const { totals, cases, judges, toolPins, subcommands, unusable, missing } = collector;
  const agents = await seenAgents(collector, source);
  const diagnosed = await withCommands(collector.diagnosed, source);
  return { label, run: source.run, totals, cases, judges, toolPins, subcommands, unusable, missing, agents, diagnosed };
}

async function seenAgents({ sampled }: SideCollector, source: SideSource): Promise<Map<string, SeenAgent>> {
  const agents = new Map<string, { readonly versions: Set<string>; readonly models: Set<string> }>();
  for (const { trialId, agent, isModelNamed } of sampled.values()) {
    const [started] = eventsOf((await source.readTrace(trialId)) ?? [], 'agent-started');
    const known = agents.get(agent) ?? { versions: new Set(), models: new Set() };
    agents.set(agent, known);
    if (started?.version) known.versions.add(started.version);
    // A model that was asked for is part of the variant; here it counts which one an agent takes by itself.
    if (started?.model && !isModelNamed) known.models.add(started.model);
  }
  return new Map(
    [...agents].map(([name, { versions, models }]) => [
      name,
      { versions: [...versions].sort(), models: [...models].sort() },
    ]),
  );
}

async function withCommands(trials: readonly DiagnosedTrial[], source: SideSource): Promise<DiagnosedTrial[]> {
  const read: DiagnosedTrial[] = [];
  for (const trial of trials.slice(0, mostTraces)) {
    const trace = await source.readTrace(trial.trialId);
    const tool = trace?.find((event) => event.type === 'workspace')?.tool;
    read.push(trace && tool ? { ...trial, commands: commandsOf(trace, tool) } : trial);
  }
  return [...read, ...trials.slice(mostTraces)];
}
