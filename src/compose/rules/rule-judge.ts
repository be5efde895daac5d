import type { RunScenario } from '../../domain/run.ts';
import { Spending } from '../../drive/models/spending.ts';
import { EvaluatorRunner } from '../../engine/evaluate.ts';
import { keptTrial } from '../../engine/record.ts';
import type { RecordSink } from '../../engine/record-sink.ts';
import { evaluateAgain } from '../../engine/rescore.ts';
import { runScenarios } from '../../engine/resume.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Project } from '../config/project.ts';
import { projectRecordSink, RunRedaction } from '../config/redaction.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { TraceCases } from '../rescore/trace-cases.ts';
import { leftOut, pastTrial, type TodaysParts } from '../run/rescore-trials.ts';
import type { Rule } from './prepare-rules.ts';
import type { JudgedPlace } from './rule-runs.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The trial in which a rule judged a trace: the same each time, so a trace is judged once. */
export function judgedTrialId(rule: string, traceId: string): string {
  return `t-${sha256(`${rule}\n${traceId}`).slice(0, 20)}`;
}

/** Judges traces by one rule, with a spending limit for each day. */
export class RuleJudge implements AsyncDisposable {
  readonly rule: Rule;
  /** Of all that can change a verdict. */
  readonly contentHash: string;
  readonly scenarios: readonly RunScenario[];
  readonly #cases: TraceCases;
  readonly #parts: TodaysParts;
  readonly #runner: EvaluatorRunner;
  readonly #judging: ProjectJudging;
  readonly #sink: RecordSink;
  readonly #budget: DailyBudget | undefined;

  constructor(rule: Rule, project: Project, env: Env, signal: AbortSignal) {
    const { targets, evaluators } = project.parts;
    const { maxUsdPerDay } = rule.config;
    const redaction = new RunRedaction(project, env);
    redaction.learn(rule.scenarios);
    this.rule = rule;
    const budget = maxUsdPerDay === undefined ? undefined : new DailyBudget(maxUsdPerDay);
    this.#budget = budget;
    this.#judging = new ProjectJudging(project, {}, env, {
      ...(budget && { spending: async () => budget.spending }),
      redact: redaction.redact,
    });
    this.#cases = new TraceCases(rule.scenarios);
    this.#parts = { targets, env, evaluators: new Map(evaluators.map((evaluator) => [evaluator.type, evaluator])) };
    const services = { env, updatesGolden: false, redact: redaction.redact };
    this.#runner = new EvaluatorRunner(this.#parts.evaluators, this.#judging, services, signal);
    this.#sink = projectRecordSink(project, redaction.redact);
    const judges = rule.scenarios.map(({ judge }) => this.#judging.modelNames(judge));
    this.scenarios = runScenarios(rule.scenarios, targets).map((scenario, index) => ({
      ...scenario,
      contentHash: sha256(canonicalJson([scenario.contentHash, judges[index]])),
    }));
    this.contentHash = sha256(canonicalJson(this.scenarios.map(({ contentHash }) => contentHash)));
  }

  /** The judged trial of a collected one; undefined where it was interrupted. */
  async judge(
    { record, trace }: FinishedTrial,
    traceId: string,
    { runId, ordinal }: JudgedPlace,
  ): Promise<FinishedTrial | undefined> {
    const past = { record: { ...record, ordinal, artifacts: null }, trace };
    const trialId = judgedTrialId(this.rule.name, traceId);
    const today = await this.#cases.of(record, trace);
    if (typeof today === 'string') {
      const left = leftOut({ past, runId }, today);
      return this.#sink.redact({ ...left, record: { ...left.record, trialId } });
    }
    const again = pastTrial({ past, runId }, today, this.#parts, undefined);
    const judged = await evaluateAgain({ ...again, trial: { ...again.trial, trialId } }, this.#runner);
    return judged && keptTrial(again.trial, judged, this.#sink);
  }

  /** Money that was spent today before the process started, as `spentToday` gave it. */
  restoreSpending(kept: string | undefined): void {
    if (kept !== undefined) this.#budget?.restore(kept);
  }

  /** Begins the budget of another day. */
  startDay(now: number): void {
    this.#budget?.startDay(now);
  }

  /** To be kept for a restart; undefined without a limit. */
  spentToday(): string | undefined {
    return this.#budget?.kept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#judging[Symbol.asyncDispose]();
  }
}

/** A spending limit that begins again each day in UTC. */
class DailyBudget {
  readonly spending: Spending;
  readonly #maxUsd: number;
  #day = '';

  constructor(maxUsd: number) {
    this.#maxUsd = maxUsd;
    this.spending = new Spending(maxUsd);
  }

  startDay(now: number): void {
    const day = new Date(now).toISOString().slice(0, 10);
    if (day === this.#day) return;
    const used = (this.spending.limitUsd ?? 0) - this.spending.leftUsd;
    if (this.#day !== '') this.spending.setLimit(used + this.#maxUsd);
    this.#day = day;
  }

  restore(kept: string): void {
    const { day, usd } = JSON.parse(kept) as { day: string; usd: number };
    this.startDay(Date.now());
    if (day === this.#day) this.spending.add(usd);
  }

  kept(): string {
    return JSON.stringify({ day: this.#day, usd: this.#maxUsd - this.spending.leftUsd });
  }
}
