import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useRefusal } from '../data/access.ts';
import { ApiFailure, api } from '../data/api.ts';
import { fileAddress } from '../data/project.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { useToast } from '../kit/toast.tsx';
import type { EditedFile } from './use-edited-file.ts';

/** Deletes a file after asking; one that has changed on disk since it was read stays. */
export function DeleteFileButton({ file, onDeleted }: { file: EditedFile; onDeleted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const { base } = file.editing;
  const refusal = useRefusal('edit');
  if (base === null || !base.isEditable || refusal !== undefined) return null;
  const remove = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await api.delete(fileAddress(file.path), { revision: base.revision });
      for (const key of ['scenarios', 'rubrics', 'status']) void client.invalidateQueries({ queryKey: [key] });
      client.removeQueries({ queryKey: ['file', file.path] });
      // Unsaved text goes with the file, without another question.
      file.setText(base.text);
      toast.show(`${file.path} is deleted.`);
      onDeleted();
    } catch (error) {
      toast.show(error instanceof ApiFailure ? error.error : 'The file was not deleted.', 'bad');
    } finally {
      setIsBusy(false);
      setIsAsking(false);
    }
  };
  return (
    <>
      <Button
        variant="ghost"
        aria-label="Delete the file"
        title="Delete the file"
        icon={<Trash2 size={14} aria-hidden />}
        onClick={() => setIsAsking(true)}
      />
      <ConfirmDialog
        title="Delete this file?"
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => void remove()}
        confirmLabel="Delete"
        isDangerous
        isBusy={isBusy}
      >
        <code className="font-mono">{file.path}</code> is deleted from the disk. Runs that were made with it stay.
      </ConfirmDialog>
    </>
  );
}
