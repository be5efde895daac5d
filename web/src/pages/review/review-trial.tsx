import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ReviewItem, ReviewQueue } from '../../../../src/entry/server/api/review.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import type { TrialSearch } from '../../app/search-params.ts';
import { tracePageQuery } from '../../data/trials.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Card } from '../../kit/page.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { pageSize } from '../trial/trace/timeline.ts';
import { TracePanel } from '../trial/trace/trace-panel.tsx';
import { type AddressChange, changedSearch } from '../trial/use-trial-address.ts';
import { LabelForm } from './label-form.tsx';
import { useLabelling } from './labelling.ts';

/** The trace of a trial, without links to its verdicts. */
function ReviewTrace({ trialId, lengthMs }: { trialId: string; lengthMs: number }) {
  const [data, instead] = useRead(tracePageQuery(trialId, 0, pageSize), 12);
  const [search, setSearch] = useState<TrialSearch>({});
  const change = useCallback((part: AddressChange) => setSearch((known) => changedSearch(known, part)), []);
  return (
    <div className="h-[calc(100dvh-var(--bar-height)-1rem)] overflow-hidden rounded-lg border border-line bg-surface lg:sticky lg:top-4 lg:h-[calc(100dvh-2rem)]">
      {!data ? (
        <div className="p-4">{instead}</div>
      ) : (
        <TracePanel
          trialId={trialId}
          total={data.total}
          lengthMs={lengthMs}
          address={{ search, visit: String(search.event), change }}
          isBlind
        />
      )}
    </div>
  );
}

interface TrialReviewProps {
  readonly queue: ReviewQueue;
  readonly item: ReviewItem;
  readonly rater: string;
  readonly run: string;
}

/** One trial to label: the question at one side, the trace at the other. */
export function TrialReview({ queue, item, rater, run }: TrialReviewProps) {
  const labelling = useLabelling(queue, item, rater, run);
  const place = queue.items.indexOf(item) + 1;
  return (
    <div className="flex flex-col gap-4">
      <Progress queue={queue} rater={rater} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Card
          isColumn
          title={trialTitle({ ...item, variant: {}, repeat: 1 })}
          actions={
            <>
              {item.label !== null && (
                <Badge tone={item.label === 'pass' ? 'good' : 'bad'}>your label: {item.label}</Badge>
              )}
              <span className="text-xs text-muted tabular-nums">
                {grouped(place)} of {grouped(queue.items.length)}
              </span>
              <Button
                size="sm"
                aria-label="Previous trial"
                title="Previous trial (←)"
                onClick={() => labelling.move(-1)}
                icon={<ArrowLeft size={14} aria-hidden />}
              />
              <Button
                size="sm"
                aria-label="Next trial"
                title="Next trial (→)"
                onClick={() => labelling.move(1)}
                icon={<ArrowRight size={14} aria-hidden />}
              />
            </>
          }
        >
          <p className="whitespace-pre-wrap">{item.question}</p>
          <LabelForm key={item.trialId} item={item} labelling={labelling} />
        </Card>
        <ReviewTrace key={item.trialId} trialId={item.trialId} lengthMs={item.durationMs ?? 0} />
      </div>
    </div>
  );
}

function Progress({ queue: { labelled, judged, file }, rater }: { queue: ReviewQueue; rater: string }) {
  const isDone = labelled >= judged;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="flex min-w-48 flex-1 items-center gap-3">
        <progress
          aria-label="Labelled"
          value={labelled}
          max={judged}
          className="h-2 min-w-24 flex-1 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
        <span role="status" className="text-sm whitespace-nowrap tabular-nums">
          {grouped(labelled)} of {grouped(judged)} labelled
        </span>
      </div>
      {isDone ? (
        <LinkButton size="sm" variant="primary" to="/review" search={(known) => ({ ...known, tab: 'agreement' })}>
          All labelled: see the agreement
        </LinkButton>
      ) : (
        <span className="text-xs text-muted">
          kept in <code className="font-mono">{file}</code>
          {rater !== '' && <> as {rater}</>}
        </span>
      )}
    </div>
  );
}
