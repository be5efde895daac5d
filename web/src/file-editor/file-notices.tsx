import type { ReactNode } from 'react';
import type { Position } from '../documents/read-document.ts';
import { Button } from '../kit/button.tsx';
import type { FormDocument } from './use-document.ts';
import type { EditedFile } from './use-edited-file.ts';

/** What one has to know of a file before going on: that it is closed, that it has changed, that the form waits. */
export function FileNotices({
  file,
  document,
  onGo,
}: {
  file: EditedFile;
  document: FormDocument;
  onGo: (position: Position) => void;
}) {
  const { base, onDisk } = file.editing;
  const { broken, whyNoForm } = document;
  return (
    <>
      {base?.isEditable === false && <Notice>This file can only be read here: {base.whyNot}.</Notice>}
      {onDisk !== null && (
        <Notice
          actions={
            <Button size="sm" onClick={file.compare}>
              Show both
            </Button>
          }
        >
          The file has changed on disk since it was opened here. What you typed is still here and not saved.
        </Notice>
      )}
      {broken !== null && (
        <Notice
          actions={
            <Button size="sm" onClick={() => onGo(broken.position)}>
              Go to line {broken.position.line}
            </Button>
          }
        >
          The text cannot be read yet: {broken.message.replace(/[.:]?$/, '.')} The form waits; nothing is lost.
        </Notice>
      )}
      {whyNoForm !== null && <Notice>{whyNoForm}</Notice>}
    </>
  );
}

function Notice({ actions, children }: { actions?: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-error/40 bg-error-ground px-4 py-2"
    >
      <p className="min-w-0">{children}</p>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
