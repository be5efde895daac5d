import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { figureText } from '../../../../../src/report/presentation/figures-text.ts';
import { useEvaluatorLabels } from '../../../data/evaluator-labels.ts';
import { Card } from '../../../kit/card.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { turnSummary } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** What the evaluators said after each answer of a conversation; turns with bad news are open. */
export function TurnsSection({ turns }: { turns: TrialRecord['turns'] }) {
  const labelOf = useEvaluatorLabels();
  if (turns.length === 0) return null;
  return (
    <Card title="Turn by turn">
      <div className="flex flex-col gap-1">
        {turns.map(({ turn, results }) => (
          <Disclosure
            key={turn}
            isOpen={results.some(({ state }) => state === 'fail' || state === 'error')}
            summary={
              <>
                Turn {turn} <span className="text-xs text-muted">{turnSummary(results)}</span>
              </>
            }
          >
            <SmallTable
              label={`Results of turn ${turn}`}
              columns={[
                { header: 'Evaluator' },
                { header: 'Result', isNarrow: true },
                { header: 'Value', isFigure: true },
                { header: 'Reason' },
              ]}
              rows={results.map((result, index) => ({
                key: `${index + 1} ${result.type}`,
                isProblem: result.state === 'fail' || result.state === 'error',
                cells: [
                  labelOf(result.type),
                  <StateBadge key="state" state={result.state} />,
                  result.value === undefined ? '' : figureText(result.value),
                  result.reason,
                ],
              }))}
            />
          </Disclosure>
        ))}
      </div>
    </Card>
  );
}
