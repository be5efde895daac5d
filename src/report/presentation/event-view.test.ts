import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../domain/trace.ts';
import { fullTrace } from '../../testing/support/report-run.ts';
import { eventView } from './event-view.ts';

const stamp = { at: 1, seenBy: 'engine' as const };

describe('an event for a person', () => {
  it('has a label and one line without control characters', () => {
    for (const event of fullTrace('two\nlines \u001B[1mbold\u001B[0m')) {
      const { label, line, blocks } = eventView(event);
      expect(label).not.toBe('');
      expect(line).not.toBe('');
      expect(line + blocks.map(({ text }) => text).join('')).not.toMatch(/\u001B/);
      expect(line).not.toMatch(/\n/);
    }
  });

  it('says how a command ended and what it printed', () => {
    const view = eventView(fullTrace('later')[5] as TraceEvent);
    expect(view).toMatchObject({ label: 'command', line: 'booking later exit 3', isProblem: true, durationMs: 120 });
    expect(view.blocks.map(({ label }) => label)).toEqual([
      'arguments',
      'folder',
      'stdout',
      'stderr, 12 bytes were not kept',
    ]);
  });

  it('is bad news when a tool refused, and none when it answered', () => {
    const refused: TraceEvent = { type: 'tool-result', ...stamp, callId: 'c', durationMs: 3, error: { message: 'no' } };
    expect(eventView(refused)).toMatchObject({ line: 'no', isProblem: true });
    const answered: TraceEvent = { type: 'tool-result', ...stamp, callId: 'c', durationMs: 3, result: { ok: true } };
    expect(eventView(answered)).toMatchObject({ line: '{"ok":true}', isProblem: false });
  });

  it('shows a kind that it does not know as it is', () => {
    const unknown = { type: 'from-the-future', ...stamp, what: 'x' } as unknown as TraceEvent;
    expect(eventView(unknown)).toMatchObject({ label: 'from-the-future', isProblem: false });
    expect(eventView(unknown).line).toContain('from-the-future');
  });

  it('names the files that were sent with a message below its text', () => {
    const file = { path: 'chart.png', mediaType: 'image/png', sha256: 'a'.repeat(64), bytes: 1_274 } as const;
    const view = eventView({ type: 'message', ...stamp, role: 'user', text: 'Which?', attachments: [file] });
    expect(view).toMatchObject({
      line: 'Which?',
      blocks: [{ text: expect.stringMatching(/^Which\?\n\nAttached: chart\.png \(image\/png, 1.274 bytes\)$/) }],
    });
  });

  it('cuts a long line and keeps all of its text', () => {
    const text = 'word '.repeat(500);
    const view = eventView({ type: 'message', ...stamp, role: 'assistant', text });
    expect(view.line.length).toBeLessThanOrEqual(301);
    expect(view.blocks).toEqual([{ label: '', text }]);
  });
});
