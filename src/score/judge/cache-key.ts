import type { JudgeAnswer } from '../../domain/judge-result.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { JudgeContext, JudgeMode, Question } from './judge.ts';

interface KeyParts {
  readonly mode: Pick<JudgeMode, 'mode' | 'promptVersion'>;
  readonly config: unknown;
  /** Rendered with a nonce that follows from the data. */
  readonly question: Pick<Question, 'system' | 'user' | 'output' | 'maxOutputTokens'>;
  readonly context: Pick<JudgeContext, 'model' | 'seed' | 'temperature' | 'maxOutputTokens'>;
}

/**
 * A key over everything an answer follows from: the whole prompt as it would be sent, hence rules, task, trace, budget
 * and redaction; the model and how it is sampled; and the config, hence thresholds.
 */
export function judgeCacheKey({ mode, config, question, context }: KeyParts): string {
  const { system, user, output, maxOutputTokens } = question;
  return sha256(
    canonicalJson({
      mode: mode.mode,
      promptVersion: mode.promptVersion,
      config,
      prompt: { system, user, output, maxOutputTokens },
      model: context.model.name,
      seed: context.seed ?? null,
      temperature: context.temperature === undefined ? 0 : context.temperature,
      ...(context.maxOutputTokens !== undefined && { maxOutputTokens: context.maxOutputTokens }),
    }),
  );
}

/** Only verdicts are kept: a fault may be gone the next time. */
export function isCacheable(answer: JudgeAnswer): boolean {
  return answer.state === 'pass' || answer.state === 'fail';
}
