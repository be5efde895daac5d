import type * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import type { JudgeResult } from '../../../../domain/judge-result.ts';
import type { WorkflowMetric } from '../../../../domain/mcp-findings.ts';
import type { When } from '../../../../domain/scenario.ts';
import type { Trace } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { eventsForJudge, taskIn } from '../../../judge/event-source.ts';
import type { Judge, JudgeErrors, JudgeMode, JudgeSubject } from '../../../judge/judge.ts';
import { locateEvidence } from '../../../judge/locate-evidence.ts';
import { type Answer, defineEvaluator, type Evaluator, type Reads } from '../../evaluator.ts';

interface JudgeEvaluator<Schema extends z.ZodType> {
  readonly type: string;
  readonly label?: string;
  readonly summary: string;
  readonly configSchema: Schema;
  readonly example?: NoInfer<z.input<Schema>>;
  readonly sharesJudge?: boolean;
  /** Channels without which it cannot judge at all, beside the answers. */
  readonly reads?: Reads['channels'] | ((config: z.output<Schema>) => Reads['channels']);
  /** Why the part of the trace that a judge sees cannot be judged, before a model is prompted. */
  refuse?(trace: Trace): AssayError | undefined;
  /** Why it does not apply to a trial; undefined where it does. */
  skip?(trial: Trial): string | undefined;
  /** For one that is evaluated during a conversation; the others are evaluated once, at its end. */
  when?(config: z.output<Schema>): When;
  /** Whether a fail in a conversation is final, whatever comes after it. */
  isSettled?(config: z.output<Schema>, result: JudgeResult): boolean;
  /** Criteria of the evaluator itself: with the config they are the rubric. */
  ownCriteria?(config: z.output<Schema>): object;
  /** The mode with its prompts, which most runs never need. */
  loadMode(): Promise<JudgeMode>;
  /** For one whose answer is also a figure of workflows. */
  loadWorkflowPart?(): Promise<WorkflowPart>;
}

/** Differences in judging a workflow of an MCP server. */
export interface WorkflowPart {
  /** `trace` is the whole one, including events hidden from the judge. */
  subjectOf(subject: JudgeSubject, trial: Trial, trace: Trace): JudgeSubject;
  metricsOf(result: JudgeResult, errors: JudgeErrors): WorkflowMetric[];
}

const whereReported = {
  answers: 'exact',
  'tool-calls': 'exact',
  'tool-results': 'exact',
  commands: 'exact',
  files: 'exact',
} as const;

/** A mode of the judge as an assertion. */
export function judgeEvaluator<Schema extends z.ZodType>(definition: JudgeEvaluator<Schema>): Evaluator {
  const { loadMode, loadWorkflowPart, isSettled, refuse, skip, ownCriteria, reads, ...described } = definition;
  return defineEvaluator({
    ...described,
    kind: 'assertion',
    needs: ['judge'],
    reads: (config) => ({ channels: typeof reads === 'function' ? reads(config) : { ...reads }, whereReported }),
    prepare(config) {
      const rubric = ownCriteria ? { ...(config as object), ...ownCriteria(config) } : config;
      const rubricHash = sha256(canonicalJson(rubric));
      let preparing: Promise<Judge> | undefined;
      return async ({ trial, judging, failures, trace, wholeTrace, workspace, workspaceFault, signal }) => {
        const skipped = skip?.(trial);
        if (skipped !== undefined) return { state: 'skipped', reason: skipped };
        preparing ??= prepareMode(loadMode, rubric);
        const { judge: choice, serverPart } = trial.scenario;
        const workflowPart = serverPart === 'workflow' ? await loadWorkflowPart?.() : undefined;
        const limits = lookLimits(config);
        if (limits && workspaceFault) return { state: 'error', error: workspaceFault };
        const attached = await attachedTo(trial);
        if (attached instanceof AssayError) return { state: 'error', error: attached };
        const subject = {
          ...subjectOf(trial, trace, wholeTrace ?? trace, failures),
          ...attached,
          ...(limits && workspace && { openWorkFolder: await workFolderOf(workspace.directory, limits) }),
        };
        const judged = workflowPart?.subjectOf(subject, trial, trace) ?? subject;
        const refusal = refuse?.(judged.trace);
        if (refusal) return { state: 'error', error: refusal };
        const given = await judging.ask(await preparing, judged, choice, signal);
        const result = locateEvidence(given, judged.trace, wholeTrace ?? trace);
        const errors = judging.errorsIn(choice);
        const answer = answerOf({ ...result, rubricHash }, errors, workflowPart?.metricsOf(result, errors));
        return answer.state === 'fail' && isSettled?.(config, result) ? { ...answer, isSettled: true } : answer;
      };
    },
  });
}

/** Files that the scenario gives its judge, or why they cannot be sent. */
async function attachedTo({ scenario }: Trial): Promise<Pick<JudgeSubject, 'references' | 'files'> | AssayError> {
  const { attachments } = scenario.judge;
  if (!attachments) return {};
  // Few judges have attachments, and then none of this need be loaded.
  const { judgeAttachments } = await import('./judge-attachments.ts');
  return judgeAttachments(attachments, scenario.directory).catch(
    (error: Error) => new AssayError('FILE_INVALID', error.message, { hint: 'Run the scenario again.' }),
  );
}

interface LookLimits {
  readonly maxBytes: number;
  readonly timeoutSecs: number;
}

/** Undefined for a judge that may not look. */
function lookLimits(config: unknown): LookLimits | undefined {
  return isRecord(config) && isRecord(config.look) ? (config.look as unknown as LookLimits) : undefined;
}

async function workFolderOf(directory: string, { maxBytes, timeoutSecs }: LookLimits) {
  const { openWorkFolder } = await import('./work-folder.ts');
  return () => openWorkFolder(directory, { maxBytes, timeoutMs: timeoutSecs * 1_000 });
}

async function prepareMode(loadMode: () => Promise<JudgeMode>, config: unknown): Promise<Judge> {
  const { prepareJudge } = await import('../../../judge/prepare-judge.ts');
  return prepareJudge(await loadMode(), config);
}

function subjectOf(
  { scenario, case: testCase, variant, runId }: Trial,
  trace: Trace,
  wholeTrace: Trace,
  failures: readonly string[],
): JudgeSubject {
  return {
    name: scenario.name,
    task: testCase.expectedBehavior ?? taskOf({ scenario, case: testCase, variant }, wholeTrace),
    trace: eventsForJudge(trace),
    expected: testCase.expected,
    failedGates: failures,
    testedModel: variant.model,
    reusesBeforeRun: scenario.repeat === 1 ? runId : undefined,
  };
}

/** An agent is judged by the task it was given, a tool by what its scenario is about. */
function taskOf(
  { scenario, case: { input }, variant }: Pick<Trial, 'scenario' | 'case' | 'variant'>,
  trace: Trace,
): string {
  const { description, name, target } = scenario;
  if (variant.agent !== undefined && typeof input === 'string') return input;
  if (description !== '') return description;
  return (target.type === 'conversation' ? taskIn(trace) : undefined) ?? name;
}

function answerOf(result: JudgeResult, errors: JudgeErrors, workflow?: WorkflowMetric[]): Answer<'assertion'> {
  const findings = { judge: result, ...(workflow && { workflow }) };
  const { state, reason, score } = result;
  if (state === 'skipped') return { state, reason, findings };
  if (state === 'error' && errors === 'ignore')
    return { state: 'skipped', reason: `Left out of account: ${reason}`, findings };
  if (state === 'error' && errors === 'fail') return { state: 'fail', reason, value: 0, findings };
  if (state === 'error') {
    const { code, message, ...others } = result.fault ?? { code: 'JUDGE_UNDECIDED' as const, message: reason };
    return { state, error: new AssayError(code, message, others), findings };
  }
  return { state, reason, value: score ?? (state === 'pass' ? 1 : 0), findings };
}
