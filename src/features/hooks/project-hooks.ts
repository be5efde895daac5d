import { AssayError } from '../../domain/errors.ts';
import { type HookProblem, mergedHookProblems } from '../../domain/hook-problem.ts';
import { type Fault, faultOf, type Outcome } from '../../domain/outcome.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Trial } from '../../domain/trial.ts';
import type { FeaturePlace, PerformTrial, RunFeature } from '../../engine/run-feature.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { HooksConfig } from './hooks-config.ts';
import { type HookName, HookRunner, type HookSubject } from './run-hook.ts';

interface ProjectHooksOptions extends Pick<FeaturePlace, 'header' | 'role' | 'signal' | 'store' | 'emit'> {
  readonly hooks: HooksConfig;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redact;
  /** Of commands around the run. */
  readonly timeoutMs: number;
}

/** A scenario whose first trial has begun. */
interface OpenScenario {
  /** Why none of its trials can begin. */
  readonly fault: Promise<Fault | undefined>;
  active: number;
  /** Whether the plan has come to another scenario. */
  isPassed: boolean;
  worst: Outcome;
}

type AfterHook = HookProblem['hook'];

/** The hooks of a project's config around one run. What comes after something is run wherever what comes before it began. */
export class ProjectHooks implements RunFeature {
  readonly holdsTurn = true;
  readonly #options: ProjectHooksOptions;
  readonly #runner: HookRunner;
  readonly #open = new Map<Scenario, OpenScenario>();
  readonly #closing = new Map<Scenario, Promise<void>>();
  readonly #running = new Set<Promise<unknown>>();
  #problems: HookProblem[] = [];
  #isRunOpen = false;

  constructor(options: ProjectHooksOptions) {
    this.#options = options;
    this.#runner = new HookRunner(options);
  }

  begin(): Promise<Fault | undefined> {
    this.#isRunOpen = true;
    return this.#before('beforeRun', this.#ofRun());
  }

  around(trial: Trial, perform: PerformTrial): Promise<FinishedTrial | undefined> {
    const running = this.#inScenario(trial, perform);
    this.#running.add(running);
    const forget = (): boolean => this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  async end(outcome: () => Promise<Outcome>): Promise<void> {
    await Promise.allSettled(this.#running);
    for (const [scenario, open] of this.#open) this.#close(scenario, open);
    await Promise.all(this.#closing.values());
    if (!this.#isRunOpen) return;
    this.#isRunOpen = false;
    await this.#after('afterRun', this.#ofRun(), await outcome(), null, null);
  }

  /** Failures that change no verdict. */
  async save(): Promise<void> {
    const problems = this.#takeProblems();
    if (problems.length > 0) await this.#options.store.addHookProblems(this.#options.header.runId, problems);
  }

  /** The run may be over already, so its summary may lack what fails here: it is reported too. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(async () => 'error');
    const { header, store, emit } = this.#options;
    const warn = (message: string): void => emit({ type: 'warning', message });
    const problems = this.#takeProblems();
    if (problems.length === 0) return;
    for (const { hook, command, message } of problems) warn(`The hook ${hook} failed: ${command} ${message}`);
    await store.addHookProblems(header.runId, problems).catch((error: Error) => warn(error.message));
  }

  #takeProblems(): readonly HookProblem[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  async #inScenario(trial: Trial, perform: PerformTrial): Promise<FinishedTrial | undefined> {
    const { scenario } = trial;
    const open = this.#enter(scenario);
    let outcome: Outcome = 'skipped';
    try {
      const fault = await open.fault;
      if (this.#options.signal.aborted) return undefined;
      const finished = fault ? await perform(fault) : await this.#aroundTrial(trial, perform);
      outcome = finished?.record.outcome ?? 'skipped';
      return finished;
    } finally {
      open.worst = worse(open.worst, outcome);
      open.active--;
      if (open.isPassed && open.active === 0) this.#close(scenario, open);
    }
  }

  async #aroundTrial(trial: Trial, perform: PerformTrial): Promise<FinishedTrial | undefined> {
    const { trialId, scenario } = trial;
    const ofScenario = this.#ofScenario(scenario);
    const variables = { ...ofScenario.variables, ASSAY_CASE: trial.case.caseId, ASSAY_TRIAL_ID: trialId };
    const subject = { ...ofScenario, variables };
    let finished: FinishedTrial | undefined;
    try {
      const fault = await this.#before('beforeTrial', subject);
      if (!this.#options.signal.aborted) finished = await perform(fault);
      return finished;
    } finally {
      await this.#after('afterTrial', subject, finished?.record.outcome ?? 'skipped', scenario.name, trialId);
    }
  }

  /** Trials begin in the order of the plan, so a trial of another scenario shows that the others have no more of them. */
  #enter(scenario: Scenario): OpenScenario {
    const open = this.#open.get(scenario) ?? this.#begin(scenario);
    open.active++;
    if (this.#options.role === 'worker') return open;
    for (const [other, its] of this.#open) {
      if (other === scenario) continue;
      its.isPassed = true;
      if (its.active === 0) this.#close(other, its);
    }
    return open;
  }

  #begin(scenario: Scenario): OpenScenario {
    const earlier = this.#closing.get(scenario) ?? Promise.resolve();
    const fault = earlier.then(() => this.#before('beforeScenario', this.#ofScenario(scenario)));
    const open: OpenScenario = { fault, active: 0, isPassed: false, worst: 'pass' };
    this.#open.set(scenario, open);
    return open;
  }

  /** No trial waits for it: their records are to be stored soon. */
  #close(scenario: Scenario, { worst }: OpenScenario): void {
    this.#open.delete(scenario);
    // The outcomes of trials are also those of scenarios and runs, which are never skipped.
    const outcome = worst === 'skipped' ? 'error' : worst;
    this.#closing.set(scenario, this.#after('afterScenario', this.#ofScenario(scenario), outcome, scenario.name, null));
  }

  #ofRun(): HookSubject {
    const { header, timeoutMs } = this.#options;
    return { variables: { ASSAY_RUN_ID: header.runId }, timeoutMs };
  }

  #ofScenario({ name, timeoutMs }: Scenario): HookSubject {
    return { variables: { ASSAY_RUN_ID: this.#options.header.runId, ASSAY_SCENARIO: name }, timeoutMs };
  }

  async #before(hook: HookName, subject: HookSubject): Promise<Fault | undefined> {
    const failed = await this.#runner.before(hook, subject);
    if (!failed) return undefined;
    const { command, message } = failed;
    return faultOf(new AssayError('HOOK_FAILED', `The hook \`${hook}\` failed: \`${command}\` ${message}`));
  }

  async #after(
    hook: AfterHook,
    { variables, timeoutMs }: HookSubject,
    outcome: Outcome,
    scenario: string | null,
    trialId: string | null,
  ): Promise<void> {
    const subject = { variables: { ...variables, ASSAY_OUTCOME: outcome }, timeoutMs };
    const failed = await this.#runner.after(hook, subject);
    const problems = failed.map((one) => ({ hook, ...one, count: 1, scenario, trialId }));
    this.#problems = mergedHookProblems([...this.#problems, ...problems]);
  }
}

const severity: readonly Outcome[] = ['pass', 'skipped', 'error', 'fail'];

/** A failure is a fact, whatever else could not be judged. */
function worse(one: Outcome, other: Outcome): Outcome {
  return severity.indexOf(one) >= severity.indexOf(other) ? one : other;
}
