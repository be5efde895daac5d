import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { flakyText, passOfKText, rangeText, unjudgedText } from '../../../../src/report/presentation/figure-words.ts';
import { percentText } from '../../../../src/report/presentation/figures-text.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { Card } from '../../kit/card.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

type Repeats = NonNullable<RunDetail['repeats']>;

const mostShown = 10;

/** What repeats show: pass@k and pass^k for every k, and the cases that did not always pass. */
export function RepeatsCard({ repeats }: { repeats: Repeats }) {
  const cases = repeats.unsteady.slice(0, mostShown);
  return (
    <Card title="Repeats">
      <p className="mb-2 text-sm">{flakyText(repeats)}; intervals are 95 %.</p>
      <div className="grid gap-6 lg:grid-cols-2">
        <Chances repeats={repeats} />
        {cases.length > 0 && (
          <SmallTable
            label="Cases that did not always pass"
            columns={[
              { header: 'Case' },
              { header: 'Passed', isFigure: true },
              { header: '95 % interval', isFigure: true },
              { header: 'Flakiness', isFigure: true },
            ]}
            rows={cases.map((one) => ({
              key: JSON.stringify([one.scenario, one.caseId, one.variant]),
              cells: [
                `${trialTitle({ ...one, repeat: 1 })}${unjudgedText(one)}`,
                `${one.passed}/${one.judged}`,
                rangeText(one.interval),
                percentText(one.flakiness),
              ],
            }))}
          />
        )}
      </div>
    </Card>
  );
}

function Chances({ repeats: { passAtK, passHatK } }: { repeats: Repeats }) {
  if (passAtK.length === 0)
    return <p className="text-sm text-muted">pass@k and pass^k unavailable: a case was never judged</p>;
  return (
    <SmallTable
      label="pass@k and pass^k"
      columns={[
        { header: 'k', isNarrow: true },
        { header: 'pass@k (at least one of k)', isFigure: true },
        { header: 'pass^k (all of k)', isFigure: true },
      ]}
      rows={passAtK.map((at, index) => {
        const hat = passHatK[index];
        return { key: String(at.k), cells: [at.k, passOfKText(at), hat ? passOfKText(hat) : '–'] };
      })}
    />
  );
}
