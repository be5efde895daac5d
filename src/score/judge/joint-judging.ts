import type { JudgeAnswer, JudgeResult } from '../../domain/judge-result.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { Judge, JudgeChoice, JudgeSubject, Judging } from './judge.ts';

/** Criteria in one call at most: with more, models answer the last ones with less care. */
const mostCriteria = 5;

/** A question that waits for those of the other judges of its trial. */
interface WaitingQuestion {
  readonly place: number;
  readonly judge: Judge;
  readonly subject: JudgeSubject;
  readonly choice: JudgeChoice;
  readonly signal: AbortSignal;
  settle(result: Promise<JudgeResult>): void;
}

/** A judge of the trial. */
interface Member {
  readonly judging: Judging;
  /** To be called when its evaluation is over, with or without a question. */
  leave(): void;
}

/**
 * The judge of a trial for evaluators that run side by side: those that ask about the same subject share a call. Nothing
 * is sent before each of them has a question or is over, so which of them share follows from the scenario, not from time.
 */
export class JointJudging {
  readonly #outer: () => Judging;
  readonly #waiting: WaitingQuestion[] = [];
  readonly #undecided: Set<number>;

  constructor(members: number, outer: () => Judging) {
    this.#outer = outer;
    this.#undecided = new Set(Array.from({ length: members }, (_, place) => place));
  }

  member(place: number): Member {
    const decide = (): void => {
      if (this.#undecided.delete(place) && this.#undecided.size === 0) this.#send();
    };
    return {
      judging: {
        ask: (judge, subject, choice, signal) => {
          // Only the first question of an evaluator waits for others.
          if (!this.#undecided.has(place)) return this.#outer().ask(judge, subject, choice, signal);
          return new Promise<JudgeResult>((settle) => {
            this.#waiting.push({ place, judge, subject, choice, signal, settle });
            decide();
          });
        },
        embed: (...request) => this.#outer().embed(...request),
        errorsIn: (choice) => this.#outer().errorsIn(choice),
      },
      leave: decide,
    };
  }

  #send(): void {
    const outer = this.#outer();
    const inOrder = this.#waiting.toSorted((a, b) => a.place - b.place);
    const calls = outer.asksAlone ? inOrder.map((question) => [question]) : sharedCalls(inOrder);
    for (const questions of calls) {
      const answers = answersTo(questions, outer);
      for (const [index, { settle }] of questions.entries()) settle(answers.then((all) => all[index] as JudgeResult));
    }
  }
}

/** The questions of each call: the same subject, the same models, the same additions, and not too many criteria. */
function sharedCalls(questions: readonly WaitingQuestion[]): WaitingQuestion[][] {
  const calls: WaitingQuestion[][] = [];
  for (const question of questions) {
    const fitting = calls.find(
      (call) => call.every((other) => isAlike(other, question)) && hasRoom([...call, question]),
    );
    if (fitting) fitting.push(question);
    else calls.push([question]);
  }
  return calls;
}

function isAlike(a: WaitingQuestion, b: WaitingQuestion): boolean {
  const [ofA, ofB] = [a.judge.shared, b.judge.shared];
  return (
    ofA !== undefined &&
    ofB !== undefined &&
    ofA.mode === ofB.mode &&
    a.choice === b.choice &&
    ofA.sharing.key(ofA.config) === ofB.sharing.key(ofB.config) &&
    textOf(a.subject) === textOf(b.subject)
  );
}

function hasRoom(call: readonly WaitingQuestion[]): boolean {
  const sizes = call.map(({ judge: { shared } }) => shared?.sharing.size(shared.config) ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) <= mostCriteria;
}

/** Everything that a judge is shown. */
function textOf({ files = [], ...subject }: JudgeSubject): string {
  return canonicalJson({ ...subject, files: files.map(({ sha256 }) => sha256) });
}

async function answersTo(questions: readonly WaitingQuestion[], outer: Judging): Promise<readonly JudgeResult[]> {
  const [{ judge, subject, choice, signal }] = questions as readonly [WaitingQuestion, ...WaitingQuestion[]];
  if (questions.length === 1) return [await outer.ask(judge, subject, choice, signal)];
  const { prepareJudge, withFinalGates } = await import('./prepare-judge.ts');
  const parts = questions.flatMap((question) => question.judge.shared ?? []);
  const [{ mode, sharing }] = parts as [(typeof parts)[number]];
  const configs = parts.map(({ config }) => config);
  const joint = prepareJudge(mode, sharing.together(configs));
  const result = await outer.ask(joint, subject, choice, signal);
  return configs.map((_, index) => {
    const ownOf = (answer: JudgeAnswer): JudgeAnswer => {
      const own = sharing.own(configs, index, answer);
      return own === answer ? answer : withFinalGates(subject, own);
    };
    const { panel, ...whole } = result;
    return { ...ownOf(whole), ...(panel && { panel: panel.map(ownOf) }) };
  });
}
