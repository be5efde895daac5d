import { BadgeCheck, ClipboardCheck } from 'lucide-react';
import type { Agreement } from '../../../../src/entry/server/api/review.ts';
import { agreementQuery, keepAgreement } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Card, EmptyCard, ErrorView } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { TrialIdLink } from '../../kit/trial-link.tsx';
import { useChange } from '../../kit/use-change.ts';
import { useRead } from '../../kit/use-read.tsx';
import { JudgeFigures } from './judge-figures.tsx';

type Judge = Agreement['judges'][number];

/** How far each judge agrees with people, where they do not, and whether that is what the project keeps. */
export function AgreementView() {
  const [data, instead] = useRead(agreementQuery(), 10);
  if (!data) return instead;
  if (data.judges.length === 0) return <NothingLabelled />;
  return (
    <div className="flex flex-col gap-4">
      <Keeping judges={data.judges} />
      {data.judges.map((judge) => (
        <JudgeCard
          key={judgeKey(judge)}
          judge={judge}
          isAlone={data.judges.filter((other) => nameOf(other) === nameOf(judge)).length === 1}
        />
      ))}
    </div>
  );
}

function Keeping({ judges }: { judges: readonly Judge[] }) {
  const keep = useChange({
    send: keepAgreement,
    stale: [agreementQuery().queryKey],
    isRefusalShown: true,
    message: 'Kept in assay.calibration.json',
  });
  const areKept = judges.every(({ isKept }) => isKept);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <GuardedButton
        needs="review"
        variant={areKept ? 'secondary' : 'primary'}
        icon={<BadgeCheck size={15} aria-hidden />}
        isBusy={keep.isPending}
        disabled={areKept}
        onClick={() => keep.mutate()}
      >
        {areKept ? 'These figures are kept' : 'Keep these figures'}
      </GuardedButton>
      <p className="min-w-0 flex-1 basis-64 text-xs text-muted">
        Reports then say how far a judge can be trusted, and warn when its model, prompt or rubric has changed since.
      </p>
      {keep.error && <ErrorView error={keep.error} />}
    </div>
  );
}

function nameOf({ model, mode }: Judge): string {
  return `${model}, ${mode}`;
}

/** The figures of one judge; `isAlone`: no other has the same name, so its rubric need not be named. */
function JudgeCard({ judge, isAlone }: { judge: Judge; isAlone: boolean }) {
  return (
    <Card
      isColumn
      title={isAlone ? nameOf(judge) : `${nameOf(judge)}, rubric ${judge.rubricHash.slice(0, 6)}`}
      actions={
        <>
          {judge.isStale && <Badge tone="warn">changed since it was calibrated</Badge>}
          <Badge tone={judge.isKept ? 'good' : 'neutral'}>{judge.isKept ? 'kept' : 'not kept'}</Badge>
        </>
      }
    >
      <JudgeFigures judge={judge} />
      <Disagreements judge={judge} />
      <p className="font-mono text-2xs text-muted">
        prompt {judge.promptVersion} · rubric {judge.rubricHash.slice(0, 12)}
      </p>
    </Card>
  );
}

function Disagreements({ judge: { disagreements } }: { judge: Judge }) {
  if (disagreements.length === 0) return <p className="text-muted">The judge agreed with you every time.</p>;
  return (
    <div className="-mx-4 border-y border-line">
      <SmallTable
        label="Where the judge and people disagree"
        columns={[
          { header: 'They disagree on', cell: ({ trialId }) => <TrialIdLink trialId={trialId} /> },
          { header: 'People', cell: ({ human }) => human },
          { header: 'Judge', cell: ({ judge }) => judge },
        ]}
        rows={disagreements}
      />
    </div>
  );
}

function NothingLabelled() {
  return (
    <EmptyCard
      icon={<ClipboardCheck size={22} />}
      title="No judged trial has a label yet"
      action={
        <LinkButton variant="primary" to="/review" search={(known) => ({ ...known, tab: undefined })}>
          Label some trials
        </LinkButton>
      }
    >
      About thirty labels show whether a judge can be trusted.
    </EmptyCard>
  );
}

function judgeKey({ model, mode, promptVersion, rubricHash }: Judge): string {
  return JSON.stringify([model, mode, promptVersion, rubricHash]);
}
