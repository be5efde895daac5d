import { defaultHighlightStyle, HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';

/** The usual colours of code, lighter where the page is dark. */
export const codeColours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) =>
    typeof color === 'string'
      ? { ...spec, color: `light-dark(${color}, color-mix(in oklab, ${color} 40%, white))` }
      : spec,
  ),
);

/** The editor in the colours of the page. */
export const codeLook = EditorView.theme({
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
