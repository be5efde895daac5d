import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { isOfKinds, readSearch } from './trace-search.ts';

const call = (more: object): TraceEvent =>
  ({ type: 'tool-call', at: 0, seenBy: 'agent', callId: 'c', tool: 'Edit', input: {}, ...more }) as TraceEvent;

describe('a search in a trace', () => {
  it.each([
    ['kind:edit', { kinds: ['edit'], text: '' }],
    ['Kind:Edit  README.md kind:read', { kinds: ['edit', 'read'], text: 'readme.md' }],
    ['  two  spaces', { kinds: [], text: '  two  spaces' }],
    ['mankind:edit kind:', { kinds: [], text: 'mankind:edit kind:' }],
  ])('%j is read as kinds and text', (written, expected) => {
    expect(readSearch(written)).toEqual(expected);
  });

  it('finds actions by their kind', () => {
    const edits = readSearch('kind:edit');
    expect(isOfKinds(call({ kind: 'edit' }), edits)).toBe(true);
    expect(isOfKinds(call({ kind: 'read' }), edits)).toBe(false);
    expect(isOfKinds(call({}), edits)).toBe(false);
    expect(isOfKinds({ type: 'message', at: 0, seenBy: 'agent', role: 'user', text: 'kind:edit' }, edits)).toBe(false);
    expect(isOfKinds(call({ server: 'weather' }), readSearch('kind:mcp kind:shell'))).toBe(true);
    expect(isOfKinds(call({ shellCommand: 'ls' }), readSearch('kind:shell'))).toBe(true);
    expect(isOfKinds(call({ kind: 'read' }), readSearch(''))).toBe(true);
  });
});
