import type { Project } from '../../compose/config/project.ts';
import type { EvaluatorResult, Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Variant } from '../../domain/variant.ts';
import type { EvaluatorDefinition, OwnEvaluators } from '../../load/scenarios/code/scenario-definition.ts';
import { suggestion } from '../../shared/suggest.ts';
import { AssayError, EvaluatorRunner, evaluateAgain, hasTurns, ProjectJudging, secretRedaction } from './program.ts';

/** Evaluators of the program and of plug-ins. */
type AnyEvaluator = EvaluatorDefinition | EvaluatorDefinition<OwnEvaluators>;

interface Origin {
  readonly trial: Trial;
  readonly project: Project;
}

/** A trial that has run: how it ended, everything that was observed of it, and a way to evaluate it further. */
export class ScenarioTrial {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly repeat: number;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly record: TrialRecord;
  readonly trace: Trace;
  readonly #origin: Origin;

  constructor(record: TrialRecord, trace: Trace, origin: Origin) {
    this.scenario = record.scenario;
    this.caseId = record.caseId;
    this.variant = record.variant;
    this.repeat = record.repeat;
    this.outcome = record.outcome;
    this.reason = record.reason;
    this.record = record;
    this.trace = trace;
    this.#origin = origin;
  }

  /** The result of one more evaluator, as if the scenario named it; one that needs a judge or the work directory is refused. */
  async evaluate({ type, config = {}, when }: AnyEvaluator): Promise<EvaluatorResult> {
    const { trial, project } = this.#origin;
    const { evaluators } = project.parts;
    const evaluator = evaluators.find((candidate) => candidate.type === type);
    if (!evaluator) {
      const hint = suggestion(
        type,
        evaluators.map((candidate) => candidate.type),
      );
      throw new AssayError('USAGE', `Unknown evaluator type: "${type}".`, { hint });
    }
    const missing = evaluator.needs.filter((need) => need === 'judge' || need === 'workspace');
    if (missing.length > 0)
      throw new AssayError('USAGE', `\`${type}\` needs a ${missing[0]}: name it in the scenario.`);
    const checked = evaluator.configSchema.safeParse(config);
    if (!checked.success) {
      const issues = checked.error.issues.map(({ path, message }) => `${['config', ...path].join('.')}: ${message}`);
      throw new AssayError('USAGE', `The config of \`${type}\` is not valid. ${issues.join('; ')}`);
    }
    const spec = { type, config: checked.data, ...(when && { when }) };
    const result = await this.#result({ ...trial, case: { ...trial.case, evaluators: [spec] } });
    if (result) return result;
    throw new AssayError('INTERNAL', `\`${type}\` gave no result.`);
  }

  async #result(trial: Trial): Promise<EvaluatorResult | undefined> {
    const { project } = this.#origin;
    const { trace, record } = this;
    await using judging = new ProjectJudging(project, { judge: false }, process.env);
    const services = { env: process.env, updatesGolden: false, redact: secretRedaction(process.env) };
    const evaluators = new Map(project.parts.evaluators.map((evaluator) => [evaluator.type, evaluator]));
    const runner = new EvaluatorRunner(evaluators, judging, services, new AbortController().signal);
    const past = {
      trial,
      trace,
      fault: undefined,
      startedAt: record.startedAt,
      durationMs: record.durationMs,
      cachedFrom: undefined,
      artifacts: null,
      isConversation: hasTurns(trace),
      turns: record.turns,
      openWorkspace: async () => ({
        workspace: undefined,
        workspaceFault: undefined,
        [Symbol.asyncDispose]: async () => undefined,
      }),
    };
    return (await evaluateAgain(past, runner))?.record.evaluatorResults[0];
  }
}

/** Why nothing can be said about what happened in a trial; undefined where it was executed. */
export function whyUnobserved({ record }: Pick<ScenarioTrial, 'record'>): string | undefined {
  const { fault, evaluatorResults } = record;
  const isBroken = fault !== null && evaluatorResults.length === 0 && fault.code !== 'NOTHING_ASSERTED';
  return isBroken ? unjudgedText(record) : undefined;
}

/** A trial without a verdict, in words that cannot be taken for a failed assertion. */
export function unjudgedText({ reason, fault }: Pick<TrialRecord, 'reason' | 'fault'>): string {
  const why = fault ? `\n  ${fault.code}: ${fault.hint}` : '';
  return `Could not be judged: ${reason}${why}`;
}
