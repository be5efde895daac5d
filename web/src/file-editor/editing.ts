import type { ProjectFile } from '../../../src/entry/server/api/project.ts';

/** A file while it is edited. The text is what counts; the form and the editor are views of it. */
export interface Editing {
  /** As it was read or written last; null for a file that is not there yet. */
  readonly base: ProjectFile | null;
  readonly text: string;
  /** The file on disk, where it is no longer the one that was read and something here is not saved. */
  readonly onDisk: ProjectFile | null;
  /** What a write was refused for; `current` is null where the file is gone. */
  readonly conflict: { readonly current: ProjectFile | null } | null;
  /** How often the text was taken from the disk, for those who keep something of their own about it. */
  readonly readings: number;
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
  return { base: null, text, onDisk: null, conflict: null, readings: 0 };
}

/** Whether there is something that is not on the disk yet. */
export function hasUnsaved({ base, text }: Editing): boolean {
  return base === null ? text !== '' : text !== base.text;
}

/** The revision that a write takes the place of. After a refusal that is the one that was shown, and nothing newer. */
export function replacedRevision({ base, conflict }: Editing): string | null {
  return (conflict === null ? base : conflict.current)?.revision ?? null;
}

/** What follows from a step. Nothing that was typed is ever lost by one that the user did not choose. */
export function editingAfter(state: Editing, step: EditingStep): Editing {
  switch (step.kind) {
    case 'read':
      return afterReading(state, step.file);
    case 'typed':
      return { ...state, text: step.text };
    case 'saved': {
      // Whoever typed on while it was written goes on from there.
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
  return { ...state, onDisk: file };
}

function adopted(state: Editing, file: ProjectFile): Editing {
  return { base: file, text: file.text, onDisk: null, conflict: null, readings: state.readings + 1 };
}
