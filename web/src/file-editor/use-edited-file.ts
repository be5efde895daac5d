import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import type {
  FileCheck,
  FileConflict,
  FileKind,
  FileProblem,
  ProjectFile,
} from '../../../src/entry/server/api/project.ts';
import { useRefusal } from '../data/access.ts';
import { ApiFailure, api } from '../data/api.ts';
import { fileAddress, fileCheckQuery, fileQuery } from '../data/project.ts';
import { useToast } from '../kit/toast.tsx';
import { mergedText } from './merged-text.ts';

/** A file while it is edited. The text is what counts; the form and the editor are views of it. */
export interface Editing {
  /** As it was read or written last; null for a file that is not there yet. */
  readonly base: ProjectFile | null;
  readonly text: string;
  /** The file on disk, where it is no longer the one that was read and something here is not saved. */
  readonly onDisk: ProjectFile | null;
  /** The conflict of a refused write; `current` is null where the file is gone. */
  readonly conflict: { readonly current: ProjectFile | null } | null;
  /** How often the text was taken from the disk, for code that keeps its own state about it. */
  readonly readings: number;
  /** How often changes on the disk were put into the text that is edited. */
  readonly merges: number;
}

export type EditingStep =
  | { readonly kind: 'read'; readonly file: ProjectFile }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'saved'; readonly file: ProjectFile; readonly sent: string }
  | { readonly kind: 'refused'; readonly current: ProjectFile | null }
  | { readonly kind: 'compare' }
  | { readonly kind: 'take-theirs' }
  | { readonly kind: 'decide-later' };

/** The beginning: a new file with some text, or one that is still to be read. */
export function startEditing(text = ''): Editing {
  return { base: null, text, onDisk: null, conflict: null, readings: 0, merges: 0 };
}

/** Whether there is something that is not on the disk yet. */
export function hasUnsaved({ base, text }: Editing): boolean {
  return base === null ? text !== '' : text !== base.text;
}

/** The revision that a write takes the place of. After a refusal that is the one that was shown, and nothing newer. */
export function replacedRevision({ base, conflict }: Editing): string | null {
  return (conflict === null ? base : conflict.current)?.revision ?? null;
}

/** The state after a step. Only a step that the user chose may discard typed text. */
export function editingAfter(state: Editing, step: EditingStep): Editing {
  switch (step.kind) {
    case 'read':
      return afterReading(state, step.file);
    case 'typed':
      return { ...state, text: step.text };
    case 'saved': {
      // Text typed while the file was being written is kept.
      const text = state.text === step.sent ? step.file.text : state.text;
      return { ...state, base: step.file, text, onDisk: null, conflict: null };
    }
    case 'refused':
      return { ...state, conflict: { current: step.current } };
    case 'compare':
      return state.onDisk === null ? state : { ...state, conflict: { current: state.onDisk } };
    case 'take-theirs': {
      const file = state.conflict?.current ?? state.onDisk;
      return file === null ? { ...state, conflict: null } : adopted(state, file);
    }
    case 'decide-later':
      return { ...state, conflict: null };
  }
}

function afterReading(state: Editing, file: ProjectFile): Editing {
  if (state.base?.revision === file.revision) return { ...state, onDisk: null };
  if (state.base === null ? state.text === '' : !hasUnsaved(state)) return adopted(state, file);
  const text = mergedWith(state, file);
  if (text === undefined) return { ...state, onDisk: file };
  return { ...state, base: file, text, onDisk: null, conflict: null, merges: state.merges + 1 };
}

/** The text as typed, with the changes on the disk; undefined where both changed the same lines. */
function mergedWith({ base, text }: Editing, file: ProjectFile): string | undefined {
  return base === null ? undefined : mergedText(base.text, text, file.text);
}

function adopted(state: Editing, file: ProjectFile): Editing {
  return { ...state, base: file, text: file.text, onDisk: null, conflict: null, readings: state.readings + 1 };
}

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

  const { merges } = editing;
  useEffect(() => {
    if (merges > 0) toast.show('The file had changed on disk; both changes are in the text now.', 'info');
  }, [merges, toast]);

  const write = async (sent = editing.text, revision = replacedRevision(editing)): Promise<boolean> => {
    setIsSaving(true);
    try {
      const body = { kind, text: sent, revision };
      const file = await api.put<ProjectFile>(fileAddress(path), body);
      step({ kind: 'saved', file, sent });
      client.setQueryData(fileQuery(path).queryKey, file);
      for (const key of ['scenarios', 'rubrics', 'settings', 'personas', 'connectors', 'status']) {
        void client.invalidateQueries({ queryKey: [key] });
      }
      return true;
    } catch (error) {
      if (isConflict(error)) {
        const { current } = error.body;
        const merged = editing.conflict === null && current !== null ? mergedWith(editing, current) : undefined;
        if (current !== null && merged !== undefined) {
          step({ kind: 'read', file: current });
          return await write(merged, current.revision);
        }
        step({ kind: 'refused', current });
      } else toast.show(error instanceof ApiFailure ? refusalText(error) : 'The file was not saved.', 'bad');
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
    overwrite: () => write(),
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

const quietMs = 250;

/** The server's check of a text while it is typed. */
export interface CheckedText {
  readonly problems: readonly FileProblem[];
  readonly scenarios: FileCheck['scenarios'];
  /** It says so of the text as it is now. */
  readonly isCurrent: boolean;
}

/** Has the text of a file checked when one has stopped typing for a moment. */
export function useFileCheck({ path, kind, editing: { text, readings }, isLoading }: EditedFile): CheckedText {
  const [checked, setChecked] = useState({ text, readings });
  useEffect(() => {
    const isRead = checked.readings !== readings;
    const timer = setTimeout(() => setChecked({ text, readings }), isRead ? 0 : quietMs);
    return () => clearTimeout(timer);
  }, [text, readings, checked.readings]);
  const mayCheck = useRefusal('edit') === undefined;
  const isEnabled = mayCheck && !isLoading && checked.readings === readings;
  const query = fileCheckQuery(path, kind, checked.text);
  const { data, isPlaceholderData } = useQuery({ ...query, enabled: isEnabled });
  return {
    problems: data?.problems ?? noProblems,
    scenarios: data?.scenarios ?? noScenarios,
    isCurrent: data !== undefined && !isPlaceholderData && checked.text === text,
  };
}

const noProblems: readonly FileProblem[] = [];
const noScenarios: FileCheck['scenarios'] = [];
