import { Link } from '@tanstack/react-router';
import { CircleCheck, History } from 'lucide-react';
import type { Dashboard } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Card, EmptyState } from '../../kit/page.tsx';

type Broke = NonNullable<Dashboard['broke']>;

/** Cases that passed before and do not any more. */
export function WhatBroke({ broke }: { broke: Broke | null }) {
  if (broke === null)
    return (
      <Card title="What broke">
        <EmptyState icon={<History size={20} />} title="No comparison yet">
          Run the same scenarios once more to see what changed. Large runs are compared in the background.
        </EmptyState>
      </Card>
    );
  return (
    <Card
      title="What broke since the run before"
      isFlush
      actions={
        <LinkButton size="sm" to="/compare" search={{ a: broke.previousRunId, b: broke.runId }}>
          Compare
        </LinkButton>
      }
    >
      {broke.cases.length === 0 ? (
        <EmptyState icon={<CircleCheck size={20} />} title="Nothing broke">
          {fixedText(broke.fixedCount)}
        </EmptyState>
      ) : (
        <>
          <ul className="max-h-72 overflow-y-auto">
            {broke.cases.map((one) => (
              <BrokenCase key={`${one.scenario}\n${one.caseId}\n${one.trialId}`} broken={one} />
            ))}
          </ul>
          {broke.fixedCount > 0 && <p className="px-4 py-2 text-xs text-muted">{fixedText(broke.fixedCount)}</p>}
        </>
      )}
    </Card>
  );
}

function BrokenCase({ broken }: { broken: Broke['cases'][number] }) {
  const title = (
    <span className="font-medium">
      {broken.scenario}
      {broken.caseId !== '' && <span className="font-normal text-muted"> › {broken.caseId}</span>}
    </span>
  );
  return (
    <li className="relative border-b border-line px-4 py-2 last:border-b-0 hover:bg-raised/50">
      <div className="flex flex-wrap items-center justify-between gap-x-2">
        {broken.trialId === null ? (
          title
        ) : (
          <Link
            to="/trials/$trialId"
            params={{ trialId: broken.trialId }}
            className="after:absolute after:inset-0 focus-visible:after:outline-2"
          >
            {title}
          </Link>
        )}
        <Badge tone="bad">{broken.change === 'less-often' ? 'passes less often' : broken.change}</Badge>
      </div>
      <p className="line-clamp-2 text-xs text-muted">{broken.reason}</p>
    </li>
  );
}

function fixedText(count: number): string {
  return count === 0 ? 'Nothing got better either.' : `${counted(count, 'case')} went better than before.`;
}
