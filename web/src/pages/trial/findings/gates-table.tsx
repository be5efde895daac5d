import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { valueText } from '../../../../../src/report/presentation/plain-output.ts';
import { useEvaluatorLabels } from '../../../data/evaluator-labels.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Card } from '../../../kit/card.tsx';
import { CodeBlock } from '../../../kit/code-block.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { StateBadge } from './state-badge.tsx';

/** Assertions on the work that was left behind. */
export function GatesTable({ gates }: { gates: TrialRecord['gates'] }) {
  const labelOf = useEvaluatorLabels();
  if (gates.length === 0) return null;
  const passed = gates.filter((gate) => gate.passed).length;
  return (
    <Card
      title="Gates"
      isFlush
      actions={
        <Badge tone={passed === gates.length ? 'good' : 'bad'}>
          {passed} of {gates.length} passed
        </Badge>
      }
    >
      <SmallTable
        label="Gates"
        columns={[{ header: 'Gate' }, { header: 'Result', isNarrow: true }, { header: 'Message' }]}
        rows={gates.map(({ gate_type, passed: isPassed, message, detail }, index) => ({
          key: `${index + 1} ${gate_type}`,
          isProblem: !isPassed,
          cells: [
            <span key="name" title={gate_type}>
              {labelOf(gate_type)}
            </span>,
            <StateBadge key="state" state={isPassed ? 'pass' : 'fail'} />,
            <div key="message">
              <span className="whitespace-pre-wrap">{message}</span>
              {detail !== undefined && detail !== null && (
                <Disclosure summary={<span className="text-xs text-muted">Detail</span>}>
                  <CodeBlock text={valueText(detail)} maxHeight={240} label="Detail of the gate" />
                </Disclosure>
              )}
            </div>,
          ],
        }))}
      />
    </Card>
  );
}
