import type { AssayError } from '../../domain/errors.ts';
import { type JudgeAnswer, type JudgeModeName, type JudgeResult, totalSpending } from '../../domain/judge-result.ts';
import { faultOf } from '../../domain/outcome.ts';
import { contentNonce } from '../../drive/models/prompting/fence.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import { askQuestion, judgesFault, type QuestionOutcome } from './ask-question.ts';
import { lookVersion, withRulesVersion } from './compose-prompt.ts';
import type { Judge, JudgeConclusion, JudgeContext, JudgeMode, JudgeSubject, Question, Render } from './judge.ts';

interface KeyParts {
  readonly mode: Pick<JudgeMode, 'mode' | 'promptVersion'>;
  readonly config: unknown;
  /** Rendered with a nonce that follows from the data. */
  readonly question: Pick<Question, 'system' | 'user' | 'output' | 'maxOutputTokens'>;
  readonly context: Pick<JudgeContext, 'model' | 'seed' | 'temperature' | 'maxOutputTokens' | 'files'>;
}

/**
 * A key over everything an answer follows from: the whole prompt as it would be sent, hence rules, task, trace, budget
 * and redaction; the attached files; the server, the model and how it is sampled; and the config, hence thresholds.
 */
function judgeCacheKey({ mode, config, question, context }: KeyParts): string {
  const { system, user, output, maxOutputTokens } = question;
  return sha256(
    canonicalJson({
      mode: mode.mode,
      promptVersion: mode.promptVersion,
      config,
      prompt: { system, user, output, maxOutputTokens },
      model: context.model.name,
      server: context.model.server ?? null,
      files: (context.files ?? []).map(({ name, mediaType, sha256: digest }) => [name, mediaType, digest]),
      seed: context.seed ?? null,
      temperature: context.temperature === undefined ? 0 : context.temperature,
      ...(context.maxOutputTokens !== undefined && { maxOutputTokens: context.maxOutputTokens }),
    }),
  );
}

/** Only verdicts are kept: a fault may be gone the next time. */
function isCacheable(answer: JudgeAnswer): boolean {
  return answer.state === 'pass' || answer.state === 'fail';
}

/** Why a judge has nothing to decide, or undefined when no gate failed. */
function failedGatesReason({ failedGates }: Pick<JudgeSubject, 'failedGates'>): string | undefined {
  return failedGates.length === 0 ? undefined : `Failed gates are final: ${failedGates.join('; ')}`;
}

/** The last word on every answer: what a gate has failed, no judge can pass. What the judge said stays readable. */
export function withFinalGates(subject: Pick<JudgeSubject, 'failedGates'>, answer: JudgeResult): JudgeResult {
  const reason = failedGatesReason(subject);
  if (reason === undefined) return answer;
  const { fault: _fault, ...kept } = answer;
  const opinion = answer.model === undefined ? '' : ` (the judge said ${answer.state}: ${answer.reason})`;
  return { ...kept, state: 'fail', reason: `${reason}${opinion}` };
}

/** A warning when a model judges its own work. */
function sameModelWarning(judgeModel: string, testedModel: string | undefined): string | undefined {
  if (testedModel === undefined || bareName(judgeModel) !== bareName(testedModel)) return undefined;
  return `The judge is the model under test (${testedModel}): models prefer their own work`;
}

/** `openai/gpt-4o-2024-08-06` and `gpt-4o` are one model for this purpose. */
function bareName(model: string): string {
  const name = model.toLowerCase().split('/').at(-1) ?? model;
  return name.replace(/[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');
}

type Asking = Pick<JudgeMode, 'mode' | 'promptVersion'>;

/** A judge of one mode and config. Gates, cache and warnings are the same for all modes and cannot be left out. */
export function prepareJudge(bareMode: JudgeMode, config: unknown): Judge {
  const render = bareMode.prepare(config);
  const mostLooks = mostLooksIn(config);
  const { mode: name, promptVersion, sharing } = bareMode;
  const asking = ({ prompt }: JudgeContext): Asking => {
    const version = withRulesVersion(promptVersion, prompt);
    return { mode: name, promptVersion: mostLooks === 0 ? version : `${version}+${lookVersion}` };
  };
  const askModel = async (subject: JudgeSubject, context: JudgeContext): Promise<JudgeAnswer> =>
    mostLooks === 0
      ? answerOf(asking(context), context.model.name, await askQuestion(render(subject, context), context))
      : askAfterLooking(asking(context), render, subject, context, mostLooks);
  const ask = async (subject: JudgeSubject, context: JudgeContext): Promise<JudgeAnswer> => {
    const mode = asking(context);
    const decided = failedGatesReason(subject);
    if (decided !== undefined && !context.asksDespiteFailedGates) return answerWithoutModel(mode, 'fail', decided);
    const { cache } = context;
    const { reusesBeforeRun: runId } = subject;
    // Files that a judge looks at are not in its first prompt; where it may look, whole trials can be reused.
    if (cache === undefined || runId === undefined || mostLooks > 0) return askModel(subject, context);
    const question = render(subject, { ...context, nonce: contentNonce });
    const key = judgeCacheKey({ mode, config, question, context });
    const cached = await cache.read(key, runId);
    if (cached) return { ...cached, ...totalSpending([]), isCached: true };
    const answer = await askModel(subject, context);
    // A verdict that cannot be kept is still a verdict.
    if (isCacheable(answer)) await cache.write(key, runId, answer).catch(() => undefined);
    return answer;
  };
  return {
    mode: name,
    promptVersion,
    rejectsInaction: bareMode.rejectsInaction?.(config) ?? true,
    // A judge that looks first sees other material than the others.
    ...(sharing && mostLooks === 0 && { shared: { mode: bareMode, sharing, config } }),
    ask: async (subject, given) => {
      const context = subject.files ? { ...given, files: subject.files } : given;
      const answer = await ask(subject, context).catch((thrown) => brokenAnswer(asking(context), context, thrown));
      return withFinalGates(subject, withModelWarning(answer, subject.testedModel));
    },
  };
}

/** How often a judge may look; 0 for one that may not. */
function mostLooksIn(config: unknown): number {
  return isRecord(config) && isRecord(config.look) && typeof config.look.maxLooks === 'number'
    ? config.look.maxLooks
    : 0;
}

/** The verdict of a judge that looks first; one that cannot look does not answer blindly. */
async function askAfterLooking(
  mode: Asking,
  render: Render,
  bareSubject: JudgeSubject,
  context: JudgeContext,
  mostLooks: number,
): Promise<JudgeAnswer> {
  const { lookAround, pointAtLines, recordedLooks } = await import('./look-around.ts');
  const { subject, spent, warnings, fault, raw } = await lookAround(render, bareSubject, context, mostLooks);
  const looks = recordedLooks(subject);
  if (fault) return { ...answerOf(mode, context.model.name, { fault, raw, ...spent }), looks };
  const outcome = await askQuestion(render(subject, context), context);
  const answer = answerOf(
    mode,
    context.model.name,
    outcome.fault === undefined ? { ...outcome, conclusion: pointAtLines(outcome.conclusion, subject) } : outcome,
  );
  return { ...answer, ...totalSpending([spent, outcome]), warnings: [...answer.warnings, ...warnings], looks };
}

/** The answer of a judge that the user switched off, or whose answer could change nothing. */
export function skippedAnswer(mode: Asking, reason: string): JudgeAnswer {
  return answerWithoutModel(mode, 'skipped', reason);
}

/** The answer of a judge that is configured but unavailable. */
export function unavailableAnswer(mode: Asking, error: AssayError): JudgeAnswer {
  return { ...answerWithoutModel(mode, 'error', `${error.message} ${error.hint}`), fault: faultOf(error) };
}

function answerWithoutModel(mode: Asking, state: 'fail' | 'skipped' | 'error', reason: string): JudgeAnswer {
  return { state, mode: mode.mode, promptVersion: mode.promptVersion, reason, warnings: [], ...totalSpending([]) };
}

function brokenAnswer(mode: Asking, { model, signal }: JudgeContext, thrown: unknown): JudgeAnswer {
  if (signal.aborted) throw thrown;
  return answerOf(mode, model.name, { fault: judgesFault(thrown), raw: undefined, ...totalSpending([]) });
}

function answerOf(mode: Asking, model: string, outcome: QuestionOutcome<JudgeConclusion>): JudgeAnswer {
  const from = { mode: mode.mode, model, promptVersion: mode.promptVersion, ...totalSpending([outcome]) };
  if (outcome.fault === undefined) return { ...outcome.conclusion, ...from };
  const { fault, raw } = outcome;
  const isUnreadable = fault.code.startsWith('JUDGE_');
  return {
    ...from,
    state: 'error',
    reason: isUnreadable ? fault.message : `The judge gave no answer: ${fault.message}`,
    ...(isUnreadable && hasScores(mode.mode) ? { score: 0 } : {}),
    ...(raw === undefined ? {} : { raw }),
    warnings: [],
    fault,
  };
}

/** The contract of scoring judges: an unreadable reply is worth 0, and in state `error` the 0 counts for nothing. */
function hasScores(mode: JudgeModeName): boolean {
  return mode === 'score';
}

function withModelWarning(answer: JudgeAnswer, testedModel: string | undefined): JudgeAnswer {
  const warning = answer.model === undefined ? undefined : sameModelWarning(answer.model, testedModel);
  return warning === undefined ? answer : { ...answer, warnings: [...answer.warnings, warning] };
}
