import { useState } from 'react';
import type { ChangedCase, Comparison } from '../../../../src/report/compare/comparison.ts';
import { caseTitle, changeWords, triesText } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Card } from '../../kit/page.tsx';
import { TrajectoryPanel } from './trajectory-panel.tsx';

const tones: Readonly<Record<ChangedCase['change'], Tone>> = {
  broke: 'bad',
  'less-often': 'bad',
  unjudged: 'warn',
  fixed: 'good',
  'more-often': 'good',
  'only-in-a': 'neutral',
  'only-in-b': 'neutral',
};
const step = 30;

interface ChangedCasesProps {
  readonly cases: Comparison['changedCases'];
  /** The trials whose steps are shown beside each other. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly onShow: (left: string | undefined, right: string | undefined) => void;
}

/** The cases that ended differently, the most important first; each opens what was done differently. */
export function ChangedCases({ cases, left, right, onShow }: ChangedCasesProps) {
  const chosen = cases.findIndex(({ trialA, trialB }) => trialA === left && trialB === right);
  const [wanted, setWanted] = useState(step);
  const visibleCount = Math.max(wanted, chosen + 1);
  return (
    <Card title={`Cases that ended differently (${grouped(cases.length)})`} isFlush>
      {cases.length === 0 && <p className="p-4 text-muted">Every case ended the same way on both sides.</p>}
      <ul className="divide-y divide-line">
        {cases.slice(0, visibleCount).map((item, index) => (
          <li key={`${item.scenario} ${item.caseId} ${JSON.stringify(item.variant)}`}>
            <CaseLine item={item} isChosen={index === chosen} onShow={onShow} />
            {index === chosen && left !== undefined && right !== undefined && (
              <div className="border-t border-line bg-ground/60 px-4 py-3">
                <TrajectoryPanel left={left} right={right} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {cases.length > visibleCount && (
        <div className="border-t border-line p-3">
          <Button size="sm" onClick={() => setWanted(visibleCount + step)}>
            Show {Math.min(step, cases.length - visibleCount)} more cases
          </Button>
        </div>
      )}
    </Card>
  );
}

function CaseLine({
  item,
  isChosen,
  onShow,
}: {
  item: ChangedCase;
  isChosen: boolean;
  onShow: ChangedCasesProps['onShow'];
}) {
  const { change, reason, broken, trialA, trialB } = item;
  const canDiffer = trialA !== undefined && trialB !== undefined;
  return (
    <div
      className={classes('flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5', isChosen && 'bg-accent-ground/50')}
    >
      <span className="w-24 shrink-0">
        <Badge tone={tones[change]}>{changeWords[change]}</Badge>
      </span>
      <div className="min-w-48 flex-1">
        <span className="font-medium">{caseTitle(item)}</span>
        {reason !== '' && <span className="block text-muted">{reason}</span>}
        {broken.length > 0 && <span className="block text-xs text-muted">no longer holds: {broken.join(', ')}</span>}
      </div>
      <span className="whitespace-nowrap tabular-nums">{triesText(item)}</span>
      <span className="flex flex-wrap gap-1">
        {canDiffer && (
          <Button
            size="sm"
            aria-expanded={isChosen}
            onClick={() => (isChosen ? onShow(undefined, undefined) : onShow(trialA, trialB))}
          >
            {isChosen ? 'Hide steps' : 'Compare steps'}
          </Button>
        )}
        {trialA !== undefined && <TrialButton trialId={trialA} label="Trial of A" />}
        {trialB !== undefined && <TrialButton trialId={trialB} label="Trial of B" />}
      </span>
    </div>
  );
}

/** Leads to one of the two trials. */
export function TrialButton({ trialId, label }: { trialId: string; label: string }) {
  return (
    <LinkButton size="sm" variant="ghost" to="/trials/$trialId" params={{ trialId }}>
      {label}
    </LinkButton>
  );
}
