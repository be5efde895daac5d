import { partsOfView } from '../../domain/agent-view-text.ts';
import { sumOf } from '../../domain/cost-sum.ts';
import { isReused, marksOf, metRealTool } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import type { Variant } from '../../domain/variant.ts';
import { commandsOf } from '../../score/interaction/interaction.ts';
import { canonicalJson } from '../../shared/json.ts';
import { NumberColumn } from '../../shared/number-column.ts';
import { shorten } from '../../shared/text.ts';
import { entryOf } from './case-numbers.ts';
import { CaseTable } from './case-table.ts';
import type {
  CheckTally,
  CollectedSide,
  DiagnosedTrial,
  ExampleTrial,
  JudgesOfScenario,
  ObservedAgent,
  SideRun,
  SideTotals,
  SubcommandTally,
} from './collected-side.ts';
import { decidingJudge } from './deciding-judge.ts';
import { Delivery } from './delivery.ts';
import { checksOf, figuresOf } from './trial-figures.ts';

/** With so many trials the figures of how a tool was used speak for all. */
const mostDiagnosed = 500;
const mostSampled = 100;
/** Traces that are read to see whether guidance arrived. */
const mostGuided = 200;
/** Letters of a reason; the trial has all of them. */
const mostReason = 500;

/** Takes trials one after the other and keeps their numbers by case; traces and other long values are not kept. */
export class SideCollector {
  readonly cases = new CaseTable();
  /** By case: its trials, with those that were reused. */
  readonly #trials = new NumberColumn();
  /** Numbers of the groups of cases by variant and scenario. */
  readonly #groups = new Map<string, Map<string, number>>();
  readonly #variantKeys = new WeakMap<Variant, string>();
  readonly totals: SideTotals = {
    trials: 0,
    passed: 0,
    failed: 0,
    unjudged: 0,
    cached: 0,
    costUsd: 0,
    tried: { trials: 0, costUsd: 0, durationMs: 0 },
  };
  readonly judges = new Map<string, JudgesOfScenario>();
  readonly toolPins = new Map<string, Readonly<Record<string, string>>>();
  readonly controls = new Map<string, Set<string>>();
  readonly subcommands = new Map<string, SubcommandTally>();
  readonly unusable = new Map<string, number>();
  readonly missing = new Map<string, number>();
  readonly diagnosed: DiagnosedTrial[] = [];
  /** One trial with an agent for each scenario and variant, whose trace has the version of the agent. */
  readonly sampled = new Map<
    string,
    { readonly trialId: string; readonly scenario: string; readonly agent: string; readonly isModelNamed: boolean }
  >();

  /** Trials of agents under guidance. */
  readonly guided: string[] = [];

  /** `count`: how many trials this one stands for in its case, where others of its kind were left out. */
  add(record: TrialRecord, count = 1): void {
    const caseIndex = this.#caseOf(record);
    this.totals.trials++;
    this.#trials.add(caseIndex, 1);
    this.totals.costUsd = sumOf([this.totals.costUsd, record.costUsd]);
    // A trial reused from an earlier run was not observed in this one, and is not evidence.
    if (isReused(record)) {
      this.totals.cached++;
      return;
    }
    if (record.toolPins && !this.toolPins.has(record.scenario)) this.toolPins.set(record.scenario, record.toolPins);
    const ending = endingOf(record);
    this.totals[ending]++;
    this.cases.count(caseIndex, ending, count);
    this.cases.addExample(caseIndex, ending, this.#exampleOf(record));
    if (ending === 'unjudged') return;
    if (record.timedOut) this.totals.timedOut = (this.totals.timedOut ?? 0) + 1;
    this.#addNumbers(record, caseIndex, count);
    this.#addJudged(record, caseIndex, count);
  }

  /**
   * Counts the trials that a run planned and does not have as unjudged: those that a case lacks of its repeats, or beside
   * the case of its scenario with the most. Gives their number.
   */
  addAbsent(scenarios: SideRun['scenarios']): number {
    const most = new Map<string, number>(scenarios?.map(({ name, repeat = 0 }) => [name, repeat]));
    let index = 0;
    for (const { scenario } of this.cases)
      most.set(scenario, Math.max(most.get(scenario) ?? 0, this.#trials.at(index++)));
    let added = 0;
    index = 0;
    for (const { scenario } of this.cases) {
      const absent = (most.get(scenario) ?? 0) - this.#trials.at(index);
      this.cases.count(index++, 'unjudged', absent);
      added += absent;
    }
    return added;
  }

  #caseOf({ scenario, caseId, variant, cluster }: TrialRecord): number {
    const ofVariant = entryOf(this.#groups, this.#keyOf(variant), () => new Map<string, number>());
    const group = entryOf(ofVariant, scenario, () => this.cases.addGroup({ scenario, variant }));
    return this.cases.caseOf(group, caseId, cluster);
  }

  #addNumbers(record: TrialRecord, caseIndex: number, count: number): void {
    const { numbers } = this.cases;
    for (const [name, value] of figuresOf(record)) {
      if (value === null) this.missing.set(name, (this.missing.get(name) ?? 0) + 1);
      else if (!Number.isFinite(value)) this.unusable.set(name, (this.unusable.get(name) ?? 0) + 1);
      else for (let copy = 0; copy < count; copy++) numbers.addValue(caseIndex, name, value);
    }
    for (const { name, passed } of checksOf(record)) numbers.addCheck(caseIndex, name, tallyOf(passed));
  }

  #addJudged(record: TrialRecord, caseIndex: number, count: number): void {
    const judge = decidingJudge(record);
    if (judge !== undefined) this.cases.numbers.addVerdict(caseIndex, judge, tallyOf(record.outcome === 'pass', count));
    this.totals.tried.trials++;
    const { tried } = this.totals;
    // A recording says nothing about the price and the time of further trials.
    tried.costUsd = sumOf([tried.costUsd, record.isReplayed ? null : record.costUsd]);
    tried.durationMs = sumOf([tried.durationMs, metRealTool(record) ? record.durationMs : null]);
    this.#addJudge(record);
    this.#addControl(record);
    this.#addAgent(record);
  }

  #addJudge({ scenario, judge, outcome }: TrialRecord): void {
    const used = this.judges.get(scenario) ?? { judges: new Set(), rubrics: new Set(), passedUnjudged: 0 };
    this.judges.set(scenario, used);
    if (judge?.model !== undefined && (judge.state === 'pass' || judge.state === 'fail')) {
      used.judges.add(`${judge.model}, ${judge.mode} judge, prompt ${judge.promptVersion}`);
      if (judge.rubricHash !== undefined) used.rubrics.add(judge.rubricHash);
    } else if (outcome === 'pass') {
      used.passedUnjudged++;
    }
  }

  /** Only the tools: a recording of the model gives the agent the same task. */
  #addControl({ scenario, control }: TrialRecord): void {
    const kinds = marksOf({ control }).join(' and ');
    this.controls.set(scenario, (this.controls.get(scenario) ?? new Set()).add(kinds));
  }

  #addAgent(record: TrialRecord): void {
    const { trialId, variant, repeat, outcome, interaction } = record;
    const { agent } = variant;
    if (agent === undefined) return;
    if (variant.guidance !== undefined && this.guided.length < mostGuided) this.guided.push(trialId);
    if (this.sampled.size < mostSampled) this.#sample(record, agent);
    // How an agent copes with a stand-in says nothing about the tool.
    if (!interaction || !metRealTool(record)) return;
    if (this.diagnosed.length < mostDiagnosed)
      this.diagnosed.push({ trialId, repeat, outcome, variant, interaction, commands: [] });
    for (const [name, figures] of Object.entries(interaction.subcommands)) {
      const tally = this.subcommands.get(name) ?? { calls: 0, errors: 0, help: 0 };
      tally.calls += figures.total_commands;
      tally.errors += figures.error_count;
      tally.help += figures.help_invocations;
      this.subcommands.set(name, tally);
    }
  }

  #sample({ trialId, scenario, variant }: TrialRecord, agent: string): void {
    const key = `${this.#keyOf(variant)}${scenario}`;
    if (this.sampled.has(key)) return;
    this.sampled.set(key, { trialId, scenario, agent, isModelNamed: variant.model !== undefined });
  }

  /** Trials of a store share the objects of their variants. */
  #keyOf(variant: Variant): string {
    const existing = this.#variantKeys.get(variant);
    if (existing !== undefined) return existing;
    const key = canonicalJson(variant);
    this.#variantKeys.set(variant, key);
    return key;
  }

  #exampleOf({ trialId, reason }: TrialRecord): ExampleTrial {
    return { trialId, reason: shorten(reason, mostReason) };
  }
}

function endingOf({ outcome }: TrialRecord): 'passed' | 'failed' | 'unjudged' {
  return outcome === 'pass' ? 'passed' : outcome === 'fail' ? 'failed' : 'unjudged';
}

function tallyOf(isPassed: boolean, count = 1): CheckTally {
  return { passed: isPassed ? count : 0, failed: isPassed ? 0 : count };
}

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

/** A side whose trials were read just now. */
export interface ReadSide extends CollectedSide {
  readonly cases: CaseTable;
}

/** Reads all trials of a side once. */
export async function collectSide(source: SideSource): Promise<ReadSide> {
  const collector = new SideCollector();
  for await (const record of source.trials) collector.add(record);
  return finishSide(collector, source);
}

/** A side whose trials were all added. */
export async function finishSide(collector: SideCollector, source: Omit<SideSource, 'trials'>): Promise<ReadSide> {
  const { status, isPart, planned, scenarios } = source.run;
  const isWhole = status === 'running' || isPart || collector.totals.trials >= planned;
  const lacksCases = !isWhole && collector.totals.trials + collector.addAbsent(scenarios) < planned;
  return {
    ...(await finished(collector, source, source.label)),
    ...absentOf(source.run, [collector]),
    ...(lacksCases && { lacksCases }),
  };
}

/** Reads all trials once and keeps them apart by one part of their variants, in the order in which they come. */
export async function collectSidesBy(
  source: SideSource,
  part: keyof Variant,
  countOf: (record: TrialRecord) => number = () => 1,
): Promise<ReadonlyMap<string, CollectedSide>> {
  const collectors = new Map<string, SideCollector>();
  for await (const record of source.trials) {
    const value = record.variant[part] ?? '';
    const collector = collectors.get(value) ?? new SideCollector();
    collectors.set(value, collector);
    collector.add(record, countOf(record));
  }
  return finishSidesBy(collectors, source, part);
}

/** Sides by the values of one part of the variants, whose trials were all added. */
export async function finishSidesBy(
  collectors: ReadonlyMap<string, SideCollector>,
  source: Omit<SideSource, 'trials'>,
  part: keyof Variant,
): Promise<ReadonlyMap<string, ReadSide>> {
  const sides = new Map<string, ReadSide>();
  // Trials that are not there may be of any variant.
  const absent = absentOf(source.run, [...collectors.values()]);
  for (const [value, collector] of collectors)
    sides.set(value, { ...(await finished(collector, source, labelOfValue(value, part))), ...absent });
  return sides;
}

/** How a variant is named that has this value of a part. */
export function labelOfValue(value: string, part: string): string {
  return value === '' ? `(no ${part})` : value;
}

function absentOf(
  { planned, isPart }: SideRun,
  collectors: readonly Pick<SideCollector, 'totals'>[],
): Pick<CollectedSide, 'absent'> {
  const absent = planned - collectors.reduce((sum, { totals }) => sum + totals.trials, 0);
  return isPart || absent <= 0 ? {} : { absent };
}

async function finished(
  collector: SideCollector,
  source: Omit<SideSource, 'trials'>,
  label: string,
): Promise<ReadSide> {
  const { totals, cases, judges, toolPins, controls, subcommands, unusable, missing } = collector;
  const agents = await observedAgents(collector, source);
  const diagnosed = await withCommands(collector.diagnosed, source);
  const counts = { totals, cases, judges, toolPins, controls, subcommands, unusable, missing };
  return { label, run: source.run, ...counts, agents, diagnosed, delivery: await deliveryOf(collector, source) };
}

async function deliveryOf(
  { guided }: SideCollector,
  source: Pick<SideSource, 'readTrace'>,
): Promise<CollectedSide['delivery']> {
  const delivery = new Delivery();
  for (const trialId of guided) delivery.add(trialId, (await source.readTrace(trialId)) ?? []);
  return { problems: delivery.problems, unknown: delivery.unknown };
}

interface AgentSamples {
  readonly versions: Set<string>;
  readonly models: Set<string>;
  readonly views: Record<string, readonly string[]>;
}

async function observedAgents(
  { sampled }: SideCollector,
  source: Pick<SideSource, 'readTrace'>,
): Promise<Map<string, ObservedAgent>> {
  const agents = new Map<string, AgentSamples>();
  for (const { trialId, scenario, agent, isModelNamed } of sampled.values()) {
    const trace = (await source.readTrace(trialId)) ?? [];
    const [started] = eventsOf(trace, 'agent-started');
    const [view] = eventsOf(trace, 'view');
    const observed = agents.get(agent) ?? { versions: new Set(), models: new Set(), views: {} };
    agents.set(agent, observed);
    if (view) observed.views[scenario] ??= partsOfView(view);
    if (started?.version) observed.versions.add(started.version);
    // A requested model is part of the variant; only the agent's own choice is collected here.
    if (started?.model && !isModelNamed) observed.models.add(started.model);
  }
  return new Map(
    [...agents].map(([name, { versions, models, views }]) => [
      name,
      { versions: [...versions].sort(), models: [...models].sort(), views },
    ]),
  );
}

async function withCommands(
  trials: readonly DiagnosedTrial[],
  source: Pick<SideSource, 'readTrace'>,
): Promise<DiagnosedTrial[]> {
  const read: DiagnosedTrial[] = [];
  for (const trial of trials.slice(0, mostTraces)) {
    const trace = await source.readTrace(trial.trialId);
    const tool = trace?.find((event) => event.type === 'workspace')?.tool;
    read.push(trace && tool ? { ...trial, commands: commandsOf(trace, tool) } : trial);
  }
  return [...read, ...trials.slice(mostTraces)];
}
