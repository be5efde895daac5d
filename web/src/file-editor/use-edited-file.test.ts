import { describe, expect, it } from 'vitest';
import type { ProjectFile } from '../../../src/entry/server/api/project.ts';
import {
  type Editing,
  type EditingStep,
  editingAfter,
  hasUnsaved,
  replacedRevision,
  startEditing,
} from './use-edited-file.ts';

function file(text: string): ProjectFile {
  return {
    path: 'a.yaml',
    kind: 'scenario',
    text,
    revision: `r:${text}`,
    isEditable: true,
    whyNot: null,
    problems: [],
  };
}

function after(...steps: readonly EditingStep[]): Editing {
  return steps.reduce(editingAfter, startEditing());
}

const read: EditingStep = { kind: 'read', file: file('one') };
const typed: EditingStep = { kind: 'typed', text: 'mine' };
const changedOnDisk: EditingStep = { kind: 'read', file: file('theirs') };

describe('a file that is edited', () => {
  it('follows the disk while nothing was typed', () => {
    expect(after(read, changedOnDisk)).toMatchObject({ text: 'theirs', readings: 2, onDisk: null });
  });

  it('keeps what was typed when the disk changes, and says so', () => {
    const state = after(read, typed, changedOnDisk);
    expect(state).toMatchObject({ text: 'mine', onDisk: { text: 'theirs' }, base: { text: 'one' } });
    expect(editingAfter(state, { kind: 'compare' })).toMatchObject({
      text: 'mine',
      conflict: { current: { text: 'theirs' } },
    });
    expect(editingAfter(state, { kind: 'take-theirs' })).toMatchObject({ text: 'theirs', onDisk: null });
  });

  it('takes changes of other lines from the disk into what was typed', () => {
    const lines = ['name: a', 'repeat: 1', 'tags: []'].join('\n');
    const state = after(
      { kind: 'read', file: file(lines) },
      { kind: 'typed', text: lines.replace('name: a', 'name: mine') },
      { kind: 'read', file: file(lines.replace('[]', '[theirs]')) },
    );
    expect(state).toMatchObject({ text: 'name: mine\nrepeat: 1\ntags: [theirs]', onDisk: null, merges: 1 });
    expect(hasUnsaved(state)).toBe(true);
    expect(replacedRevision(state)).toBe(`r:${lines.replace('[]', '[theirs]')}`);
  });

  it('asks after a refused write, and then overwrites the reported version and nothing newer', () => {
    const state = after(read, typed, { kind: 'refused', current: file('theirs') });
    expect(state).toMatchObject({ text: 'mine', conflict: { current: { text: 'theirs' } } });
    expect(replacedRevision(state)).toBe('r:theirs');
    expect(editingAfter(state, { kind: 'decide-later' })).toMatchObject({ text: 'mine', base: { revision: 'r:one' } });
  });

  it('is created again when it is gone from the disk', () => {
    const state = after(read, typed, { kind: 'refused', current: null });
    expect(replacedRevision(state)).toBeNull();
    expect(state.text).toBe('mine');
  });

  it('has nothing unsaved after a write, unless one typed on', () => {
    const saved: EditingStep = { kind: 'saved', file: file('mine'), sent: 'mine' };
    expect(hasUnsaved(after(read, typed, saved))).toBe(false);
    expect(after(read, typed, { kind: 'typed', text: 'more' }, saved)).toMatchObject({
      text: 'more',
      base: { text: 'mine' },
    });
  });
});
