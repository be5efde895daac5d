import { useCallback, useMemo, useRef } from 'react';
import type { FileProblem } from '../../../src/entry/server/api/project.ts';
import type { DocumentChange } from '../../../src/shared/document-edit/document-change.ts';
import { editDocument } from '../../../src/shared/document-edit/edit-document.ts';
import {
  pathAt,
  type ReadableDocument,
  readDocument,
  syntaxOf,
  type UnreadableDocument,
} from '../../../src/shared/document-edit/read-document.ts';
import type { FieldProblem } from '../forms/field-problems.ts';
import { useToast } from '../kit/toast.tsx';

/** Beyond this a form would be too slow to type into; the text can be edited at any length. */
const longestForForms = 300_000;

/** A text as a form sees it. */
export interface FormDocument {
  /** The text as it was when it could be read last; null where it never could. */
  readonly lastValid: ReadableDocument | null;
  /** Why the form waits; null when it does not. */
  readonly broken: UnreadableDocument | null;
  /** Why there is no form for the file. */
  readonly whyNoForm: string | null;
  /** Several changes are made one after the other, all or none. */
  readonly onChange: (...changes: readonly DocumentChange[]) => void;
}

/** Reads a text for a form, and writes what is changed there back into it. */
export function useDocument(
  path: string,
  text: string,
  setText: (text: string) => void,
  keyOrder: readonly string[],
): FormDocument {
  const syntax = syntaxOf(path);
  const isTooLong = text.length > longestForForms;
  const read = useMemo(
    () => (syntax === undefined || isTooLong ? undefined : readDocument(text, syntax)),
    [text, syntax, isTooLong],
  );
  const lastGood = useRef<ReadableDocument | null>(null);
  if (read?.isReadable) lastGood.current = read;
  const toast = useToast();
  const onChange = useCallback(
    (...changes: readonly DocumentChange[]): void => {
      const edited = changes.reduce<string | undefined>(
        (so, change) =>
          so === undefined || syntax === undefined ? undefined : editDocument(so, syntax, change, keyOrder),
        text,
      );
      if (edited !== undefined) setText(edited);
      else toast.show('This cannot be changed from the form: edit the text of the file.', 'warn');
    },
    [text, syntax, setText, keyOrder, toast],
  );
  const whyNoForm = isTooLong ? 'The file is too long for a form.' : 'There is no form for files of this kind.';
  return {
    lastValid: lastGood.current,
    broken: read?.isReadable === false ? read : null,
    whyNoForm: read === undefined ? whyNoForm : null,
    onChange,
  };
}

/** The problems of a file as a form shows them: by what they are about instead of by line and column. */
export function problemsByPath(read: ReadableDocument, problems: readonly FileProblem[]): readonly FieldProblem[] {
  return problems.map(({ message, hint, severity, ...position }) => ({
    path: pathAt(read, position),
    message,
    severity,
    ...(hint === undefined ? {} : { hint }),
  }));
}
