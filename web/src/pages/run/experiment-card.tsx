import { FlaskConical } from 'lucide-react';
import type { Experiment, ExperimentPlan } from '../../../../src/domain/experiment.ts';
import type { RunHead } from '../../../../src/entry/server/api/runs.ts';
import { lastLooks } from '../../../../src/report/compare/experiment-rounds.ts';
import { boundText } from '../../../../src/report/compare/figure-words.ts';
import { armAnswerText, armName, experimentState } from '../../../../src/report/presentation/experiment-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Card } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { answerLook } from '../compare/answer-card.tsx';
import { LooksChart } from './experiment-chart.tsx';
import { type ArmHistory, armHistories, estimateText, meansText, rangeOf } from './experiment-figures.ts';

/** How the question of an experiment stands. */
export function ExperimentCard({ run: { header, isLive } }: { run: RunHead }) {
  const { experiment } = header;
  const plan = header.request.experiment;
  if (!experiment || !plan) return null;
  return (
    <Card
      isColumn
      icon={FlaskConical}
      title={<>Experiment by {plan.by}</>}
      actions={<span className="text-xs text-muted">reference: {armName(experiment.reference)}</span>}
    >
      <Answers experiment={experiment} />
      <p aria-live="polite" className="text-sm">
        {capitalised(experimentState(header, isLive))}
      </p>
    </Card>
  );
}

/** How the question stood after each round; folded once there is an answer. */
export function ExperimentRounds({ run: { header, isLive } }: { run: RunHead }) {
  const { experiment } = header;
  const plan = header.request.experiment;
  if (!experiment || !plan) return null;
  const histories = armHistories(experiment);
  if (histories.length === 0) return null;
  return (
    <section aria-label="Rounds of the experiment" className="min-w-0 rounded-lg border border-line bg-surface">
      <Disclosure isOpen={isLive} isWide summary="Rounds of the experiment">
        <div className="flex flex-col gap-3 border-t border-line p-4">
          <Charts histories={histories} plan={plan} reference={experiment.reference} />
          <LooksTable experiment={experiment} histories={histories} />
        </div>
      </Disclosure>
    </section>
  );
}

function Answers({ experiment }: { experiment: Experiment }) {
  const answers = lastLooks(experiment);
  if (answers.length === 0) return <p className="text-sm text-muted">No round has ended yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {answers.map(({ arm, answer, summary }) => (
        <li key={arm} className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-semibold">{armName(arm)}</span>
          <Badge tone={answerLook(answer).tone}>{armAnswerText(answer, experiment.reference)}</Badge>
          <span className="text-sm">{summary}</span>
        </li>
      ))}
    </ul>
  );
}

interface ChartsProps {
  readonly histories: readonly ArmHistory[];
  readonly plan: ExperimentPlan;
  readonly reference: string;
}

function Charts({ histories, plan, reference }: ChartsProps) {
  return (
    <div>
      <p className="mb-2 text-xs text-muted">
        {plan.metric} against {armName(reference)} after each of at most {plan.rounds.length} rounds. The intervals
        allow for every look (95 % for all together). The dashed line means no difference; the band holds differences
        that are too small to matter.
      </p>
      <div className="grid gap-x-6 gap-y-4 lg:grid-cols-2">
        {histories.map((history) => (
          <LooksChart
            key={history.arm}
            history={history}
            rounds={plan.rounds.length}
            label={armName(history.arm)}
            format={(value) => tickText(value, history)}
          />
        ))}
      </div>
    </div>
  );
}

function LooksTable({ experiment, histories }: { experiment: Experiment; histories: readonly ArmHistory[] }) {
  const rounds = new Map(experiment.looks.map((look) => [look.round, look]));
  const rows = histories
    .flatMap(({ arm, isRatio, looks }) =>
      looks.map((drawn) => ({ arm, isRatio, drawn, round: rounds.get(drawn.round) })),
    )
    .toSorted((a, b) => a.drawn.round - b.drawn.round);
  return (
    <div className="-mx-4">
      <SmallTable
        label="Looks after each round"
        columns={[
          { header: 'Round', isNarrow: true, cell: ({ drawn }) => drawn.round },
          { header: 'Variant', cell: ({ arm }) => armName(arm) },
          { header: 'Trials so far', isFigure: true, cell: ({ round }) => grouped(round?.trials ?? 0) },
          { header: 'Reference → variant', isFigure: true, cell: ({ drawn }) => meansText(drawn.look) },
          { header: 'Difference or ratio', isFigure: true, cell: ({ drawn, isRatio }) => estimateText(drawn, isRatio) },
          { header: 'Interval', isFigure: true, cell: ({ drawn, isRatio }) => rangeOf(drawn, isRatio) },
          { header: 'Error rate of this look', isFigure: true, cell: ({ round }) => levelText(round?.level ?? 0) },
          {
            header: 'Answer',
            cell: ({ drawn: { look } }) => (
              <Badge tone={answerLook(look.answer).tone}>{armAnswerText(look.answer, experiment.reference)}</Badge>
            ),
          },
        ]}
        rows={rows}
      />
    </div>
  );
}

function tickText(value: number, { isRatio, looks }: ArmHistory): string {
  if (isRatio) return `x${boundText(value, 'number')}`;
  return boundText(value, looks.at(-1)?.look.unit ?? 'number');
}

/** An error rate in percent, with the digits that say something. */
function levelText(level: number): string {
  return `${Number((level * 100).toPrecision(2))} %`;
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
