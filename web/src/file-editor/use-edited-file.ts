import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import type { FileConflict, FileKind, ProjectFile } from '../../../src/entry/server/api/project.ts';
import { api } from '../data/api.ts';
import { ApiFailure } from '../data/api-failure.ts';
import { fileAddress, fileQuery } from '../data/project.ts';
import { useToast } from '../kit/toast.tsx';
import { type Editing, editingAfter, hasUnsaved, replacedRevision, startEditing } from './editing.ts';

/** A file that is open in an editor. */
export interface EditedFile {
  readonly path: string;
  readonly kind: FileKind;
  readonly editing: Editing;
  readonly isUnsaved: boolean;
  readonly isLoading: boolean;
  readonly isSaving: boolean;
  /** Why it could not be read. */
  readonly failure: unknown;
  readonly setText: (text: string) => void;
  /** Gives whether the file is now as it is here. One that changed on disk is left alone. */
  readonly save: () => Promise<boolean>;
  /** Writes over what was shown of the file on disk. */
  readonly overwrite: () => Promise<boolean>;
  /** Shows the file on disk beside what is here. */
  readonly compare: () => void;
  readonly takeTheirs: () => void;
  readonly decideLater: () => void;
  readonly reload: () => void;
}

/** Opens a file of the project; with a text to start from, one that is not there yet. */
export function useEditedFile(path: string, kind: FileKind, startText?: string): EditedFile {
  const isNew = startText !== undefined;
  const [editing, step] = useReducer(editingAfter, startText, startEditing);
  const [isSaving, setIsSaving] = useState(false);
  const query = useQuery({ ...fileQuery(path), enabled: path !== '' && (!isNew || editing.base !== null) });
  const client = useQueryClient();
  const toast = useToast();
  useEffect(() => {
    if (query.data) step({ kind: 'read', file: query.data });
  }, [query.data]);

  const write = async (): Promise<boolean> => {
    const sent = editing.text;
    setIsSaving(true);
    try {
      const body = { kind, text: sent, revision: replacedRevision(editing) };
      const file = await api.put<ProjectFile>(fileAddress(path), body);
      step({ kind: 'saved', file, sent });
      client.setQueryData(fileQuery(path).queryKey, file);
      for (const key of ['scenarios', 'rubrics', 'settings', 'personas', 'connectors', 'status']) {
        void client.invalidateQueries({ queryKey: [key] });
      }
      return true;
    } catch (error) {
      if (isConflict(error)) step({ kind: 'refused', current: error.body.current });
      else toast.show(error instanceof ApiFailure ? refusalText(error) : 'The file was not saved.', 'bad');
      return false;
    } finally {
      setIsSaving(false);
    }
  };

  return {
    path,
    kind,
    editing,
    isUnsaved: hasUnsaved(editing),
    isLoading: !isNew && editing.base === null && !query.isError,
    isSaving,
    failure: !isNew && editing.base === null ? query.error : null,
    setText: (text) => step({ kind: 'typed', text }),
    save: () => (editing.conflict === null ? write() : Promise.resolve(false)),
    overwrite: write,
    compare: () => step({ kind: 'compare' }),
    takeTheirs: () => step({ kind: 'take-theirs' }),
    decideLater: () => step({ kind: 'decide-later' }),
    reload: () => void query.refetch(),
  };
}

function isConflict(error: unknown): error is ApiFailure & { readonly body: FileConflict } {
  return error instanceof ApiFailure && error.status === 409 && error.code === 'FILE_CONFLICT';
}

function refusalText({ error, hint }: ApiFailure): string {
  return hint === null ? error : `${error} ${hint}`;
}
