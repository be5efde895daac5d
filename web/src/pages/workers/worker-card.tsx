import { useQuery } from '@tanstack/react-query';
import type { Workers } from '../../../../src/entry/server/api/system.ts';
import { formatDuration } from '../../../../src/shared/format.ts';
import { statusQuery } from '../../data/queries.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Duration } from '../../kit/figures.tsx';
import { Bullets, Card } from '../../kit/page.tsx';
import { FactList, SmallTable } from '../../kit/small-table.tsx';
import { RunIdLink } from '../../kit/trial-link.tsx';

type Worker = Workers['workers'][number];

const tones: Readonly<Record<Worker['state'], Tone>> = {
  working: 'good',
  idle: 'neutral',
  draining: 'warn',
  lost: 'bad',
};

/** One worker: what it does, what it can do, and when it was last heard of. */
export function WorkerCard({ worker }: { worker: Worker }) {
  const { host, workerId, state, concurrency, current, notes } = worker;
  return (
    <Card
      title={
        <>
          {host} <span className="font-mono text-xs font-normal text-muted">{workerId}</span>
        </>
      }
      actions={<Badge tone={tones[state]}>{state}</Badge>}
      isFlush
    >
      <div className="flex flex-col gap-3 p-4">
        <FactList
          facts={[
            ['Load', <Load key="load" busy={current.length} places={concurrency} />],
            ['Last heartbeat', `${formatDuration(worker.secondsSinceHeartbeat * 1_000)} ago`],
            ['Up for', <Duration key="up" ms={worker.upMs} />],
            ['Version', <Version key="version" version={worker.version} />],
            ['Tags', worker.tags.join(', ') || 'none'],
            ['Agents', worker.agents.join(', ') || 'none'],
          ]}
        />
        <Bullets label="Why it does not take what waits" texts={notes} />
      </div>
      {current.length > 0 && (
        <div className="border-t border-line">
          <SmallTable
            label={`Trials at work on ${host}`}
            columns={[
              {
                header: 'At work',
                cell: ({ scenario, caseId }) => (
                  <>
                    {scenario} <span className="text-muted">{caseId}</span>
                  </>
                ),
              },
              { header: 'Run', cell: ({ runId }) => <RunIdLink runId={runId} /> },
              { header: 'Attempt', isFigure: true, cell: ({ attempt }) => attempt },
              { header: 'For', isFigure: true, cell: ({ sinceMs }) => <Duration ms={sinceMs} /> },
            ]}
            rows={current}
          />
        </div>
      )}
    </Card>
  );
}

function Load({ busy, places }: { busy: number; places: number }) {
  return (
    <span className="flex items-center gap-2">
      <meter
        aria-label="Load"
        min={0}
        max={places}
        value={busy}
        className="h-2 w-20 [&::-webkit-meter-bar]:border-0 [&::-webkit-meter-bar]:bg-line [&::-webkit-meter-optimum-value]:bg-accent"
      />
      {busy} of {places}
    </span>
  );
}

function Version({ version }: { version: string }) {
  const { data } = useQuery(statusQuery());
  const isOther = data !== undefined && data.assayVersion !== version;
  return (
    <>
      {version} {isOther && <Badge tone="warn">here {data.assayVersion}</Badge>}
    </>
  );
}
