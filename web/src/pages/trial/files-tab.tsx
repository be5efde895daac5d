import { Download, FileDiff, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { TraceEventOf } from '../../../../src/domain/trace.ts';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { plainOutput } from '../../../../src/report/presentation/trial-text.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { artifactUrl } from '../../data/trials.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { DiffBlock } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Card, EmptyState, ErrorView, Skeleton } from '../../kit/page.tsx';
import { SmallTable, useSteps } from '../../kit/small-table.tsx';
import type { PlacedEvent } from './trace/timeline.ts';
import { useTraceEvents, useWholeEvents } from './trace/use-trace.ts';

const step = 50;
const tones: Readonly<Record<TraceEventOf<'file-change'>['change'], Tone>> = {
  created: 'good',
  changed: 'info',
  deleted: 'bad',
};

interface FilesTabProps {
  readonly trialId: string;
  readonly eventCount: number;
  /** Indices of the events about files; undefined until they are known. */
  readonly indices: readonly number[] | undefined;
}

/** The files that the trial created, changed and deleted, with diffs. */
export function FilesTab({ trialId, eventCount, indices }: FilesTabProps) {
  const [wanted, more] = useSteps(indices ?? [], step, 'files');
  const { events, error } = useTraceEvents(trialId, eventCount, wanted);
  const changes = wanted.flatMap((index) => events.get(index) ?? []);
  if (error) return <ErrorView error={error} />;
  if (!indices || (changes.length === 0 && wanted.length > 0)) return <Skeleton lines={4} />;
  if (indices.length === 0)
    return <EmptyState icon={<FileDiff size={20} />} title="No file was created, changed or deleted" />;
  return (
    <Card title={`${counted(indices.length, 'file')} touched`}>
      <ul className="flex flex-col gap-1">
        {changes.map((placed) => (
          <li key={placed.index}>
            <FileChange trialId={trialId} placed={placed} isOpen={indices.length <= 3} />
          </li>
        ))}
      </ul>
      {more && <div className="mt-2">{more}</div>}
    </Card>
  );
}

function FileChange({ trialId, placed, isOpen }: { trialId: string; placed: PlacedEvent; isOpen: boolean }) {
  const [isWholeWanted, setIsWholeWanted] = useState(false);
  const { event: whole, isLoading } = useWholeEvents(trialId, placed, undefined, isWholeWanted);
  const { event } = whole;
  if (event.type !== 'file-change') return null;
  const head = (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={tones[event.change]}>{event.change}</Badge>
      <span className="font-mono text-xs">{plainOutput(event.path)}</span>
      <span className="text-xs text-muted">
        {event.bytes === null ? '' : `${grouped(event.bytes)} bytes`}
        {event.diff === null && ', no text to compare'}
      </span>
    </span>
  );
  if (event.diff === null) return <div className="py-0.5 pl-5">{head}</div>;
  return (
    <Disclosure summary={head} isOpen={isOpen}>
      <DiffBlock text={plainOutput(event.diff)} />
      {whole.isCut && (
        <Button size="sm" className="mt-1" isBusy={isLoading} onClick={() => setIsWholeWanted(true)}>
          The diff is cut in the middle; show all
        </Button>
      )}
    </Disclosure>
  );
}

const units = ['kB', 'MB', 'GB'] as const;

/** A size for people: `512 bytes`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let value = bytes;
  let unit: string = units[0];
  for (const next of units) {
    unit = next;
    value /= 1_000;
    if (value < 999.5) break;
  }
  return `${grouped(Number(value.toPrecision(value < 10 ? 2 : 3)))} ${unit}`;
}

/** The files that a trial left behind, to download. */
export function ArtifactsTab({ trial: { record, artifacts } }: { trial: TrialDetail }) {
  if (artifacts.length === 0)
    return (
      <EmptyState icon={<FolderOpen size={20} />} title="No files were kept">
        Trials with an agent keep what it printed, its events and its work folder. This one left nothing behind, or it
        was cleaned up since.
      </EmptyState>
    );
  return (
    <Card title={`${counted(artifacts.length, 'file')} kept`} isFlush>
      <SmallTable
        label="Files that were kept"
        columns={[
          {
            header: 'File',
            cell: ({ path }) => (
              <a
                href={artifactUrl(record.trialId, path)}
                download
                className="inline-flex items-center gap-1.5 font-mono text-xs text-accent hover:underline"
              >
                <Download size={13} aria-hidden className="shrink-0" />
                {path}
              </a>
            ),
          },
          { header: 'Size', isFigure: true, cell: ({ bytes }) => bytesText(bytes) },
        ]}
        rows={artifacts}
      />
    </Card>
  );
}
