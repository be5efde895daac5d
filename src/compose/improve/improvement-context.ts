import { AssayError } from '../../domain/errors.ts';
import type { Improvement, ImprovementEnding, ImprovementStage } from '../../domain/improvement.ts';
import { keptOptions } from '../../domain/option-values.ts';
import type { RunEvent } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Threads } from '../../drive/targets/call/threads.ts';
import { unifiedDiff } from '../../drive/workspace/file-diff.ts';
import type { StartOptions } from '../../engine/feature.ts';
import type { Store } from '../../keep/store/store.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { type ProjectRun, runProject } from '../run/run-project.ts';
import { applyEdits } from './apply-edits.ts';
import type { Improvable } from './improvable.ts';
import { saveImprovement } from './improvement-file.ts';
import type { LeakCheck } from './leak-check.ts';

/** Surroundings of an improvement. */
export interface ImproveParts {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly concurrency?: number | undefined;
  readonly threads?: Threads | undefined;
  /** Listeners for one run. */
  openListeners(): readonly ((event: RunEvent) => void)[];
  openStore(): Promise<Store>;
  /** Reports progress between the runs. */
  notice(line: string): void;
}

/** Ends an improvement; without an ending it was interrupted, and can be resumed. */
export class ImprovementStop extends Error {
  readonly ending: ImprovementEnding | undefined;
  readonly reason: string | null;

  constructor(ending?: ImprovementEnding, reason: string | null = null) {
    super(ending ?? 'interrupted');
    this.ending = ending;
    this.reason = reason;
  }
}

interface StageRun {
  /** Purpose of the run. */
  readonly label: string;
  readonly scenarios: readonly Scenario[];
  readonly question?: StartOptions['experiment'];
  /** How often the experiment may be wrong. */
  readonly errorRate?: number | undefined;
  /** Takes the results over before the run counts as finished. */
  take?(ran: ProjectRun): Promise<void>;
}

/** The state of an improvement with all that its steps share. */
export class ImprovementContext {
  readonly improvement: Improvement;
  readonly improvable: Improvable;
  readonly leaks: LeakCheck;
  readonly parts: ImproveParts;
  /** Why an experiment ended before its time. */
  lackOfBudget: string | undefined;

  constructor(improvement: Improvement, improvable: Improvable, leaks: LeakCheck, parts: ImproveParts) {
    this.improvement = improvement;
    this.improvable = improvable;
    this.leaks = leaks;
    this.parts = parts;
  }

  save(): void {
    const { project, env } = this.parts;
    saveImprovement(project.folder, this.improvement, projectRedaction(project, env));
  }

  /** The text of a version: the original with the edits of all ideas on the way to it. */
  textOf(arm: string): string {
    const { reference, original, steps } = this.improvement;
    if (arm === reference) return original;
    for (const step of steps) {
      const idea = step.ideas.find((each) => each.arm === arm);
      if (!idea) continue;
      const edited = applyEdits(this.textOf(step.reference), idea.edits);
      if ('text' in edited) return edited.text;
    }
    throw new AssayError('INTERNAL', `There is no version "${arm}".`);
  }

  diffBetween(before: string, after: string): Promise<string> {
    const mode = 0o644;
    return unifiedDiff(this.improvement.file, { text: before, mode }, { text: after, mode });
  }

  /** Runs a stage, or what is left of it. */
  async runStage(stage: ImprovementStage, { label, scenarios, question, errorRate, take }: StageRun): Promise<void> {
    if (stage.isFinished) return;
    const { project, env, signal, concurrency, threads, openListeners, openStore } = this.parts;
    const { improvement } = this;
    const leftUsd = await this.leftUsd(stage.runId);
    if (leftUsd !== undefined && leftUsd <= 0) throw new ImprovementStop('budget-used-up', this.spentText());
    const noteRun = (event: RunEvent): void => {
      if (event.type !== 'run-started') return;
      stage.runId = event.run.runId;
      this.save();
    };
    const name = `${improvement.id}: ${label}`;
    await using ran = await runProject({
      project,
      env,
      signal,
      threads,
      openStore,
      request: {
        ...keptOptions(improvement.request.run, 'resume'),
        name,
        concurrency,
        maxUsd: leftUsd,
        // A result of an earlier run is not evidence.
        reuse: false,
        improvement: { id: improvement.id, stage: label },
        ...(stage.runId !== null && { resume: stage.runId }),
        ...{ experiment: question, errorRate, resumesExperiment: question !== undefined },
      },
      selection: { scenarios, otherFiles: [], warnings: [] },
      listeners: [...openListeners(), noteRun],
    });
    if (ran.summary.run.status === 'interrupted') throw new ImprovementStop();
    await take?.(ran);
    const { cost } = await ran.store.countTrials(ran.summary.run.runId);
    improvement.spentUsd += cost.knownUsd;
    improvement.unpricedTrials += cost.unknownTrials;
    stage.isFinished = true;
    this.save();
  }

  /** Rest of the spending limit while a run goes on; undefined without a limit. */
  async leftUsd(runId: string | null = null): Promise<number | undefined> {
    const { request, spentUsd } = this.improvement;
    if (request.maxUsd === null) return undefined;
    const begun =
      runId === null ? 0 : await this.withStore(async (store) => (await store.countTrials(runId)).cost.knownUsd);
    return request.maxUsd - spentUsd - begun;
  }

  spentText(): string {
    const { request, spentUsd } = this.improvement;
    return `$${spentUsd.toFixed(2)} of $${request.maxUsd} is spent.`;
  }

  async withStore<Found>(read: (store: Store) => Promise<Found>): Promise<Found> {
    await using store = await this.parts.openStore();
    return await read(store);
  }

  async end(ending: ImprovementEnding, reason: string | null): Promise<void> {
    const { improvement } = this;
    const kept = improvement.steps.findLast((step) => step.kept !== null)?.kept ?? null;
    improvement.ending = ending;
    improvement.reason = reason;
    improvement.diff = kept === null ? null : await this.diffBetween(improvement.original, this.textOf(kept));
    this.save();
  }
}
