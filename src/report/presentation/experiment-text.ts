import type { ArmLook, Experiment, ExperimentLook } from '../../domain/experiment.ts';
import type { RunHeader } from '../../domain/run.ts';
import { partName } from '../../domain/variant-text.ts';
import { counted, grouped } from '../../shared/format.ts';
import { lastLooks } from '../compare/experiment-rounds.ts';

/** Findings of an experiment, a line for each variant and one about how it ended; empty for other runs. */
export function experimentLines({ experiment, planned, request }: RunHeader): string[] {
  const question = request.experiment;
  if (!experiment || !question) return [];
  const heading = `experiment by ${partName(question.by)}, reference: ${armName(experiment.reference)}`;
  const answers = lastLooks(experiment).map((look) => armLine(look, experiment.reference));
  return [heading, ...answers, endingText(experiment, planned, question.rounds.length, question.maxTrials)];
}

/** How an experiment goes or went, in one sentence; empty for other runs. */
export function experimentState({ experiment, planned, request }: RunHeader, isLive: boolean): string {
  const question = request.experiment;
  if (!experiment || !question) return '';
  const rounds = question.rounds.length;
  if (isLive && experiment.ending === null)
    return `round ${Math.min(rounds, experiment.looks.length + 1)} of ${rounds} runs`;
  return endingText(experiment, planned, rounds, question.maxTrials);
}

/** The answer about a variant in a few words: `better than before`, `not decided`. */
export function armAnswerText(answer: ArmLook['answer'], reference: string): string {
  return answerOf(answer, armName(reference));
}

/** How the question stood after a round: `round 2 of 5: not decided: pass rate …`. */
export function lookLine({ round, arms }: ExperimentLook, rounds: number, reference: string): string {
  return `round ${round} of ${rounds}: ${arms.map((look) => armLine(look, reference)).join('; ')}`;
}

/** `terse: better than (none): pass rate 62 % → 71 % (…)`. */
function armLine({ arm, answer, summary }: ArmLook, reference: string): string {
  return `${armName(arm)}: ${answerOf(answer, armName(reference))}: ${summary}`;
}

function answerOf(answer: ArmLook['answer'], reference: string): string {
  if (answer === 'not-enough-data') return 'not decided';
  return answer === 'no-difference' ? `no difference that matters from ${reference}` : `${answer} than ${reference}`;
}

export function armName(arm: string): string {
  return arm === '' ? '(none)' : arm;
}

function endingText(experiment: Experiment, trials: number, rounds: number, maxTrials: number): string {
  const { ending, looks, reason } = experiment;
  const after = `after ${grouped(trials)} of at most ${counted(maxTrials, 'trial')}`;
  const round = `round ${looks.length} of ${rounds}`;
  switch (ending) {
    case 'decided':
      return `decided in ${round}, ${after}`;
    case 'plan-used-up':
      return `not decided in ${rounds === 1 ? 'the only round' : `all ${rounds} rounds`}, ${after}${reason ? `: ${reason}` : ''}${toDecide(experiment)}`;
    case 'budget-used-up':
      return `not decided in ${round}, ${after}: ${reason}${toDecide(experiment)}`;
    case 'nothing-to-compare':
    case 'not-comparable':
      return `stopped in ${round}: ${reason}`;
    case null:
      return `interrupted before the end of round ${looks.length + 1} of ${rounds}`;
  }
}

/** Trials that would decide it, where they can be estimated. */
function toDecide(experiment: Experiment): string {
  const open = lastLooks(experiment).filter(({ answer }) => answer === 'not-enough-data');
  const most = Math.max(0, ...open.map(({ trialsToDecide }) => trialsToDecide ?? 0));
  if (open.some(({ interval, typical }) => interval === null && !typical?.interval))
    return '; so few cases show only large differences among themselves: add cases';
  return most === 0 ? '' : `; about ${counted(most, 'trial')} of two variants would decide it`;
}
