import { yaml } from '@codemirror/lang-yaml';
import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { FileProblem } from '../../../src/entry/server/api/project.ts';
import type { Position } from '../../../src/shared/document-edit/read-document.ts';
import { cspNonce } from '../app/page-loading.ts';

/** The usual colours of code, lighter where the page is dark. */
const codeColours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) =>
    typeof color === 'string'
      ? { ...spec, color: `light-dark(${color}, color-mix(in oklab, ${color} 40%, white))` }
      : spec,
  ),
);

/** The editor in the colours of the page. */
const codeLook = EditorView.theme({
  '&': { height: '100%', fontSize: '0.8125rem', backgroundColor: 'var(--color-surface)', color: 'var(--color-ink)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--color-ink)', padding: '0.5rem 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-muted)',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--color-raised) 60%, transparent)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-ground)',
  },
  '.cm-panels': { backgroundColor: 'var(--color-raised)', color: 'var(--color-ink)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: '0.375rem',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-ink)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--color-fail)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--color-error)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--color-raised)', borderColor: 'var(--color-line)', color: 'inherit' },
});

/** The one place in which two texts differ, as an editor takes it: what is around it keeps its cursors. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** The place of a position that may lie behind the end of its line or of the text. */
export function offsetIn(document: Text, { line, column }: Position): number {
  const found = document.line(Math.min(Math.max(line, 1), document.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}

/** The commands of the editor. */
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
  const latestOnChange = useRef(onChange);
  const firstText = useRef(text);
  useEffect(() => {
    latestOnChange.current = onChange;
  }, [onChange]);

  useEffect(() => {
    if (place.current === null) return;
    const extensions = editorExtensions(label, isReadOnly, (typed) => latestOnChange.current(typed));
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
