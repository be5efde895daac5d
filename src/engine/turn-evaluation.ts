import { type JudgeSpending, totalSpending } from '../domain/judge-result.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { TurnControl } from '../drive/targets/target.ts';
import type { Aggregate, Answer, EvaluationContext } from '../score/evaluators/evaluator.ts';
import type { Judging } from '../score/judge/judge.ts';
import { addAnswer, type Evaluation } from './findings.ts';
import { evaluateAll, type PreparedEvaluator, resultOf } from './prepared-evaluator.ts';

interface TurnAnswer {
  readonly turn: number;
  readonly answer: Answer;
}

/** An answer after a turn; one that is pending may still be mended by a later turn. */
interface KeptAnswer {
  readonly part: PreparedEvaluator;
  readonly answer: Answer;
  readonly isPending: boolean;
}

/** State of a trial when its evaluators run. */
interface Moment {
  readonly failures: readonly string[];
  readonly isFinal: boolean;
  /** The judge of the run, where it is absent. */
  readonly judging?: Judging | undefined;
}
type ContextOf = (moment: Moment) => EvaluationContext;

/** Evaluates each answer of a conversation, and reports when the conversation can end. */
export class TurnEvaluation implements TurnControl {
  readonly #kept: KeptAnswer[][] = [];
  readonly #parts: readonly PreparedEvaluator[];
  readonly #contextOf: ContextOf;
  readonly #answers = new Map<PreparedEvaluator, TurnAnswer[]>();
  readonly #waiting: PreparedEvaluator[] = [];

  constructor(parts: readonly PreparedEvaluator[], contextOf: ContextOf) {
    this.#parts = parts.filter(
      ({ when, aggregate, turn }) => when !== undefined || aggregate !== undefined || turn !== undefined,
    );
    this.#contextOf = contextOf;
  }

  get hasBegun(): boolean {
    return this.#kept.length > 0;
  }

  /** The results after each answer. */
  get turns(): TrialFindings['turns'] {
    return this.#kept.map((kept, index) => ({
      turn: index + 1,
      results: kept.map(({ part, answer, isPending }) => {
        const result = resultOf(part, answer, index + 1);
        return isPending ? { ...result, state: 'pending' } : result;
      }),
    }));
  }

  /** Judges of the last turn: what is computed about the whole trial may decide it without them. */
  get waiting(): readonly PreparedEvaluator[] {
    return this.#waiting;
  }

  /** Whether an evaluator runs after each answer, or after the last. */
  evaluates(part: PreparedEvaluator): boolean {
    return this.#parts.includes(part);
  }

  /** A broken rule or a conversation that has all that it needs ends it; evaluators that wait for the end then run too. */
  async afterTurn(isLast: boolean | (() => Promise<boolean>)): Promise<'go on' | 'stop'> {
    const turn = await this.#evaluateTurn(isLast === true);
    const isDecided = isLast === true || this.#isBroken(turn) || this.#hasAll();
    if (!isDecided && typeof isLast === 'function') {
      if (!(await isLast())) return 'go on';
      await this.#makeFinal(turn);
    } else if (!isDecided) return 'go on';
    await this.#evaluateEnd(turn);
    return 'stop';
  }

  /** A turn turned out to be the last: what is computed may look at that; a judge is not paid for twice. */
  async #makeFinal(turn: number): Promise<void> {
    const evaluated = this.#partsOf(turn);
    const isSettled = (part: PreparedEvaluator): boolean => part.needsJudge || part.turn !== undefined;
    const computed = evaluated.filter((part) => !isSettled(part));
    const settled = evaluated.filter(isSettled);
    const answers = settled.flatMap((part) => this.#answerIn(part, turn) ?? []);
    for (const part of evaluated) {
      this.#answers.set(part, this.#answers.get(part)?.filter((one) => one.turn !== turn) ?? []);
    }
    this.#kept.at(-1)?.splice(0);
    this.#keep(computed, await evaluateAll(computed, this.#contextOf({ failures: [], isFinal: true })), turn, true);
    this.#keep(settled, answers, turn, true);
  }

  /** The same for an answer that was given long ago: whatever is decided on the way, all answers are looked at. */
  async afterPastTurn(isLast: boolean, isEnd: boolean): Promise<void> {
    const turn = await this.#evaluateTurn(isLast);
    if (isEnd) await this.#evaluateEnd(turn);
  }

  /** Adds one result for each evaluator that does not wait, with the turn that decided. */
  async conclude(findings: Evaluation): Promise<void> {
    if (!this.hasBegun) return;
    for (const part of this.#parts) if (!this.#waiting.includes(part)) await this.#conclude(part, findings);
  }

  /** Runs the judges of the last turn, which are shown all failures of the trial, and adds their results. */
  async judge(findings: Evaluation, moment: Omit<Moment, 'isFinal'>): Promise<void> {
    if (!this.hasBegun) return;
    const judges = this.#parts.filter((part) => this.#waiting.includes(part));
    if (judges.length > 0) {
      const context = this.#contextOf({ ...moment, isFinal: true });
      this.#keep(judges, await evaluateAll(judges, context), this.#kept.length, true);
    }
    for (const part of judges) {
      await this.#conclude(part, findings);
      const results = findings.evaluatorResults.splice(-1);
      findings.evaluatorResults.splice(this.#placeOf(part), 0, ...results);
    }
    if (this.#hasHistory()) findings.turns.push(...this.turns);
  }

  /** Results are in the order of the file, whichever was there first. */
  #placeOf(part: PreparedEvaluator): number {
    const earlier = this.#parts.slice(0, this.#parts.indexOf(part));
    return earlier.filter((one) => one.turn !== undefined || this.#answers.has(one)).length;
  }

  async #conclude(part: PreparedEvaluator, findings: Evaluation): Promise<void> {
    const evaluated = this.#answers.get(part) ?? [];
    const deciding = decidingOf(part, evaluated);
    if (deciding) addAnswer(findings, part, aggregated(part, evaluated, deciding.answer), deciding.turn);
    else if (part.turn !== undefined) addAnswer(findings, part, await this.#answerWithoutTurn(part), part.turn);
    if (findings.judge && part.needsJudge) findings.judge = { ...findings.judge, ...spentOn(evaluated) };
  }

  async #evaluateTurn(isLast: boolean): Promise<number> {
    const turn = this.#kept.push([]);
    await this.#evaluate(this.#partsOf(turn), turn, isLast);
    return turn;
  }

  /** The evaluators that look at a turn when it has just ended. */
  #partsOf(turn: number): readonly PreparedEvaluator[] {
    return this.#parts.filter((part) => (part.turn === undefined ? part.when !== 'final' : part.turn === turn));
  }

  /** For an assertion on a turn that never happened; where the trial was decided before, it is not needed. */
  async #answerWithoutTurn(part: PreparedEvaluator): Promise<Answer> {
    const ended = this.#kept.findIndex((_, index) => this.#isBroken(index + 1)) + 1;
    if (ended === 0) {
      const [missing] = await evaluateAll([part], this.#contextOf({ failures: [], isFinal: true }));
      if (missing) return missing;
    }
    return {
      state: 'skipped',
      reason: `Turn ${part.turn}: not reached, because turn ${ended} decided the trial`,
    };
  }

  async #evaluateEnd(turn: number): Promise<void> {
    const evaluated = this.#parts.filter((part) => part.turn === undefined && part.when === 'final');
    await this.#evaluate(evaluated, turn, true);
  }

  /** Runs computed evaluators first, then the judge, which is shown the failures that are final, and waits in the last turn. */
  async #evaluate(parts: readonly PreparedEvaluator[], turn: number, isFinal: boolean): Promise<void> {
    const certain = parts.filter(({ needsJudge }) => !needsJudge);
    const judges = parts.filter(({ needsJudge }) => needsJudge);
    this.#keep(certain, await evaluateAll(certain, this.#contextOf({ failures: [], isFinal })), turn, isFinal);
    if (isFinal) this.#waiting.push(...judges);
    else if (judges.length > 0) {
      const context = this.#contextOf({ failures: this.#failures(turn), isFinal });
      this.#keep(judges, await evaluateAll(judges, context), turn, isFinal);
    }
  }

  #keep(parts: readonly PreparedEvaluator[], answers: readonly Answer[], turn: number, isFinal: boolean): void {
    for (const [index, part] of parts.entries()) {
      const answer = answers[index];
      if (!answer) continue;
      this.#answers.set(part, [...(this.#answers.get(part) ?? []), { turn, answer }]);
      const isPending =
        part.when === 'eventually' &&
        part.turn === undefined &&
        answer.state === 'fail' &&
        !isFinal &&
        !answer.isSettled;
      this.#kept.at(-1)?.push({ part, answer, isPending });
    }
  }

  /** Whether its turns say more than its results: the results of a single answer are those of the trial. */
  #hasHistory(): boolean {
    return this.#kept.length > 1 || this.#kept[0]?.some(({ isPending }) => isPending) === true;
  }

  #failures(turn: number): string[] {
    return this.#parts
      .filter((part) => this.#breaksIn(part, turn))
      .flatMap((part) => {
        const answer = this.#answerIn(part, turn);
        return answer?.state === 'fail' ? [`${part.type}: ${answer.reason}`] : [];
      });
  }

  #isBroken(turn: number): boolean {
    return this.#parts.some((part) => this.#breaksIn(part, turn));
  }

  /** A rule for every turn that does not hold, or a failure that no later answer can mend. */
  #breaksIn(part: PreparedEvaluator, turn: number): boolean {
    const answer = this.#answerIn(part, turn);
    if (part.kind === 'metric' || part.isPart || !answer) return false;
    if (answer.state === 'fail' && answer.isSettled) return true;
    return (
      (part.when === 'every-turn' || part.turn !== undefined) && (answer.state === 'fail' || answer.state === 'error')
    );
  }

  #answerIn(part: PreparedEvaluator, turn: number): Answer | undefined {
    return this.#answers.get(part)?.find((evaluated) => evaluated.turn === turn)?.answer;
  }

  /** Without anything to wait for, a conversation goes on to its end. */
  #hasAll(): boolean {
    const awaited = this.#parts.filter((part) => part.when === 'eventually' && part.turn === undefined && !part.isPart);
    const isComing = this.#parts.some((part) => part.turn !== undefined && !this.#answers.has(part));
    return awaited.length > 0 && !isComing && awaited.every((part) => this.#answers.get(part)?.some(hasHeld));
  }
}

/** Spending on all questions to a judge, not only on the one that decided. */
function spentOn(evaluated: readonly TurnAnswer[]): JudgeSpending {
  return totalSpending(evaluated.flatMap(({ answer }) => ('findings' in answer && answer.findings?.judge) || []));
}

function hasHeld({ answer }: TurnAnswer): boolean {
  return answer.state === 'pass';
}

/** The answer that counts: the first that broke a rule, the first that held, or the last. */
function decidingOf({ kind, when, turn }: PreparedEvaluator, evaluated: readonly TurnAnswer[]): TurnAnswer | undefined {
  if (kind === 'metric') return evaluated.at(-1);
  const settled = evaluated.find(({ answer }) => answer.state === 'fail' && answer.isSettled);
  if (settled) return settled;
  if (when === 'eventually' && turn === undefined) return evaluated.find(hasHeld) ?? evaluated.at(-1);
  const broken = evaluated.find(({ answer }) => answer.state === 'fail' || answer.state === 'error');
  return broken ?? evaluated.at(-1);
}

/** The figures of all turns as one; a sum of some of the turns would be read as one of all, so it is absent then. */
function aggregated({ kind, aggregate }: PreparedEvaluator, evaluated: readonly TurnAnswer[], last: Answer): Answer {
  if (kind !== 'metric' || !aggregate || aggregate === 'last' || evaluated.length < 2) return last;
  const broken = evaluated.find(({ answer }) => answer.state === 'error');
  if (broken) return broken.answer;
  const missing = evaluated.flatMap(({ turn, answer }) => (answer.state === 'no-data' ? [{ turn, answer }] : []));
  if (missing[0]) {
    const where =
      missing.length === evaluated.length ? '' : `: no data in turn ${missing.map(({ turn }) => turn).join(', ')}`;
    return { state: 'no-data', reason: `${missing[0].answer.reason}${where}` };
  }
  const figures = evaluated.flatMap(({ answer }) => (answer.state === 'measured' ? [answer.value] : []));
  const reason = `${aggregate} over ${figures.length} turns`;
  return { state: 'measured', value: aggregates[aggregate](figures), reason };
}

const aggregates: Readonly<Record<Aggregate, (figures: readonly number[]) => number>> = {
  sum: (figures) => figures.reduce((total, figure) => total + figure, 0),
  mean: (figures) => figures.reduce((total, figure) => total + figure, 0) / figures.length,
  max: (figures) => Math.max(...figures),
  last: (figures) => figures.at(-1) ?? 0,
};
