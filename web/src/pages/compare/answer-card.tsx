import type { ComparedSide, Comparison, FigureAnswer } from '../../../../src/report/compare/comparison.ts';
import { comparedText, isCompared } from '../../../../src/report/compare/figure-rows.ts';
import { answerWords } from '../../../../src/report/compare/figure-words.ts';
import { regressionWarnings } from '../../../../src/report/compare/regression-warnings.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Count, Money, When } from '../../kit/figures.tsx';
import { Bullets, Card, Remark } from '../../kit/page.tsx';
import { type SmallColumn, SmallTable } from '../../kit/small-table.tsx';
import { RunLink } from './run-link.tsx';

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

/** The answer on these tasks, which is the one that CI decides by. */
function mainAnswer({ answer, answerOnTheseTasks }: Comparison): Pick<AnswerLook, 'tone' | 'word'> {
  if (answerOnTheseTasks === null) return answerLook(answer);
  const { tone, word } = answerLook(answerOnTheseTasks);
  return { tone, word: `${word} on these tasks` };
}

/** The answer in one sentence, what was compared, and what else differs. */
export function AnswerCard({ comparison, onForce }: { comparison: Comparison; onForce: () => void }) {
  const { answer, summary, isForced, a, b, differences, notes } = comparison;
  const { tone, word } = mainAnswer(comparison);
  const compared = comparedText(differences);
  return (
    <Card isColumn title="Answer" actions={<Badge tone={tone}>{word}</Badge>}>
      <ul className="flex flex-col gap-1 text-base font-semibold">
        {sentencesOf(summary).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {isForced && <Remark tone="warn">The sides are not comparable; the figures are shown on request.</Remark>}
      {regressionWarnings(comparison).map(({ figure, message }) => (
        <Remark key={figure} tone="warn">
          Warning: {message}
        </Remark>
      ))}
      {compared !== undefined && <Remark tone="info">Compared: {compared}</Remark>}
      {differences
        .filter((one) => !isCompared(one))
        .map(({ message, isDecisive }) => (
          <Remark key={message} tone={isDecisive ? 'warn' : 'info'}>
            {message}
          </Remark>
        ))}
      {!isReport && answer === 'not-comparable' && (
        <div>
          <Button onClick={onForce}>Show the figures anyway</Button>
        </div>
      )}
      <Disclosure isOpen={isReport} summary="Both sides, and notes">
        <div className="flex flex-col gap-3">
          <SmallTable
            label="Sides"
            columns={sideColumns}
            rows={[
              { name: 'A, before', ...a },
              { name: 'B, new', ...b },
            ]}
          />
          <Bullets texts={notes} />
        </div>
      </Disclosure>
    </Card>
  );
}

/** One line for each question. */
function sentencesOf(summary: string): readonly string[] {
  return summary.split(/(?<=\.) (?=For tasks like these|Also on these tasks)/);
}

const sideColumns: readonly SmallColumn<ComparedSide & { readonly name: string }>[] = [
  { header: 'Side', cell: ({ name }) => <span className="whitespace-nowrap">{name}</span> },
  {
    header: 'Run',
    cell: ({ label, runId }) => (
      <>
        {label !== runId && <span className="block">{label}</span>}
        <RunLink runId={runId} />
      </>
    ),
  },
  { header: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
  { header: 'Trials', isFigure: true, cell: ({ trials }) => <Count value={trials} /> },
  { header: 'Not judged', isFigure: true, cell: ({ unjudged }) => <Count value={unjudged} /> },
  { header: 'Cost', isFigure: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
];
