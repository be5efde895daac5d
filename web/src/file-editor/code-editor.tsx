import { yaml } from '@codemirror/lang-yaml';
import { syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { FileProblem } from '../../../src/entry/server/api/project.ts';
import { cspNonce } from '../app/csp-nonce.ts';
import type { Position } from '../documents/read-document.ts';
import { codeColours, codeLook } from './code-editor-look.ts';
import { offsetIn, smallestChange } from './editor-changes.ts';

/** What others may ask of the editor. */
export interface CodeEditorHandle {
  readonly goTo: (position: Position) => void;
}

/** Marks changes that come from elsewhere, such as from a form. */
const fromOutside = Annotation.define<boolean>();

/** The text of a file, with what is wrong at its line. */
export function CodeEditor({
  text,
  onChange,
  problems,
  label,
  isReadOnly = false,
  ref,
}: {
  text: string;
  onChange: (text: string) => void;
  problems: readonly FileProblem[];
  label: string;
  isReadOnly?: boolean;
  ref?: Ref<CodeEditorHandle>;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const told = useRef(onChange);
  const firstText = useRef(text);
  useEffect(() => {
    told.current = onChange;
  }, [onChange]);

  useEffect(() => {
    if (place.current === null) return;
    const extensions = editorExtensions(label, isReadOnly, (typed) => told.current(typed));
    const state = EditorState.create({ doc: firstText.current, extensions });
    const editor = new EditorView({ state, parent: place.current });
    view.current = editor;
    return () => {
      firstText.current = editor.state.doc.toString();
      editor.destroy();
      view.current = null;
    };
  }, [label, isReadOnly]);

  useEffect(() => {
    const editor = view.current;
    const change = editor && smallestChange(editor.state.doc.toString(), text);
    if (change) editor.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems)));
  }, [problems]);

  useImperativeHandle(ref, () => ({
    goTo(position) {
      const editor = view.current;
      if (editor === null) return;
      const offset = offsetIn(editor.state.doc, position);
      editor.dispatch({ selection: { anchor: offset }, effects: EditorView.scrollIntoView(offset, { y: 'center' }) });
      editor.focus();
    },
  }));

  return <div ref={place} className="h-full min-h-0 overflow-hidden" />;
}

function editorExtensions(label: string, isReadOnly: boolean, onTyped: (text: string) => void): Extension {
  const nonce = cspNonce();
  return [
    basicSetup,
    yaml(),
    syntaxHighlighting(codeColours),
    codeLook,
    lintGutter(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorState.readOnly.of(isReadOnly),
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
      onTyped(update.state.doc.toString());
    }),
  ];
}

function diagnosticsOf(state: EditorState, problems: readonly FileProblem[]): Diagnostic[] {
  return problems
    .map(({ severity, message, hint, ...position }): Diagnostic => {
      const from = offsetIn(state.doc, position);
      const to = state.doc.lineAt(from).to;
      return { from, to: Math.max(to, from), severity, message: hint === undefined ? message : `${message}\n${hint}` };
    })
    .sort((a, b) => a.from - b.from);
}
