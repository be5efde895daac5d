import { Download, FolderOpen } from 'lucide-react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { counted } from '../../../../src/shared/format.ts';
import { artifactUrl } from '../../data/trials.ts';
import { Card } from '../../kit/card.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { bytesText } from './bytes-text.ts';

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
        columns={[{ header: 'File' }, { header: 'Size', isFigure: true }]}
        rows={artifacts.map(({ path, bytes }) => ({
          key: path,
          cells: [
            <a
              key="path"
              href={artifactUrl(record.trialId, path)}
              download
              className="inline-flex items-center gap-1.5 font-mono text-xs text-accent hover:underline"
            >
              <Download size={13} aria-hidden className="shrink-0" />
              {path}
            </a>,
            bytesText(bytes),
          ],
        }))}
      />
    </Card>
  );
}
