import type { JudgeResult } from '../../domain/judge-result.ts';
import type { Judge, JudgeSubject } from './judge.ts';

/** Who is asked, where a scenario says so itself. */
export interface JudgeChoice {
  /** Several models vote. */
  readonly models: readonly string[];
  /** Asked where nobody names one. */
  readonly usualModel?: string | undefined;
  /** Times that each model is asked. */
  readonly samples: number | undefined;
  /** What becomes of a trial when the judge could not answer; undefined leaves it to the run. */
  readonly errors?: JudgeErrors | undefined;
  /** Keys by provider, as the scenario writes them; they go before those of the run. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

/** What a judge that could not answer makes of a trial: it stays unjudged, it fails, or the judge does not count. */
export type JudgeErrors = 'error' | 'fail' | 'ignore';

/** How evaluators reach the judge of the run. */
export interface Judging {
  /**
   * Asks, unless there is a reason not to. Rejects only when the signal is aborted; everything else that goes wrong, a
   * missing key or model included, is a result in state `error`. Only a judge that the user switched off, or whose
   * answer could change nothing, is `skipped`.
   */
  ask(judge: Judge, subject: JudgeSubject, choice: JudgeChoice, signal: AbortSignal): Promise<JudgeResult>;
  /** The rule for judges that could not answer. */
  errorsIn(choice: JudgeChoice): JudgeErrors;
}
