import type { Comparison, FigureAnswer } from '../../../../src/report/compare/comparison.ts';
import { answerWords } from '../../../../src/report/compare/figure-words.ts';
import type { Tone } from '../../kit/badge.tsx';

interface AnswerLook {
  readonly tone: Tone;
  readonly word: string;
  readonly fill: string;
  readonly stroke: string;
}

const quiet = { tone: 'neutral', fill: 'fill-muted', stroke: 'stroke-muted' } as const;
const clear = { tone: 'info', fill: 'fill-accent', stroke: 'stroke-accent' } as const;
const looks: Readonly<Record<FigureAnswer, Omit<AnswerLook, 'word'>>> = {
  better: { tone: 'good', fill: 'fill-pass', stroke: 'stroke-pass' },
  worse: { tone: 'bad', fill: 'fill-fail', stroke: 'stroke-fail' },
  higher: clear,
  lower: clear,
  'no-difference': quiet,
  'not-enough-data': { ...quiet, tone: 'warn' },
};

/** Colours and words of an answer. */
export function answerLook(answer: Comparison['answer']): AnswerLook {
  if (answer === 'not-comparable') return { ...quiet, tone: 'warn', word: 'not comparable' };
  if (answer === 'nothing-to-compare') return { ...quiet, tone: 'warn', word: 'nothing to compare' };
  return { ...looks[answer], word: answerWords[answer] };
}
