import { Button } from '../kit/button.tsx';
import { DiffBlock } from '../kit/code.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { changedLines } from './changed-lines.ts';
import type { EditedFile } from './use-edited-file.ts';

/** Asks which text of a file counts when it has changed on the disk meanwhile; nothing is written before the answer. */
export function ConflictDialog({ file, onOverwrite }: { file: EditedFile; onOverwrite: () => void }) {
  const { conflict, text } = file.editing;
  const current = conflict?.current ?? null;
  const actions = (
    <>
      <Button variant="ghost" onClick={file.decideLater}>
        Keep editing
      </Button>
      {current !== null && (
        <Button variant="secondary" onClick={file.takeTheirs}>
          Take the file on disk
        </Button>
      )}
      <Button variant="danger" onClick={onOverwrite}>
        {current === null ? 'Create the file again' : 'Replace it with mine'}
      </Button>
    </>
  );
  const title = current === null ? 'The file is gone' : 'The file has changed on disk';
  return (
    <Dialog title={title} isOpen={conflict !== null} onClose={file.decideLater} actions={actions} isWide>
      {current === null ? (
        <p>
          <code className="font-mono">{file.path}</code> was deleted or renamed since it was opened here. Nothing has
          been written.
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <p>
            <code className="font-mono">{file.path}</code> has changed on disk since it was opened here. Nothing has
            been written. Lines with − are on disk, lines with + are yours.
          </p>
          <DiffBlock text={changedLines(current.text, text)} />
        </div>
      )}
    </Dialog>
  );
}
